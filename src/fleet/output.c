/*
 * output.c - text of tournaments: a line for each host, slow hosts, groups and pairs,
 * failures.
 */
#include <math.h>
#include <string.h>

#include "base/units.h"
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

/* ---- What is slow ---------------------------------------------------------------- */

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

/* ---- What is missing -------------------------------------------------------------- */

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
