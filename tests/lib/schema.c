/*
 * schema.c - the kinds of lines and their fields: those of records, from the tables that
 * write and read them (src/output/json_kinds.c), and those written by hand.
 *
 * A new field is an entry of a table and an item of netpong-results(5). The build makes
 * doc/netpong-results.schema.json from the tables.
 */
#include "schema.h"

#include <string.h>

// clang-format off
#define ENTRY(type, how, words, name)                                                      \
	{ name, NP_FIELD_##type, how, words, NP_FIELD_HAND, 0, 0 }
#define TEXT(name) ENTRY(TEXT, 0, NULL, name)
#define WHOLE(name) ENTRY(WHOLE, 0, NULL, name)
#define NUMBER(name) ENTRY(NUMBER, 0, NULL, name)
#define BOOL(name) ENTRY(BOOL, 0, NULL, name)
#define TEXTS(name) ENTRY(TEXTS, 0, NULL, name)
#define WHOLES(name) ENTRY(WHOLES, 0, NULL, name)
#define NUMBERS(name) ENTRY(NUMBERS, 0, NULL, name)
#define OR_NULL(type, name) ENTRY(type, NP_FIELD_NULL, NULL, name)
#define OF(type, words, name) ENTRY(type, 0, words, name)
#define UNITS                                                                              \
	ENTRY(WHOLE, NP_FIELD_EITHER, NULL, "passes"),                                     \
	ENTRY(WHOLE, NP_FIELD_EITHER, NULL, "runs")
#define KIND TEXT("kind")
#define END ENTRY(TEXT, 0, NULL, NULL)

static const struct np_field header_fields[] = {
	KIND, WHOLE("format"), TEXT("program"), TEXT("version"), TEXT("module"), TEXT("op"),
	TEXTS("variants"), OF(STRINGS, NULL, "options"), TEXT("given"), WHOLES("sizes"),
	WHOLE("sizes_left_out"), WHOLE("sizes_without_time"), OR_NULL(WHOLE, "longest"),
	WHOLE("pool_bytes"),
	ENTRY(TEXT, NP_FIELD_NULL, "memory registration", "pool_cut"),
	NUMBER("sample_s"), NUMBER("budget_s"), TEXT("clock"), NUMBER("clock_overhead_ns"),
	NUMBER("clock_resolution_ns"), BOOL("registers"), OF(FACTS, NULL, "transmitter"),
	OF(FACTS, NULL, "receiver"), OF(FACTS, NULL, "transmitter_path"),
	OF(FACTS, NULL, "receiver_path"), END
};
static const struct np_field fact_fields[] = {
	WHOLE("value"), OF(TEXT, "bytes count percent", "unit"), OR_NULL(TEXT, "source"),
	END
};
static const struct np_field condition_fields[] = {
	KIND, OF(TEXT, NP_FACTOR_WORDS, "factor"), BOOL("asked"), TEXT("base"),
	OR_NULL(TEXT, "other"), OR_NULL(TEXT, "reason"), END
};
static const struct np_field superseded_fields[] = {
	KIND, WHOLE("run"), WHOLE("serial"), END
};
static const struct np_field checked_fields[] = {
	KIND, WHOLE("bytes"), TEXT("op"), OF(TEXT, NP_MODE_WORDS, "mode"), OR_NULL(TEXT, "variant"),
	WHOLE("messages"), END
};
static const struct np_field slowest_fields[] = {
	KIND, WHOLE("rank"), TEXT("host"), OR_NULL(WHOLE, "core"), WHOLE("times"), UNITS,
	WHOLE("ranks"), NUMBER("p"), END
};
static const struct np_field tune_fields[] = {
	KIND, TEXT("variant"), TEXTS("set"), OF(OBJECTS, "tuned", "gains"),
	OF(OBJECTS, "tuned", "losses"), END
};
static const struct np_field tuned_fields[] = {
	TEXT("mode"), WHOLE("smallest"), WHOLE("largest"), WHOLE("sizes"), WHOLE("most_at"),
	NUMBER("ratio"), NUMBER("ratio_low"), NUMBER("ratio_high"), END
};
static const struct np_field expect_fields[] = {
	KIND, OF(TEXT, "latency bandwidth ratio stream_bandwidth message_rate", "quantity"),
	WHOLE("size"), OF(TEXT, "<= >=", "relation"), NUMBER("bound"),
	OF(TEXT, "pass fail undecided", "outcome"), OR_NULL(NUMBER, "value"),
	OR_NULL(NUMBER, "low"), OR_NULL(NUMBER, "high"), WHOLE("units"),
	NUMBER("error_rate"), NUMBER("indifference"), END
};
static const struct np_field quality_fields[] = {
	KIND, OF(TEXT, "good fair POOR", "grade"), TEXT("reason"), END
};
static const struct np_field slow_minute_fields[] = {
	WHOLE("bytes"), TEXT("mode"), OR_NULL(TEXT, "variant"), WHOLE("minute"),
	NUMBER("ratio"), NUMBER("p"), END
};
static const struct np_field hosts_fields[] = {
	KIND, TEXT("program"), TEXT("version"), TEXT("module"), TEXT("op"), BOOL("ranks"),
	NUMBER("slow"), TEXTS("hosts"), TEXTS("addresses"), TEXTS("groups"), END
};
static const struct np_field round_fields[] = {
	KIND, BOOL("look"), WHOLES("bytes"), WHOLES("from"), WHOLES("to"),
	NUMBERS("smallest_s"), NUMBERS("largest_s"), OR_NULL(NUMBER, "smallest_error"),
	OR_NULL(NUMBER, "largest_error"), WHOLE("degrees"), END
};
static const struct np_field unmeasured_fields[] = {
	KIND, TEXT("from"), OR_NULL(TEXT, "to"), TEXT("reason"), END
};
static const struct np_field host_fields[] = {
	KIND, TEXT("host"), TEXT("group"), WHOLE("bytes"), WHOLE("pairs"),
	OR_NULL(NUMBER, "median_s"), OR_NULL(NUMBER, "ratio"), OR_NULL(NUMBER, "low"),
	OR_NULL(NUMBER, "high"), OR_NULL(NUMBER, "q"), BOOL("slow"), END
};
static const struct np_field group_fields[] = {
	KIND, TEXT("group"), WHOLE("bytes"), BOOL("uplink"), OR_NULL(NUMBER, "ratio"),
	OR_NULL(NUMBER, "low"), OR_NULL(NUMBER, "high"), OR_NULL(NUMBER, "q"), BOOL("slow"),
	END
};
static const struct np_field suspect_fields[] = {
	KIND, TEXT("from"), TEXT("to"), WHOLE("bytes"),
	OF(TEXT, "slow crowded chance undecided unseen", "outcome"), NUMBER("first"),
	OR_NULL(NUMBER, "ratio"), OR_NULL(NUMBER, "low"), OR_NULL(NUMBER, "high"),
	WHOLE("looks"), END
};
static const struct np_field fleet_fields[] = {
	KIND, WHOLE("pairs"), WHOLE("rounds"), WHOLE("slow_hosts"), WHOLE("slow_pairs"),
	WHOLE("slow_groups"), WHOLE("undecided"), END
};
// clang-format on

/* Kinds in the order of the page. */
static const struct np_kind kinds[] = {
	{ "header", 0, header_fields },
	{ "fact", -1, fact_fields },
	{ "probe", 1, np_probe_fields },
	{ "condition", 1, condition_fields },
	{ "visit", 1, np_visit_fields },
	{ "superseded", 1, superseded_fields },
	{ "connection", 1, np_connection_fields },
	{ "break", 1, np_break_fields },
	{ "limit", -1, np_limit_fields },
	{ "refinement", 1, np_refinement_fields },
	{ "checked", 1, checked_fields },
	{ "row", 3, np_row_fields },
	{ "pair", 4, np_pair_fields },
	{ "change", -1, np_change_fields },
	{ "slowest", 2, slowest_fields },
	{ "causes", 5, np_causes_fields },
	{ "effect", -1, np_effect_fields },
	{ "factor", -1, np_factor_fields },
	{ "capacity", 2, np_capacity_fields },
	{ "knee", 2, np_knee_fields },
	{ "tune", 2, tune_fields },
	{ "tuned", -1, tuned_fields },
	{ "expect", 2, expect_fields },
	{ "quality", 2, quality_fields },
	{ "findings", 6, np_findings_fields },
	{ "slow_minute", -1, slow_minute_fields },
	{ "new_connection", -1, np_new_connection_fields },
	{ "cost", -1, np_cost_fields },
	{ "range", -1, np_range_fields },
	{ "slow_range", -1, np_slow_range_fields },
	{ "comparison", -1, np_comparison_fields },
	{ "hosts", 0, hosts_fields },
	{ "round", 1, round_fields },
	{ "unmeasured", 1, unmeasured_fields },
	{ "host", 2, host_fields },
	{ "group", 2, group_fields },
	{ "suspect", 2, suspect_fields },
	{ "fleet", 3, fleet_fields },
};

const struct np_kind *np_kind_at(size_t index)
{
	return index < sizeof(kinds) / sizeof(kinds[0]) ? &kinds[index] : NULL;
}

const struct np_kind *np_kind_find(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	}
	return NULL;
}
