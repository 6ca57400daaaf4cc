/*
 * output.c - tournaments: a line for each host, slow hosts, groups and pairs,
 * failures; as text, and as result lines.
 */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "output/json_line.h"
#include "fleet/fleet.h"
#include "output/output.h"
#include "output/terminal.h"

static const char *name_of(const struct np_fleet_run *run, size_t host)
{
	return run->hosts->hosts[host].name;
}

static const char *what_of(const struct np_fleet_run *run)
{
	return run->hosts->ranks ? "rank" : "host";
}

/* ---- Hosts ------------------------------------------------------------------- */

static bool is_rate(const struct np_fleet_run *run, size_t k)
{
	return k + 1 == run->size_count && run->bytes[k] >= 4096;
}

/* Prints the time, or bandwidth at the largest size, of a host with an ordinary partner,
 * and its effect in the median polish: slowdown over the other hosts, with an asterisk if
 * slow. */
static void print_figure(FILE *file, const struct np_fleet_run *run, size_t k, size_t host)
{
	const struct np_fleet *fleet = &run->fleets[k];
	const struct np_fleet_effect *found = &fleet->host_effects[host];
	const double seconds = np_fleet_run_typical(run, k, host);
	char figure[32], slower[32] = "";

	if (isnan(seconds)) {
		fprintf(file, " %13s %9s", "-", "");
		return;
	}
	if (is_rate(run, k))
		np_text_rate(run->directions * 8e-6 * (double)run->bytes[k] / seconds,
			     figure, sizeof(figure));
	else
		np_text_us(seconds, figure, sizeof(figure));
	if (fabs(found->effect) < log(2))
		snprintf(slower, sizeof(slower), "%+.1f %%%s", 100 * expm1(found->effect),
			 found->slow ? "*" : "");
	else if (!isnan(found->effect))
		snprintf(slower, sizeof(slower), "%.3gx%s", exp(found->effect),
			 found->slow ? "*" : "");
	fprintf(file, " %13s %9s", figure, slower);
}

static void print_hosts(FILE *file, const struct np_fleet_run *run)
{
	char size[32];

	fprintf(file, "%-30s", what_of(run));
	for (size_t k = 0; k < run->size_count; k++) {
		np_text_bytes(run->bytes[k], size, sizeof(size));
		fprintf(file, " %13s %9s", size, "slower");
	}
	fputc('\n', file);
	for (size_t i = 0; i < run->hosts->count; i++) {
		fprintf(file, "%-30.30s", name_of(run, i));
		for (size_t k = 0; k < run->size_count; k++)
			print_figure(file, run, k, i);
		fputc('\n', file);
	}
	fputc('\n', file);
}

/* ---- Slow hosts, groups and pairs ------------------------------------------------ */

/* Prints the effect of a host or group, if it is slow or undecided. */
static void say_effect(FILE *file, const char *what, const char *name, size_t bytes,
		       const struct np_fleet_effect *found)
{
	char size[32], slower[96], sure[32];

	if (!found->slow && !found->undecided)
		return;
	np_text_bytes(bytes, size, sizeof(size));
	np_text_slower(exp(found->effect), exp(found->low), exp(found->high), slower,
		       sizeof(slower));
	np_text_percent(found->q, sure, sizeof(sure));
	np_say_plain(file, 4, "%s %s: %s at %s%s: %s than the others, FDR %s",
		     found->slow ? "slow" : "undecided", what, name, size,
		     found->slow && found->uplink ? ", but not within it" : "", slower,
		     sure);
}

static void say_suspect(FILE *file, const struct np_fleet_run *run, size_t bytes,
			const struct np_fleet_suspect *suspect)
{
	static const char *const words[NP_FLEET_OUTCOMES] = {
		[NP_FLEET_SLOW] = "slow pair",
		[NP_FLEET_CROWDED] = "crowded pair",
		[NP_FLEET_UNDECIDED] = "undecided pair",
		[NP_FLEET_UNSEEN] = "pair not looked at again",
	};
	char size[32], slower[96];

	if (words[suspect->outcome] == NULL)
		return;
	np_text_bytes(bytes, size, sizeof(size));
	/* A pair measured alone has a ratio with interval; others have their residual in
	 * the tournament. */
	if ((suspect->outcome == NP_FLEET_SLOW || suspect->outcome == NP_FLEET_UNDECIDED) &&
	    !isnan(suspect->slower))
		np_text_slower(exp(suspect->slower), exp(suspect->low), exp(suspect->high),
			       slower, sizeof(slower));
	else
		snprintf(slower, sizeof(slower), "%.1f %% slower",
			 100 * expm1(suspect->left));
	np_say_plain(file, 4, "%s: %s - %s at %s: %s than the other pairs of both%s",
		     words[suspect->outcome], name_of(run, suspect->one),
		     name_of(run, suspect->other), size, slower,
		     suspect->outcome == NP_FLEET_CROWDED ?
			     ", beside others; not so alone" :
			     "");
}

static void say_slow(FILE *file, const struct np_fleet_run *run, size_t k)
{
	const struct np_fleet *fleet = &run->fleets[k];
	const size_t bytes = run->bytes[k];

	for (size_t i = 0; i < fleet->hosts; i++)
		say_effect(file, what_of(run), name_of(run, i), bytes,
			   &fleet->host_effects[i]);
	for (size_t g = 0; g < fleet->groups; g++)
		say_effect(file, "group", run->hosts->groups[g], bytes,
			   &fleet->group_effects[g]);
	for (size_t i = 0; i < run->suspects[k].count; i++)
		say_suspect(file, run, bytes, &run->suspects[k].list[i]);
}

/* ---- Failures -------------------------------------------------------------------- */

/* Finds the first failure of a host without measured pairs; NULL: none. */
static const struct np_pair_sample *why_missing(const struct np_fleet_run *run, size_t host)
{
	const struct np_pair_sample *why = NULL;

	for (size_t i = 0; i < run->failure_count && why == NULL; i++) {
		const struct np_pair_sample *failure = &run->failures[i];

		if ((failure->one == host || failure->other == host) &&
		    np_fleet_run_is_of_host(run, failure))
			why = failure;
	}
	return why;
}

static void say_missing(FILE *file, const struct np_fleet_run *run)
{
	for (size_t i = 0; i < run->hosts->count; i++) {
		const struct np_pair_sample *why =
			run->measured[i] == 0 ? why_missing(run, i) : NULL;

		if (why != NULL)
			np_say_plain(file, 4, "not measured: %s: %s", name_of(run, i),
				     why->reason);
	}
	for (size_t i = 0; i < run->failure_count; i++) {
		const struct np_pair_sample *failure = &run->failures[i];

		if (!np_fleet_run_is_of_host(run, failure))
			np_say_plain(file, 4, "not measured: %s - %s: %s",
				     name_of(run, failure->one),
				     name_of(run, failure->other), failure->reason);
	}
}

void np_text_fleet_findings(FILE *file, const struct np_fleet_run *run)
{
	for (size_t k = 0; k < run->size_count; k++)
		say_slow(file, run, k);
	say_missing(file, run);
}

void np_text_fleet_answer(const struct np_fleet_run *run, char *text, size_t size)
{
	const size_t hosts = run->hosts->count, pairs = hosts * (hosts - 1) / 2;
	const struct np_fleet_counts slow = np_fleet_run_slow(run);
	const bool found = slow.hosts + slow.pairs + slow.groups != 0;
	char margin[32], what[120], undecided[40] = "";

	np_text_percent(run->fleets[0].slow, margin, sizeof(margin));
	if (slow.undecided != 0)
		snprintf(undecided, sizeof(undecided), "; undecided: %zu", slow.undecided);
	if (hosts < NP_FLEET_LEAST)
		snprintf(what, sizeof(what), "slow ones are told from four %ss on",
			 what_of(run));
	else if (found)
		snprintf(what, sizeof(what), "slow: %zu %s%s, %zu pair%s, %zu group%s",
			 slow.hosts, what_of(run), np_plural(slow.hosts), slow.pairs,
			 np_plural(slow.pairs), slow.groups, np_plural(slow.groups));
	else
		snprintf(what, sizeof(what), "none is %sslow by more than %s",
			 slow.undecided != 0 ? "found to be " : "", margin);
	snprintf(text, size, "%zu of %zu pair%s measured; %s%s", run->pairs, pairs,
		 np_plural(pairs), what, undecided);
}

void np_text_fleet(FILE *file, const struct np_fleet_run *run)
{
	char answer[NP_FLEET_ANSWER];

	if (run->size_count != 0)
		print_hosts(file, run);
	np_text_fleet_findings(file, run);
	if (np_fleet_run_slow(run).undecided != 0)
		np_say_plain(file, 4,
			     "what is undecided may be decided by longer rounds "
			     "(--time-budget) or by another margin (--slow)");
	np_text_fleet_answer(run, answer, sizeof(answer));
	fprintf(file, "%s\n", answer);
	fflush(file);
}

static json_t *json_name_of(const struct np_fleet_run *run, size_t host)
{
	return json_string(run->hosts->hosts[host].name);
}

int np_json_hosts(FILE *file, const struct np_fleet_run *run,
		  const struct np_fleet_names *what, struct np_error *error)
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
			  what->program, "version", what->version, "module", what->module,
			  "op", what->op, "ranks", run->hosts->ranks, "slow",
			  np_json_number(run->fleets[0].slow), "hosts", names, "addresses",
			  addresses, "groups", groups),
		error);
}

static int write_failure(FILE *file, const struct np_fleet_run *run,
			 const struct np_pair_sample *sample, struct np_error *error)
{
	return np_json_write_line(file,
				  json_pack("{ss so so ss}", "kind", "unmeasured", "from",
					    json_name_of(run, sample->one), "to",
					    sample->one == sample->other ?
						    json_null() :
						    json_name_of(run, sample->other),
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

/* Adds the effect of a host or group: ratio to the others, interval, FDR, and verdict. */
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
			"{ss so ss sI sI so}", "kind", "host", "host", json_name_of(run, i),
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
	for (size_t i = 0; i < run->suspects[k].count && rc == 0; i++) {
		const struct np_fleet_suspect *suspect = &run->suspects[k].list[i];

		rc = np_json_write_line(
			file,
			json_pack("{ss so so sI ss so so so so sI}", "kind", "suspect",
				  "from", json_name_of(run, suspect->one), "to",
				  json_name_of(run, suspect->other), "bytes", bytes,
				  "outcome", np_fleet_outcomes[suspect->outcome], "first",
				  np_json_number(exp(suspect->left)), "ratio",
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
