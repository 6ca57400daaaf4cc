/*
 * json_kinds.c - fields of each kind of line that has a record.
 *
 * A new field is an entry here, a member of the record, and an item of netpong-results(5).
 */
#include "output/json_kinds.h"

#include "machine/probe.h"
#include "questions/capacity.h"
#include "questions/causes.h"
#include "questions/refined.h"
#include "results/findings.h"
#include "results/limit.h"

#define MODES	 NP_MODE_WORDS
#define FACTORS	 NP_FACTOR_WORDS
#define AXES	 "lines pages large_pages registrations queue_pairs send receive"
#define VERDICTS "unclear same faster slower"

// clang-format off
/* Entries.  RECORD is the record of the table. */
#define ENTRY(source, type, how, words, name, member)                                      \
	{ name, NP_FIELD_##type, how, words, NP_FIELD_##source, offsetof(RECORD, member),  \
	  sizeof(((RECORD *)0)->member) }
#define FIGURE(type, how, name, member) ENTRY(MEMBER, type, how, NULL, name, member)
#define WHOLE(name, member) FIGURE(WHOLE, 0, name, member)
#define NUMBER(name, member) FIGURE(NUMBER, 0, name, member)
#define OR_NULL(name, member) FIGURE(NUMBER, NP_FIELD_NULL, name, member)
#define OR_ZERO(name, member) FIGURE(NUMBER, NP_FIELD_NULL | NP_FIELD_ZERO, name, member)
#define SIGNED(name, member) FIGURE(SIGNED, NP_FIELD_NULL, name, member)
#define BOOL(name, member) FIGURE(BOOL, 0, name, member)
#define TEXT(name, member) FIGURE(TEXT, 0, name, member)
#define POINTER(name, member) ENTRY(POINTER, TEXT, 0, NULL, name, member)
#define WORD(how, words, name, member) ENTRY(MEMBER, TEXT, how, words, name, member)
#define VARIANT(member) ENTRY(VARIANT, TEXT, NP_FIELD_NULL, NULL, "variant", member)
#define UNITS                                                                              \
	ENTRY(UNITS, WHOLE, NP_FIELD_EITHER, NULL, "passes", units),                       \
	ENTRY(UNITS, WHOLE, NP_FIELD_EITHER, NULL, "runs", units)
#define SWEEP(axis, buffers)                                                               \
	WORD(NP_FIELD_OPTIONAL | NP_FIELD_ZERO, AXES, "axis", axis),                       \
	FIGURE(WHOLE, NP_FIELD_OPTIONAL, "buffers", buffers)
#define HAND(type, how, words, name)                                                       \
	{ name, NP_FIELD_##type, how, words, NP_FIELD_HAND, 0, 0 }
#define LIST(kind, name) HAND(OBJECTS, 0, kind, name)
#define COUNTS HAND(COUNTS, 0, NULL, "counts")
#define KIND(word) { "kind", NP_FIELD_TEXT, 0, word, NP_FIELD_KIND, 0, 0 }
#define OP { "op", NP_FIELD_TEXT, 0, NULL, NP_FIELD_OP, 0, 0 }
#define END { NULL, NP_FIELD_TEXT, 0, NULL, NP_FIELD_HAND, 0, 0 }

#define RECORD struct np_measured
const struct np_field np_visit_fields[] = {
	KIND("visit"), WHOLE("run", visit.run_index), WHOLE("pass", visit.pass),
	WHOLE("serial", visit.serial), WHOLE("bytes", visit.length), OP,
	WORD(0, MODES, "mode", visit.mode), VARIANT(visit.variant),
	TEXT("code_path", code_path), BOOL("sentinel", visit.sentinel),
	WHOLE("iterations", visit.messages), WHOLE("blocks", blocks),
	WHOLE("warmup_per_block", warmup_per_block),
	WHOLE("samples_per_block", samples_per_block),
	OR_ZERO("core_latency_ns", visit.core_latency_ns),
	HAND(WHOLES, 0, NULL, "warmup_ns"), HAND(WHOLES, 0, NULL, "samples_ns"), COUNTS,
	SWEEP(visit.axis, visit.buffers),
	WORD(NP_FIELD_OPTIONAL | NP_FIELD_ZERO, FACTORS, "condition", visit.factor),
	FIGURE(BOOL, NP_FIELD_OPTIONAL, "refine", visit.refine), END
};
#undef RECORD

#define RECORD struct np_warm_up
const struct np_field np_connection_fields[] = {
	KIND("connection"), WHOLE("run", run_index), WHOLE("pass", pass),
	WHOLE("bytes", length), WHOLE("messages", messages), WHOLE("after", after),
	NUMBER("first_s", first_s), NUMBER("steady_s", steady_s), BOOL("steady", steady),
	END
};
#undef RECORD

#define RECORD struct np_row
#define FLAGS                                                                              \
	ENTRY(MEMBER, FLAGS, 0,                                                            \
	      "no_interval imprecise page_faults not_steady host_state mixed_states",      \
	      "flags", flags)
#define TIMES                                                                              \
	NUMBER("median_s", median_s), OR_NULL("ci_low_s", ci_low_s),                       \
	OR_NULL("ci_high_s", ci_high_s), NUMBER("min_s", min_s), NUMBER("mean_s", mean_s), \
	OR_NULL("p50_s", p50_s), OR_NULL("p90_s", p90_s), OR_NULL("p99_s", p99_s),         \
	OR_NULL("p999_s", p999_s)
#define SAMPLES WHOLE("n", samples), WHOLE("iterations", batch)
const struct np_field np_row_fields[] = {
	KIND("row"), WHOLE("bytes", length), OP, WORD(0, MODES, "mode", mode),
	VARIANT(variant), POINTER("code_path", code_path), TIMES, SAMPLES, UNITS,
	NUMBER("mbps", mbps), NUMBER("messages_per_s", messages_per_s), FLAGS, COUNTS,
	SWEEP(axis, buffers), END
};
const struct np_field np_point_fields[] = {
	WHOLE("bytes", length), TIMES, NUMBER("mbps", mbps), SAMPLES, WHOLE("units", units),
	FLAGS, POINTER("code_path", code_path), END
};
#undef RECORD

#define RECORD struct np_pair
#define RATIOS                                                                             \
	NUMBER("ratio", ratio), OR_NULL("ratio_low", low), OR_NULL("ratio_high", high),    \
	OR_NULL("alone_low", alone_low), OR_NULL("alone_high", alone_high),                \
	OR_NULL("control_ratio", control_ratio), OR_NULL("control_low", control_low),      \
	OR_NULL("control_high", control_high)
#define JUDGED                                                                             \
	OR_NULL("adjusted_p", adjusted_p), OR_NULL("resolution", resolution),              \
	BOOL("unstable", unstable), WORD(0, VERDICTS, "verdict", verdict)
const struct np_field np_pair_fields[] = {
	KIND("pair"), WHOLE("bytes", length), OP, HAND(TEXT, 0, NULL, "of"),
	HAND(TEXT, NP_FIELD_NULL, MODES, "mode"),
	HAND(TEXT, NP_FIELD_NULL, NULL, "variant"), RATIOS, OR_NULL("p", p), JUDGED,
	HAND(NUMBERS, 0, NULL, "unit_ratios"), UNITS, LIST("change", "changes"),
	SWEEP(axis, buffers), END
};
const struct np_field np_ratio_fields[] = {
	WHOLE("bytes", length), RATIOS, JUDGED, WHOLE("units", units),
	LIST("change", "changes"), END
};
#undef RECORD

#define RECORD struct np_change
const struct np_field np_change_fields[] = {
	TEXT("count", name), NUMBER("base", base), NUMBER("over", over), NUMBER("p", p),
	NUMBER("adjusted_p", adjusted), END
};
#undef RECORD

#define RECORD struct np_cold_probe
const struct np_field np_probe_fields[] = {
	KIND("probe"), HAND(WHOLE, 0, NULL, "bytes"), HAND(WHOLE, 0, NULL, "rank"),
	WHOLE("lines", lines), NUMBER("reuse_ns", reuse_ns), NUMBER("rotate_ns", rotate_ns),
	NUMBER("cache_ns", cache_ns), NUMBER("translation_ns", translation_ns),
	WORD(0, "cold few_lines not_cold both_cold", "verdict", verdict), END
};
#undef RECORD

#define RECORD struct np_confirmed
const struct np_field np_break_fields[] = {
	KIND("break"), HAND(TEXT, 0, "step dropout bend bimodal", "what"),
	WHOLE("bytes_low", low), WHOLE("bytes_high", high), OP,
	WORD(0, MODES, "mode", mode), HAND(TEXT, NP_FIELD_NULL, NULL, "variant"),
	NUMBER("effect", effect), OR_NULL("effect_low", low_effect),
	OR_NULL("effect_high", high_effect), OR_NULL("p", p),
	OR_NULL("p_adjusted", adjusted), WHOLE("rounds", rounds),
	BOOL("other_state", other), BOOL("significant", sure), LIST("limit", "limits"), END
};
#undef RECORD

#define RECORD struct np_limit
const struct np_field np_limit_fields[] = {
	HAND(TEXT, 0, NULL, "fact"), HAND(TEXT, NP_FIELD_NULL, NULL, "source"),
	POINTER("label", label), WHOLE("bytes", bytes), WHOLE("times", times),
	WHOLE("header_bytes", header), END
};
#undef RECORD

#define RECORD struct np_refining
const struct np_field np_refinement_fields[] = {
	KIND("refinement"), WHOLE("gaps", gaps), WHOLE("gaps_left", gaps_left),
	WHOLE("gaps_clear", gaps_clear), WHOLE("searched_to_bytes", searched_to),
	WHOLE("visits", visits), NUMBER("seconds", seconds), END
};
#undef RECORD

#define RECORD struct np_capacity_point
const struct np_field np_capacity_fields[] = {
	KIND("capacity"), HAND(WHOLE, 0, NULL, "bytes"), OP,
	WORD(NP_FIELD_ZERO, AXES, "axis", axis), WHOLE("buffers", buffers),
	WHOLE("lines", touched.lines), WHOLE("touched_bytes", touched.bytes),
	WHOLE("pages", touched.pages), WHOLE("registrations", touched.registrations),
	NUMBER("median_s", seconds), OR_NULL("ci_low_s", low_s),
	OR_NULL("ci_high_s", high_s), NUMBER("ratio", ratio),
	OR_NULL("ratio_low", ratio_low), OR_NULL("ratio_high", ratio_high),
	OR_NULL("fresh", fresh), OR_NULL("fresh_low", fresh_low),
	OR_NULL("fresh_high", fresh_high),
	WORD(NP_FIELD_NULL, VERDICTS, "fresh_verdict", fresh_verdict), UNITS, END
};
#undef RECORD

#define RECORD struct np_knee
const struct np_field np_knee_fields[] = {
	KIND("knee"), HAND(WHOLE, 0, NULL, "bytes"), OP,
	WORD(NP_FIELD_ZERO, AXES, "axis", axis), WHOLE("buffers", buffers),
	WHOLE("buffers_next", next), WHOLE("buffers_low", low), WHOLE("buffers_high", high),
	WHOLE("touched_low_bytes", touched_low.bytes),
	WHOLE("touched_high_bytes", touched_high.bytes),
	WHOLE("pages_low", touched_low.pages), WHOLE("pages_high", touched_high.pages),
	WHOLE("registrations_low", touched_low.registrations),
	WHOLE("registrations_high", touched_high.registrations), NUMBER("effect", effect),
	NUMBER("p", p), BOOL("gradual", gradual), BOOL("open", open),
	WORD(0, "cache page_walk translation registration queue_pair unknown", "cause",
	     cause),
	TEXT("label", label), TEXT("verdict", verdict),
	HAND(TEXT, NP_FIELD_NULL, "bytes pages registrations queue_pairs", "unit"),
	OR_NULL("count", count), OR_NULL("count_low", count_low),
	OR_NULL("count_high", count_high), BOOL("repeats", repeats), END
};
#undef RECORD

#define RECORD struct np_causes
const struct np_field np_causes_fields[] = {
	KIND("causes"), WHOLE("bytes", length), OP, VARIANT(variant),
	NUMBER("reuse_s", reuse_s), NUMBER("rotate_s", rotate_s),
	WORD(0, "undecided nothing cpu translation both unknown", "verdict", verdict),
	UNITS, LIST("effect", "effects"), LIST("factor", "factors"), END
};
#undef RECORD

#define RECORD struct np_effect
const struct np_field np_effect_fields[] = {
	HAND(TEXT, 0, "whole cpu lines rest translation send recv", "of"),
	SIGNED("share", share), SIGNED("share_low", low), SIGNED("share_high", high),
	OR_NULL("p", p), BOOL("named", named), END
};
#undef RECORD

#define RECORD struct np_varied
const struct np_field np_factor_fields[] = {
	HAND(TEXT, 0, FACTORS, "factor"), WHOLE("units", units), NUMBER("reuse_s", reuse_s),
	SIGNED("cost", cost.share), SIGNED("cost_low", cost.low),
	SIGNED("cost_high", cost.high), SIGNED("change", change.share),
	SIGNED("change_low", change.low), SIGNED("change_high", change.high),
	OR_NULL("p", change.p), OR_NULL("adjusted_p", adjusted_p),
	WORD(NP_FIELD_ZERO, "undecided no_effect removes reduces adds", "verdict", verdict),
	END
};
#undef RECORD

#define RECORD struct np_findings
const struct np_field np_findings_fields[] = {
	KIND("findings"), HAND(BOOL, 0, NULL, "complete"), HAND(TEXT, 0, NULL, "reason"),
	HAND(NUMBER, NP_FIELD_NULL, NULL, "latency_s"),
	HAND(NUMBER, NP_FIELD_NULL, NULL, "peak_mbps"),
	HAND(WHOLE, NP_FIELD_NULL, NULL, "peak_bytes"), WHOLE("rows", rows),
	WHOLE("rows_precise", rows_precise),
	WHOLE("rows_bimodal", rows_bimodal), WHOLE("ratios", ratios),
	WHOLE("ratios_precise", ratios_precise), WHOLE("pairs", pairs),
	WHOLE("pairs_judged", pairs_judged), WHOLE("pairs_above_1", pairs_above),
	WHOLE("pairs_below_1", pairs_below), OR_ZERO("drift", sentinel.drift),
	OR_NULL("states_apart", sentinel.state_ratio),
	OR_ZERO("core_latency_ns", states.usual_ns), WHOLE("visits", states.visits),
	WHOLE("visits_other_state", states.other), LIST("new_connection", "new_connection"),
	LIST("cost", "costs"), LIST("comparison", "comparisons"),
	HAND(NUMBER, NP_FIELD_NULL, NULL, "least_mbps"),
	HAND(WHOLE, NP_FIELD_NULL, NULL, "least_minute"),
	LIST("slow_minute", "slow_minutes"), END
};
#undef RECORD

#define RECORD struct np_new_connection
const struct np_field np_new_connection_fields[] = {
	NUMBER("first_s", first_s), NUMBER("steady_s", steady_s), WHOLE("after", after),
	WHOLE("bytes", length), WHOLE("connections", connections), NUMBER("ratio", ratio),
	NUMBER("ratio_low", low), NUMBER("ratio_high", high),
	BOOL("significant", significant), END
};
#undef RECORD

#define RECORD struct np_cost
const struct np_field np_cost_fields[] = {
	HAND(TEXT, 0, NULL, "of"), VARIANT(like.variant), WHOLE("pairs", pairs),
	WHOLE("slower", verdicts[NP_SLOWER]), WHOLE("faster", verdicts[NP_FASTER]),
	WHOLE("same", verdicts[NP_SAME]), WHOLE("unclear", verdicts[NP_UNCLEAR]),
	WHOLE("unstable", unstable), OR_NULL("resolution", resolution),
	OR_NULL("resolution_most", resolution_most), LIST("range", "ranges"),
	LIST("slow_range", "slow_ranges"), END
};
#undef RECORD

#define RECORD struct np_pair_range
const struct np_field np_range_fields[] = {
	WHOLE("smallest_bytes", smallest), WHOLE("largest_bytes", largest),
	WHOLE("sizes", sizes), NUMBER("ratio", ratio), OR_NULL("ratio_low", low),
	OR_NULL("ratio_high", high), WORD(0, VERDICTS, "verdict", verdict), END
};
#undef RECORD

#define RECORD struct np_slow_range
const struct np_field np_slow_range_fields[] = {
	WHOLE("smallest_bytes", smallest), WHOLE("largest_bytes", largest),
	WHOLE("sizes", sizes), HAND(WHOLE, 0, NULL, "worst_bytes"),
	HAND(NUMBER, 0, NULL, "worst_ratio"), END
};
#undef RECORD

#define RECORD struct np_comparison
const struct np_field np_comparison_fields[] = {
	HAND(TEXT, 0, NULL, "of"), WORD(0, MODES, "mode", like.mode),
	NUMBER("ratio", ratio), NUMBER("ratio_least", least), NUMBER("ratio_most", most),
	WHOLE("pairs", pairs), WHOLE("pairs_above_1", above), WHOLE("pairs_below_1", below),
	WHOLE("smallest_bytes", smallest), WHOLE("largest_bytes", largest), END
};
