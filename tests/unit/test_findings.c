/*
 * test_findings.c - what rows are flagged for, and what a table says in a few
 * numbers.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>

#include "run/campaign.h"
#include "results/findings.h"
#include "visits.h"

/* Six passes within 2 % of 1 ms, with an interval within 1.71 %, as a row of that
 * precision. */
static unsigned flags_at_precision(double precision)
{
	struct np_results results;

	np_results_init(&results);
	results.precision = precision;
	for (unsigned pass = 0; pass < 6; pass++)
		add(&results, 64, NP_MODE_REUSE, pass, 980000 + 8000 * pass);
	const struct np_row row = only_row(&results);
	np_results_free(&results);
	return row.flags;
}

static void check_imprecise(void **state)
{
	(void)state;
	assert_int_equal(flags_at_precision(0.0172), 0);
	assert_int_equal(flags_at_precision(0.0171), NP_ROW_IMPRECISE);
	/* Nothing was asked for. */
	assert_int_equal(flags_at_precision(0), 0);
}

static void check_page_faults(void **state)
{
	(void)state;
	for (uint64_t faults = 0; faults < 2; faults++) {
		struct np_results results;
		struct np_table table;

		np_results_init(&results);
		for (unsigned pass = 0; pass < 6; pass++) {
			struct np_measured *measured =
				make(&results, 64, NP_MODE_REUSE, pass, 1000);

			np_counts_add(&measured->counts, "page_faults",
				      pass == 3 ? faults : 0);
			np_counts_add(&measured->counts, "retransmits", pass);
			add_made(&results, measured);
		}
		derive(&results, &table);
		assert_int_equal(table.row_count, 1);
		const struct np_row *row = &table.rows[0];
		assert_int_equal(row->flags, faults != 0 ? NP_ROW_PAGE_FAULTS : 0);
		assert_int_equal(row->count_count, 2);
		assert_int_equal(row->counts[0].value, faults);
		assert_string_equal(results.count_names[row->counts[1].name],
				    "retransmits");
		assert_int_equal(row->counts[1].value, 15);
		np_table_free(&table);
		np_results_free(&results);
	}
}

/* Slows the first third of each block by that many percent. */
static struct np_measured *slow_begin(struct np_measured *measured, uint64_t percent)
{
	for (size_t i = 0; i < BLOCKS * SAMPLES; i++) {
		if (i % SAMPLES < SAMPLES / 3)
			measured->samples_ns[i] += measured->samples_ns[i] * percent / 100;
	}
	return measured;
}

static unsigned flags_when_slowed(unsigned visits, uint64_t percent)
{
	struct np_results results;

	np_results_init(&results);
	for (unsigned pass = 0; pass < 6; pass++)
		add_made(&results, slow_begin(make(&results, 64, NP_MODE_REUSE, pass, 1000),
					      pass < visits ? percent : 0));
	const struct np_row row = only_row(&results);
	np_results_free(&results);
	return row.flags;
}

static void check_unsteady(void **state)
{
	(void)state;
	assert_int_equal(flags_when_slowed(6, 0), 0);
	assert_int_equal(flags_when_slowed(6, 8), 0);
	assert_int_equal(flags_when_slowed(6, 30), NP_ROW_UNSTEADY);
	/* Large in some visits only is chance, not a block that is too short. */
	assert_int_equal(flags_when_slowed(4, 30), 0);
}

/* Of nine visits, some in another state, which is twice as slow; probes tell. */
static struct np_row row_of_states(unsigned others)
{
	struct np_results results;

	np_results_init(&results);
	for (unsigned pass = 0; pass < 9; pass++)
		add(&results, 64, NP_MODE_REUSE, pass, pass < others ? 2000 : 1000)
			->other_state = pass < others;
	const struct np_row row = only_row(&results);
	np_results_free(&results);
	return row;
}

/* A row is of one state; of all states, flagged, where that alone gives an interval and
 * most units are of the usual one. */
static void check_other_state(void **state)
{
	struct np_row row = row_of_states(2);

	(void)state;
	assert_int_equal(row.flags, 0);
	assert_int_equal(row.units, 7);
	assert_true(near(row.median_s, 1e-6) && near(row.mean_s, 1e-6));
	row = row_of_states(4);
	assert_int_equal(row.flags, NP_ROW_MIXED);
	assert_int_equal(row.units, 9);
	assert_true(near(row.median_s, 1e-6));
	row = row_of_states(5);
	assert_int_equal(row.flags, NP_ROW_NO_INTERVAL | NP_ROW_OTHER_STATE);
	assert_int_equal(row.units, 4);
	assert_true(near(row.median_s, 1e-6));
	row = row_of_states(9);
	assert_int_equal(row.flags, NP_ROW_OTHER_STATE);
	assert_int_equal(row.units, 9);
	assert_true(near(row.median_s, 2e-6));
}

/* All visits of a size in another state: no verdict, however clear; its neighbour has. */
static void check_no_verdict_of_another_state(void **state)
{
	struct np_results results;
	struct np_table table;

	(void)state;
	np_results_init(&results);
	for (unsigned pass = 0; pass < 12; pass++) {
		for (size_t length = 64; length <= 128; length *= 2) {
			const bool other = length == 128;

			add(&results, length, NP_MODE_REUSE, pass, 1000 + pass % 3)
				->other_state = other;
			add(&results, length, NP_MODE_ROTATE, pass, 2000 + pass % 4)
				->other_state = other;
		}
	}
	assert_int_equal(np_table_derive(&results, &table), 0);
	assert_int_equal(table.pair_count, 2);
	assert_int_equal(table.pairs[0].verdict, NP_SLOWER);
	assert_int_equal(table.pairs[1].verdict, NP_UNCLEAR);
	assert_true(isnan(table.pairs[1].low) && table.pairs[1].ratio > 1.9);
	np_table_free(&table);
	np_results_free(&results);
}

static void check_flags_text(void **state)
{
	char text[96], small[8];

	(void)state;
	np_row_flags_text(0, text, sizeof(text));
	assert_string_equal(text, "");
	np_row_flags_text(NP_ROW_OTHER_STATE, text, sizeof(text));
	assert_string_equal(text, "host_state");
	np_row_flags_text(~0u, text, sizeof(text));
	assert_string_equal(text, "no_interval,imprecise,page_faults,not_steady,host_state,"
				  "mixed_states");
	np_row_flags_text(~0u, small, sizeof(small));
	assert_string_equal(small, "no_inte");
}

/* Slower at two sizes next to each other, faster at one, undecidable at none. */
static void check_costs(const struct np_findings *found)
{
	struct np_error error = { .code = 0 };

	assert_int_equal(found->cost_count, 1);
	const struct np_cost *cost = &found->costs[0];
	assert_int_equal(cost->pairs, 4);
	assert_int_equal(cost->verdicts[NP_SLOWER], 2);
	assert_int_equal(cost->verdicts[NP_FASTER], 1);
	assert_int_equal(cost->verdicts[NP_UNCLEAR], 1);
	assert_int_equal(cost->slow_range_count, 1);
	assert_int_equal(cost->slow_ranges[0].smallest, 1000);
	assert_int_equal(cost->slow_ranges[0].largest, 2000);
	assert_int_equal(cost->slow_ranges[0].sizes, 2);
	assert_int_equal(cost->slow_ranges[0].worst->length, 2000);
	assert_true(near(cost->slow_ranges[0].worst->ratio, 2));
	assert_true(isnan(cost->control_ratio));
	assert_int_equal(found->costs[0].verdicts[NP_SLOWER], 2);
	assert_int_equal(np_findings_fail(found, &error), -EDOM);
	assert_int_equal(error.kind, NP_ERROR_VERDICT);
}

static void check_findings(void **state)
{
	static const uint64_t rotate_ns[] = { 1050, 2600, 5000, 27000 };
	static const size_t lengths[] = { 1, 1000, 2000, 4000 };
	static const uint64_t reuse_ns[] = { 1000, 2000, 2500, 30000 };
	struct np_results results;
	struct np_table table;

	(void)state;
	np_results_init(&results);
	results.precision = 0.03;
	for (unsigned pass = 0; pass < 6; pass++) {
		for (size_t i = 0; i < 4; i++) {
			add(&results, lengths[i], NP_MODE_REUSE, pass, reuse_ns[i]);
			/* At one byte the passes disagree whether it costs. */
			add(&results, lengths[i], NP_MODE_ROTATE, pass,
			    rotate_ns[i] - (i == 0 ? 20 * pass : 0));
		}
	}
	derive(&results, &table);
	const struct np_findings found = np_findings_derive(&results, &table);
	assert_int_equal(found.latency->length, 1);
	assert_int_equal(found.latency->mode, NP_MODE_REUSE);
	/* 2000 bytes in 2.5 us: 6400 Mbit/s; the largest size is slower. */
	assert_int_equal(found.peak->length, 2000);
	assert_int_equal(found.peak->mode, NP_MODE_REUSE);
	assert_true(near(found.peak->mbps, 6400));
	assert_int_equal(found.pairs, 4);
	assert_int_equal(found.pairs_judged, 4);
	assert_int_equal(found.pairs_above, 2);
	assert_int_equal(found.pairs_below, 1);
	check_costs(&found);
	assert_int_equal(found.rows, 8);
	assert_int_equal(found.rows_precise, 7);
	assert_int_equal(found.rows_few_units, 0);
	assert_int_equal(found.states.visits, 48);
	/* A size of another host state alone is no peak. */
	for (size_t i = 0; i < table.row_count; i++)
		table.rows[i].flags |=
			table.rows[i].length == 2000 ? NP_ROW_OTHER_STATE : 0;
	assert_int_not_equal(np_findings_derive(&results, &table).peak->length, 2000);
	assert_true(found.sentinel.drift == 0);
	np_table_free(&table);
	/* A size of one pass has results in the table, without an interval. */
	add(&results, 8000, NP_MODE_REUSE, 0, 9000);
	add(&results, 8000, NP_MODE_ROTATE, 0, 9000);
	derive(&results, &table);
	assert_int_equal(np_findings_derive(&results, &table).rows_few_units, 2);
	np_table_free(&table);
	np_results_free(&results);
}

static void check_no_worst_pair(void **state)
{
	struct np_results results;
	struct np_table table;

	(void)state;
	np_results_init(&results);
	for (unsigned pass = 0; pass < 5; pass++) {
		add(&results, 64, NP_MODE_REUSE, pass, 1000);
		add(&results, 64, NP_MODE_ROTATE, pass, 9000);
	}
	derive(&results, &table);
	const struct np_findings found = np_findings_derive(&results, &table);
	assert_int_equal(found.pairs, 1);
	assert_int_equal(found.pairs_judged, 0);
	assert_int_equal(found.pairs_above, 0);
	assert_int_equal(found.costs[0].verdicts[NP_UNCLEAR], 1);
	assert_int_equal(found.costs[0].slow_range_count, 0);
	assert_true(isnan(found.costs[0].resolution));
	assert_int_equal(found.costs[0].verdicts[NP_SLOWER], 0);
	assert_int_equal(found.rows_few_units, 2);
	assert_int_equal(found.rows_precise, 0);
	np_table_free(&table);
	np_results_free(&results);
}

/* Connections whose first messages take `slower` times as long, but for one that met a
 * disturbance. */
static struct np_new_connection find_new(size_t count, double slower)
{
	const struct np_table empty = { .rows = NULL };
	struct np_results results;

	np_results_init(&results);
	for (unsigned pass = 0; pass < count; pass++) {
		const struct np_warm_up connection = {
			.pass = pass,
			.length = 4096,
			.messages = 64,
			.after = 8,
			.first_s = slower * 1e-6 * (1 + 0.001 * pass),
			.steady_s = pass == 2 ? 9e-6 : 1e-6 * (1 - 0.002 * (pass % 5)),
			.steady = true
		};

		assert_int_equal(np_results_add_warm_up(&results, &connection), 0);
	}
	const struct np_new_connection found =
		np_findings_derive(&results, &empty).new_connection;
	np_results_free(&results);
	return found;
}

static void check_new_connection(void **state)
{
	const struct np_new_connection found = find_new(20, 1.3);
	const double times = found.first_s / found.steady_s;

	(void)state;
	/* Medians of both times would have another ratio. */
	assert_true(fabs(times / found.ratio - 1) < 1e-12);
	assert_int_equal(found.connections, 20);
	assert_int_equal(found.length, 4096);
	assert_int_equal(found.after, 8);
	assert_true(found.significant && found.low > 1.3 && found.high < 1.33);
	/* Not by so much; and too few of them. */
	assert_false(find_new(20, 1.005).significant);
	assert_false(find_new(7, 1.3).significant);
	assert_true(isnan(find_new(7, 1.3).low));
	assert_int_equal(find_new(0, 1).connections, 0);
}

/* Sentinels of 1.0, 1.1, 1.0, 5.0, 9.0, 9.0, 1.2, 1.3 and 1.25 us: the middle
 * third, however slow, is neither the begin nor the end. */
static void check_drift(void **state)
{
	static const uint64_t medians[] = { 1000, 1100, 1000, 5000, 9000,
					    9000, 1200, 1300, 1250 };
	const struct np_table empty = { .rows = NULL };
	struct np_results results;
	struct np_findings found;

	(void)state;
	np_results_init(&results);
	results.runs = 2;
	for (unsigned pass = 0; pass < 9; pass++) {
		found = np_findings_derive(&results, &empty);
		assert_int_equal(found.sentinel.drift != 0, pass >= 3);
		add(&results, 64, NP_MODE_REUSE, pass, medians[pass])->sentinel = true;
		/* Not sentinels, of another run, in another state. */
		add(&results, 64, NP_MODE_REUSE, pass, 700000);
		struct np_visit *other = add(&results, 64, NP_MODE_REUSE, pass, 800000);
		other->sentinel = true;
		other->run_index = 1;
		struct np_visit *other_state =
			add(&results, 64, NP_MODE_REUSE, pass, 900000);
		other_state->sentinel = other_state->other_state = true;
	}
	found = np_findings_derive(&results, &empty);
	assert_true(near(found.sentinel.drift, 1.25));
	assert_int_equal(found.sentinel.length, 64);
	np_results_free(&results);
}

/* Sentinels of 10 us, some of them slower, one after another or alone. */
static struct np_sentinel find_states(uint64_t slow, const char *passes)
{
	struct np_results results;

	np_results_init(&results);
	for (unsigned pass = 0; passes[pass] != '\0'; pass++) {
		const uint64_t between = passes[pass] == '-' ? 17000 : 10000;
		const uint64_t ns =
			(passes[pass] == '^' ? slow : between) + 100 * (pass % 3);

		add(&results, 64, NP_MODE_REUSE, pass, ns)->sentinel = true;
		/* Another mode, and other sizes, take longer in any state. */
		add(&results, 64, NP_MODE_ROTATE, pass, 4 * ns)->sentinel = true;
		add(&results, 65536, NP_MODE_REUSE, pass, 9 * ns);
	}
	const struct np_sentinel sentinel = np_sentinel_of(&results);

	np_results_free(&results);
	return sentinel;
}

static void check_two_states(void **state)
{
	const struct np_sentinel two = find_states(30000, "..^^^..^....");

	(void)state;
	assert_true(two.state_ratio > 2.9 && two.state_ratio < 3.1);
	assert_int_equal(two.visits, 12);
	assert_int_equal(two.slower, 4);
	assert_true(find_states(30000, "^^..").state_ratio > 2.9);
	/* One visit is a disturbance, and less than a tenth of many is no state. */
	assert_true(near(find_states(30000, "..^.........").state_ratio, 1));
	assert_true(near(find_states(30000, ".........^^..............").state_ratio, 1));
	/* Not so far apart; and of none. */
	assert_true(near(find_states(14000, "..^^^..^....").state_ratio, 1));
	assert_true(near(find_states(14000, "").state_ratio, 1));
	assert_int_equal(find_states(14000, "").visits, 0);
	/* During one visit the state changed; of three that drift. */
	assert_true(find_states(30000, "....-^^^^^....").state_ratio > 2.9);
	assert_true(near(find_states(30000, "....---^^^^^").state_ratio, 1));
}

/* A run of one mode after that of another, as --buffers apart makes them. */
static void check_sentinel_of_one_mode(void **state)
{
	struct np_results results;

	(void)state;
	np_results_init(&results);
	for (unsigned pass = 0; pass < 12; pass++)
		add(&results, 64, pass < 6 ? NP_MODE_REUSE : NP_MODE_ROTATE, pass,
		    pass < 6 ? 1000 : 3000)
			->sentinel = true;
	const struct np_sentinel sentinel = np_sentinel_of(&results);

	np_results_free(&results);
	assert_true(near(sentinel.drift, 1) && near(sentinel.state_ratio, 1));
	assert_int_equal(sentinel.visits, 6);
}

/* Probes of 27 ns and two of 212 ns; one visit was not probed at all.  The state changed
 * during the visits before those of 212 ns. */
static void check_states_of_the_machine(void **state)
{
	const struct np_table empty = { .rows = NULL };
	struct np_results results;

	(void)state;
	np_results_init(&results);
	for (unsigned pass = 0; pass < 8; pass++) {
		struct np_visit *visit = add(&results, 64, NP_MODE_REUSE, pass, 1000);

		visit->serial = pass;
		visit->core_latency_ns = pass == 0 ? 0 : pass % 4 == 3 ? 212 : 27;
	}
	np_mark_host_states(&results);
	for (unsigned pass = 0; pass < 8; pass++)
		assert_int_equal(results.visits[pass]->other_state, pass % 4 >= 2);
	results.visits[3]->superseded = true;
	const struct np_findings found = np_findings_derive(&results, &empty);
	assert_int_equal(found.states.visits, 8);
	assert_int_equal(found.states.other, 4);
	assert_int_equal(found.states.redone, 1);
	assert_true(near(found.states.usual_ns, 27) && near(found.states.other_ns, 212));
	np_results_free(&results);
}

/* The usual state has the most visits; the median of all may lie in a rare one. */
static void check_usual_state(void **state)
{
	static const double probes[] = { 27, 28, 27, 29, 60, 160, 161, 159, 165 };
	/* Between threads of one core; and the width of a state as seen. */
	static const double of_one_core[] = { 28, 15, 15, 28, 28, 23, 40, 29, 28 };
	struct np_results results;

	(void)state;
	np_results_init(&results);
	for (unsigned pass = 0; pass < 9; pass++)
		add(&results, 64, NP_MODE_REUSE, pass, 1000)->core_latency_ns =
			probes[pass];
	np_mark_host_states(&results);
	/* Four and four: the faster, up to the visit during which it ends. */
	for (unsigned pass = 0; pass < 9; pass++)
		assert_int_equal(results.visits[pass]->other_state, pass >= 3);
	for (unsigned pass = 0; pass < 9; pass++)
		results.visits[pass]->core_latency_ns = of_one_core[pass];
	np_mark_host_states(&results);
	for (unsigned pass = 0; pass < 9; pass++)
		assert_int_equal(results.visits[pass]->other_state, pass < 3);
	np_results_free(&results);
}

/* What a run whose usual latency is 160 ns is seen as. */
static enum np_state_seen seen_with(const struct np_latency_bounds *bounds)
{
	struct np_results results;
	struct np_facts facts = { .count = 0 };

	np_results_init(&results);
	for (unsigned pass = 0; pass < 6; pass++)
		add(&results, 64, NP_MODE_REUSE, pass, 1000)->core_latency_ns = 160;
	/* By way of a file. */
	np_latency_bounds_to_facts(bounds, &facts);
	results.latency_bounds = np_latency_bounds_from_facts(&facts);
	assert_string_equal(results.latency_bounds.source, bounds->source);
	const struct np_host_states states = np_host_states_of(&results);
	np_facts_free(&facts);
	np_results_free(&results);
	return states.seen;
}

/* A run that is in one state throughout is told by what it is held against. */
static void check_state_of_the_run(void **state)
{
	struct np_latency_bounds bounds = { .most_ns = 0 };

	(void)state;
	assert_int_equal(seen_with(&bounds), NP_STATE_EXPECTED);
	bounds = (struct np_latency_bounds){ .most_ns = 100, .source = "x" };
	assert_int_equal(seen_with(&bounds), NP_STATE_SLOWER);
	bounds.most_ns = 250;
	assert_int_equal(seen_with(&bounds), NP_STATE_EXPECTED);
	np_latency_bounds_refer(&bounds, 27, "a.jsonl");
	assert_int_equal(seen_with(&bounds), NP_STATE_SLOWER);
	bounds.most_ns = 0;
	np_latency_bounds_refer(&bounds, 120, "a.jsonl");
	assert_int_equal(seen_with(&bounds), NP_STATE_EXPECTED);
	bounds.most_ns = 0;
	np_latency_bounds_refer(&bounds, 400, "a.jsonl");
	assert_int_equal(seen_with(&bounds), NP_STATE_FASTER);
	/* An earlier run in a slower state is no reason to expect one. */
	bounds = (struct np_latency_bounds){ .most_ns = 50, .source = "x" };
	np_latency_bounds_refer(&bounds, 100, "a.jsonl");
	assert_int_equal(seen_with(&bounds), NP_STATE_SLOWER);
	assert_string_equal(bounds.source, "x; a.jsonl has 100 ns, too slow as well");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_imprecise),
		cmocka_unit_test(check_page_faults),
		cmocka_unit_test(check_unsteady),
		cmocka_unit_test(check_other_state),
		cmocka_unit_test(check_no_verdict_of_another_state),
		cmocka_unit_test(check_flags_text),
		cmocka_unit_test(check_findings),
		cmocka_unit_test(check_no_worst_pair),
		cmocka_unit_test(check_new_connection),
		cmocka_unit_test(check_drift),
		cmocka_unit_test(check_two_states),
		cmocka_unit_test(check_sentinel_of_one_mode),
		cmocka_unit_test(check_states_of_the_machine),
		cmocka_unit_test(check_usual_state),
		cmocka_unit_test(check_state_of_the_run),
	};

	return cmocka_run_group_tests_name("findings", tests, NULL, NULL);
}
