/*
 * pair_matrix.c - parses the lines of a run of all pairs.
 */
#include "report/curves/pair_matrix.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/curves/fields.h"

/* Most hosts of a file; limits the memory that a damaged line can claim. */
enum { HOSTS_MOST = 20000 };

void np_pair_matrix_free(struct np_pair_matrix *all)
{
	if (all != NULL) {
		np_fleet_run_free(&all->run);
		np_host_list_free(&all->hosts);
	}
	free(all);
}

/* Copies a name without control characters; false if it is missing or too long. */
static bool take_name(const json_t *value, char name[NP_HOST_NAME])
{
	const char *text = json_string_value(value);

	if (text == NULL || *text == '\0' || strlen(text) >= NP_HOST_NAME)
		return false;
	snprintf(name, NP_HOST_NAME, "%s", text);
	np_label_clean(name);
	return true;
}

static int take_host(struct np_host_list *hosts, const json_t *value, const json_t *group,
		     struct np_error *error)
{
	char name[NP_HOST_NAME], of[NP_HOST_NAME] = "";

	if (!take_name(value, name))
		return np_malformed(error, "a host without a name");
	if (np_host_list_find(hosts, name) != hosts->count)
		return np_malformed(error, "host '%s' is listed twice", name);
	take_name(group, of);
	if (np_host_list_add(hosts, name, "") != 0 ||
	    np_host_list_join(hosts, hosts->count - 1, of) != 0)
		return np_fail_errno(error, ENOMEM, "no memory for results");
	return 0;
}

int np_pair_matrix_begin(const json_t *hosts, struct np_pair_matrix **all,
			 struct np_error *error)
{
	const json_t *names = json_object_get(hosts, "hosts");
	const json_t *groups = json_object_get(hosts, "groups");
	const double slow = np_field_number(hosts, "slow");
	int rc = 0;

	*all = calloc(1, sizeof(**all));
	if (*all == NULL)
		return np_fail_errno(error, ENOMEM, "no memory for results");
	if (json_array_size(names) < 2 || json_array_size(names) > HOSTS_MOST ||
	    isnan(slow) || !np_field_label(hosts, "op", (*all)->op))
		return np_malformed(error,
				    "hosts, slow or op of the hosts is missing or wrong");
	np_label_clean((*all)->op);
	(*all)->hosts.ranks = json_is_true(json_object_get(hosts, "ranks"));
	for (size_t i = 0; i < json_array_size(names) && rc == 0; i++)
		rc = take_host(&(*all)->hosts, json_array_get(names, i),
			       json_array_get(groups, i), error);
	if (rc == 0 && np_fleet_run_init(&(*all)->run, &(*all)->hosts, slow) != 0)
		rc = np_fail_errno(error, ENOMEM, "no memory for results");
	if (strcmp((*all)->op, "bidirectional") == 0)
		(*all)->run.directions = 2;
	return rc;
}

/* ---- Rounds -------------------------------------------------------------------- */

static const char *const time_names[NP_FLEET_SIZES] = { "smallest_s", "largest_s" };
static const char *const error_names[NP_FLEET_SIZES] = { "smallest_error",
							 "largest_error" };

/* Reads a host number of a round; false if it is not a host. */
static bool take_number(const struct np_pair_matrix *all, const json_t *object,
			const char *name, size_t at, size_t *host)
{
	const json_t *value = json_array_get(json_object_get(object, name), at);
	const json_int_t number = json_integer_value(value);

	*host = (size_t)number;
	return json_is_integer(value) && number >= 0 && (uint64_t)number < all->hosts.count;
}

static int take_pair(struct np_pair_matrix *all, const json_t *object, size_t at,
		     struct np_pair_sample *sample, struct np_error *error)
{
	if (!take_number(all, object, "from", at, &sample->one) ||
	    !take_number(all, object, "to", at, &sample->other) ||
	    sample->one == sample->other)
		return np_malformed(error, "a pair names a host that is not of this run");
	for (size_t k = 0; k < sample->size_count; k++) {
		sample->seconds[k] = json_number_value(
			json_array_get(json_object_get(object, time_names[k]), at));
		if (!np_time_is_valid(sample->seconds[k]))
			return np_malformed(error,
					    "a time of the round is missing or wrong");
	}
	if (!isnan(np_fleet_run_seconds(&all->run, 0, sample->one, sample->other)))
		return np_malformed(error, "hosts '%.60s' and '%.60s' were measured twice",
				    all->hosts.hosts[sample->one].name,
				    all->hosts.hosts[sample->other].name);
	return np_fleet_run_take(&all->run, sample) == 0 ?
		       0 :
		       np_fail_errno(error, ENOMEM, "no memory for results");
}

static int take_round(struct np_pair_matrix *all, const json_t *object,
		      struct np_error *error)
{
	const json_t *bytes = json_object_get(object, "bytes");
	struct np_pair_sample sample = { .size_count = json_array_size(bytes),
					 .degrees = (unsigned)np_field_whole(object,
									     "degrees") };
	int rc = 0;

	all->run.rounds++;
	if (json_is_true(json_object_get(object, "look")))
		return 0;
	if (sample.size_count == 0 || sample.size_count > NP_FLEET_SIZES)
		return np_malformed(error, "bytes of the round is missing or wrong");
	for (size_t k = 0; k < sample.size_count; k++) {
		const json_t *length = json_array_get(bytes, k);

		if (!json_is_integer(length) || json_integer_value(length) < 0)
			return np_malformed(error,
					    "bytes of the round is missing or wrong");
		sample.bytes[k] = (size_t)json_integer_value(length);
		sample.error[k] = np_field_number(object, error_names[k]);
	}
	for (size_t i = 0; rc == 0 && i < json_array_size(json_object_get(object, "from"));
	     i++) {
		rc = take_pair(all, object, i, &sample, error);
		sample.degrees = 0; /* count the degrees of freedom of a round once */
	}
	return rc;
}

/* ---- Failures and suspects ---------------------------------------------------------- */

static bool take_named(const struct np_pair_matrix *all, const json_t *object,
		       const char *field, size_t *host)
{
	char name[NP_HOST_NAME];

	*host = all->hosts.count;
	if (take_name(json_object_get(object, field), name))
		*host = np_host_list_find(&all->hosts, name);
	return *host != all->hosts.count;
}

static int take_reason(struct np_pair_matrix *all, const json_t *object,
		       struct np_error *error)
{
	const char *reason = json_string_value(json_object_get(object, "reason"));
	struct np_pair_sample sample = { .size_count = 0 };

	if (!take_named(all, object, "from", &sample.one) ||
	    (!take_named(all, object, "to", &sample.other) &&
	     !json_is_null(json_object_get(object, "to"))))
		return np_malformed(error, "a pair names a host that is not of this run");
	if (reason == NULL)
		return np_malformed(error, "reason of an unmeasured pair is missing");
	if (sample.other == all->hosts.count)
		sample.other = sample.one;
	snprintf(sample.reason, sizeof(sample.reason), "%.*s", NP_FLEET_REASON - 1, reason);
	np_label_clean(sample.reason);
	return np_fleet_run_take(&all->run, &sample) == 0 ?
		       0 :
		       np_fail_errno(error, ENOMEM, "no memory for results");
}

static enum np_fleet_outcome outcome_of(const char *word)
{
	enum np_fleet_outcome outcome = 0;

	while (outcome < NP_FLEET_OUTCOMES && word != NULL &&
	       strcmp(np_fleet_outcomes[outcome], word) != 0)
		outcome++;
	return word != NULL ? outcome : NP_FLEET_OUTCOMES;
}

static int take_suspect(struct np_pair_matrix *all, const json_t *object,
			struct np_error *error)
{
	struct np_fleet_suspect suspect = {
		.outcome =
			outcome_of(json_string_value(json_object_get(object, "outcome"))),
		.left = log(np_field_number(object, "first")),
		.slower = log(np_field_number(object, "ratio")),
		.low = log(np_field_number(object, "low")),
		.high = log(np_field_number(object, "high")),
		.repeats = (size_t)np_field_whole(object, "looks"),
	};
	size_t bytes = 0;

	if (!take_named(all, object, "from", &suspect.one) ||
	    !take_named(all, object, "to", &suspect.other) || suspect.one == suspect.other)
		return np_malformed(error, "a pair names a host that is not of this run");
	if (suspect.outcome == NP_FLEET_OUTCOMES ||
	    !np_field_length(object, "bytes", &bytes))
		return np_malformed(error,
				    "outcome or bytes of the suspect is missing or wrong");
	for (size_t k = 0; k < all->run.size_count; k++) {
		if (bytes == all->run.bytes[k])
			return np_fleet_run_suspect(&all->run, k, &suspect) == 0 ?
				       0 :
				       np_fail_errno(error, ENOMEM,
						     "no memory for results");
	}
	return np_malformed(error, "bytes of the suspect, %zu, were not measured", bytes);
}

int np_pair_matrix_take(struct np_pair_matrix *all, const char *kind, const json_t *object,
			struct np_error *error)
{
	if (strcmp(kind, "round") == 0)
		return take_round(all, object, error);
	if (strcmp(kind, "unmeasured") == 0)
		return take_reason(all, object, error);
	if (strcmp(kind, "suspect") == 0)
		return take_suspect(all, object, error);
	if (strcmp(kind, "header") == 0)
		return np_malformed(
			error, "a header after hosts: put each run into a file of its own");
	/* Other fields of this line are derived; it marks the end of the run. */
	all->ended |= strcmp(kind, "fleet") == 0;
	return 0;
}
