/*
 * output_json_fleet.c - tournaments as result lines: rounds as they end, then hosts, groups
 * and suspects.
 */
#include <math.h>

#include "output/json_line.h"
#include "output/output.h"

static json_t *name_of(const struct np_fleet_run *run, size_t host)
{
	return json_string(run->hosts->hosts[host].name);
}

int np_json_hosts(FILE *file, const struct np_fleet_run *run,
		  const struct np_identity *identity, const char *module, const char *op,
		  struct np_error *error)
{
	json_t *names = json_array(), *addresses = json_array(), *groups = json_array();

	for (size_t i = 0; i < run->hosts->count; i++) {
		const struct np_host_entry *host = &run->hosts->hosts[i];

		json_array_append_new(names, json_string(host->name));
		json_array_append_new(addresses, json_string(host->address));
		json_array_append_new(groups, json_string(run->hosts->groups[host->group]));
	}
	return np_json_write_line(
		file,
		json_pack("{ss ss ss ss ss sb so so so so}", "kind", "hosts", "program",
			  identity->program, "version", identity->version, "module", module,
			  "op", op, "ranks", run->hosts->ranks, "slow",
			  np_json_number(run->fleets[0].slow), "hosts", names, "addresses",
			  addresses, "groups", groups),
		error);
}

static int write_failure(FILE *file, const struct np_fleet_run *run,
			 const struct np_pair_sample *sample, struct np_error *error)
{
	return np_json_write_line(
		file,
		json_pack("{ss so so ss}", "kind", "unmeasured", "from",
			  name_of(run, sample->one), "to",
			  sample->absent ? json_null() : name_of(run, sample->other),
			  "reason", sample->reason),
		error);
}

static json_t *average(double sum, size_t count)
{
	return np_json_number(count != 0 ? sum / (double)count : (double)NAN);
}

int np_json_round(FILE *file, const struct np_fleet_run *run,
		  const struct np_pair_sample *samples, size_t count, bool look,
		  struct np_error *error)
{
	json_t *from = json_array(), *to = json_array(), *bytes = json_array();
	json_t *seconds[NP_FLEET_SIZES] = { json_array(), json_array() };
	const struct np_pair_sample *last = NULL;
	double errors[NP_FLEET_SIZES] = { 0 };
	size_t known[NP_FLEET_SIZES] = { 0 };
	json_int_t degrees = 0;
	int rc = 0;

	for (size_t i = 0; i < count && rc == 0; i++) {
		const struct np_pair_sample *sample = &samples[i];

		if (sample->size_count == 0) {
			rc = sample->reason[0] != '\0' && !look ?
				     write_failure(file, run, sample, error) :
				     0;
			continue;
		}
		last = sample;
		degrees += sample->degrees;
		json_array_append_new(from, json_integer((json_int_t)sample->one));
		json_array_append_new(to, json_integer((json_int_t)sample->other));
		for (size_t k = 0; k < sample->size_count && k < NP_FLEET_SIZES; k++) {
			json_array_append_new(seconds[k],
					      np_json_number(sample->seconds[k]));
			errors[k] += isnan(sample->error[k]) ? 0 : sample->error[k];
			known[k] += isnan(sample->error[k]) ? 0 : 1;
		}
	}
	for (size_t k = 0; last != NULL && k < last->size_count; k++)
		json_array_append_new(bytes, json_integer((json_int_t)last->bytes[k]));
	json_t *line = json_pack("{ss sb so so so so so so so sI}", "kind", "round", "look",
				 look, "bytes", bytes, "from", from, "to", to, "smallest_s",
				 seconds[0], "largest_s", seconds[1], "smallest_error",
				 average(errors[0], known[0]), "largest_error",
				 average(errors[1], known[1]), "degrees", degrees);
	if (rc == 0 && last != NULL)
		return np_json_write_short(file, line, error);
	json_decref(line);
	return rc;
}

/* Adds the effect of a host or group. */
static void add_effect(json_t *line, const struct np_fleet_effect *found)
{
	json_object_set_new(line, "ratio", np_json_number(exp(found->effect)));
	json_object_set_new(line, "low", np_json_number(exp(found->low)));
	json_object_set_new(line, "high", np_json_number(exp(found->high)));
	json_object_set_new(line, "q", np_json_number(found->q));
	json_object_set_new(line, "slow", json_boolean(found->slow));
}

static int write_size(FILE *file, const struct np_fleet_run *run, size_t k,
		      struct np_error *error)
{
	const struct np_fleet *fleet = &run->fleets[k];
	const json_int_t bytes = (json_int_t)run->bytes[k];
	int rc = 0;

	for (size_t i = 0; i < fleet->hosts && rc == 0; i++) {
		const struct np_fleet_effect *found = &fleet->host_effects[i];
		json_t *line = json_pack(
			"{ss so ss sI sI so}", "kind", "host", "host", name_of(run, i),
			"group", run->hosts->groups[run->hosts->hosts[i].group], "bytes",
			bytes, "pairs", (json_int_t)run->measured[i], "median_s",
			np_json_number(np_fleet_run_typical(run, k, i)));

		add_effect(line, found);
		rc = np_json_write_line(file, line, error);
	}
	for (size_t g = 0; np_fleet_has_groups(fleet) && g < fleet->groups && rc == 0;
	     g++) {
		json_t *line = json_pack("{ss ss sI sb}", "kind", "group", "group",
					 run->hosts->groups[g], "bytes", bytes, "uplink",
					 fleet->group_effects[g].uplink);

		add_effect(line, &fleet->group_effects[g]);
		rc = np_json_write_line(file, line, error);
	}
	for (size_t i = 0; i < run->searches[k].suspect_count && rc == 0; i++) {
		const struct np_fleet_suspect *suspect = &run->searches[k].suspects[i];

		rc = np_json_write_line(
			file,
			json_pack("{ss so so sI ss so so so so sI}", "kind", "suspect",
				  "from", name_of(run, suspect->pair.one), "to",
				  name_of(run, suspect->pair.other), "bytes", bytes,
				  "outcome", np_fleet_outcome_name(suspect->outcome),
				  "first", np_json_number(exp(suspect->pair.left)), "ratio",
				  np_json_number(exp(suspect->slower)), "low",
				  np_json_number(exp(suspect->low)), "high",
				  np_json_number(exp(suspect->high)), "looks",
				  (json_int_t)suspect->repeats),
			error);
	}
	return rc;
}

int np_json_fleet(FILE *file, const struct np_fleet_run *run, struct np_error *error)
{
	const struct np_fleet_counts slow = np_fleet_run_slow(run);
	int rc = 0;

	for (size_t k = 0; k < run->size_count && rc == 0; k++)
		rc = write_size(file, run, k, error);
	if (rc != 0)
		return rc;
	return np_json_write_line(
		file,
		json_pack("{ss sI sI sI sI sI sI}", "kind", "fleet", "pairs",
			  (json_int_t)run->pairs, "rounds", (json_int_t)run->rounds,
			  "slow_hosts", (json_int_t)slow.hosts, "slow_pairs",
			  (json_int_t)slow.pairs, "slow_groups", (json_int_t)slow.groups,
			  "undecided", (json_int_t)slow.undecided),
		error);
}
