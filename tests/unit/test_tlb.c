/*
 * test_tlb.c - cpuid's answers of known processors, decoded.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "machine/topology.h"

struct answer {
	uint32_t leaf, subleaf;
	struct np_cpuid registers;
};

struct processor {
	const struct answer *answers;
	size_t count;
};

static bool read_processor(void *context, uint32_t leaf, uint32_t subleaf,
			   struct np_cpuid *registers)
{
	const struct processor *processor = context;

	for (size_t i = 0; i < processor->count; i++) {
		const struct answer *answer = &processor->answers[i];

		if (answer->leaf != leaf || answer->subleaf != subleaf)
			continue;
		*registers = answer->registers;
		return true;
	}
	return false;
}

static struct np_tlb decode(const struct answer *answers, size_t count)
{
	struct processor processor = { answers, count };

	return np_tlb_decode(read_processor, &processor);
}

/* Zen 4: 72 entries, and 3072 of the second level. */
static void amd(void **state)
{
	static const struct answer answers[] = {
		{ 0x80000005, 0, { 0xff48ff40, 0xff48ff40, 0x20080140, 0x20080140 } },
		{ 0x80000006, 0, { 0x5c002200, 0x6c004200, 0x04006140, 0x00009140 } },
	};
	const struct np_tlb tlb = decode(answers, 2);

	(void)state;
	assert_int_equal(tlb.level1_4k, 72);
	assert_int_equal(tlb.level1_2m, 72);
	assert_int_equal(tlb.level2_4k, 3072);
	assert_int_equal(tlb.level2_2m, 3072);
}

/* A second level that is switched off has an associativity of 0. */
static void amd_without_second(void **state)
{
	static const struct answer answers[] = {
		{ 0x80000005, 0, { 0xff08ff08, 0xff20ff20, 0, 0 } },
		{ 0x80000006, 0, { 0, 0x02000200, 0, 0 } },
	};
	const struct np_tlb tlb = decode(answers, 2);

	(void)state;
	assert_int_equal(tlb.level1_4k, 32);
	assert_int_equal(tlb.level2_4k, 0);
}

/* Parameters of leaf 0x18, as of Ice Lake: instructions, 64 entries of 4K and 32 of
 * 2M and 4M for loads, 16 for stores, 2048 shared by 4K and 2M. */
static void intel_parameters(void **state)
{
	static const struct answer answers[] = {
		{ 0x80000005, 0, { 0, 0, 0, 0 } },
		{ 0x80000006, 0, { 0, 0, 0x01006040, 0 } },
		{ 0x18, 0, { 5, 0, 0, 0 } },
		{ 0x18, 1, { 0, 0x00080001, 16, 0x00000022 } },
		{ 0x18, 2, { 0, 0x00040001, 16, 0x00000024 } },
		{ 0x18, 3, { 0, 0x00040006, 8, 0x00000024 } },
		{ 0x18, 4, { 0, 0x0010000f, 1, 0x00000125 } },
		{ 0x18, 5, { 0, 0x00080003, 256, 0x00000043 } },
	};
	const struct np_tlb tlb = decode(answers, 8);

	(void)state;
	assert_int_equal(tlb.level1_4k, 64);
	assert_int_equal(tlb.level1_2m, 32);
	assert_int_equal(tlb.level2_4k, 2048);
	assert_int_equal(tlb.level2_2m, 2048);
}

/* The descriptors that the manual prints as its example, and a later processor's:
 * registers whose highest bit is set are to be left alone. */
static void intel_descriptors(void **state)
{
	static const struct answer answers[] = {
		{ 2, 0, { 0x00035a01, 0x80c3c3c3, 0x00ca0000, 0 } },
	};
	const struct np_tlb tlb = decode(answers, 1);

	(void)state;
	assert_int_equal(tlb.level1_4k, 64);
	assert_int_equal(tlb.level1_2m, 32);
	assert_int_equal(tlb.level2_4k, 512);
	assert_int_equal(tlb.level2_2m, 0);
}

/* The lowest byte is no descriptor, though 0x01 could be one. */
static void nothing_said(void **state)
{
	static const struct answer answers[] = {
		{ 0x18, 0, { 0, 0, 0, 0 } },
		{ 2, 0, { 0x00feff01, 0, 0, 0 } },
	};
	const struct np_tlb tlb = decode(answers, 2);
	const struct np_tlb none = decode(NULL, 0);
	struct np_facts facts = { .count = 0 };
	struct np_error error = { .code = 0 };
	struct np_topology topology;

	(void)state;
	assert_int_equal(tlb.level1_4k, 0);
	assert_int_equal(none.level2_4k, 0);
	assert_int_equal(np_topology_open(&topology, &error), 0);
	topology.tlb = none;
	np_topology_describe(&topology, &facts);
	assert_string_equal(np_facts_find(&facts, "tlb_l2_entries"), "not reported");
	np_facts_free(&facts);
	np_topology_close(&topology);
}

static void this_processor(void **state)
{
	struct np_facts facts = { .count = 0 };
	struct np_error error = { .code = 0 };
	struct np_topology topology;

	(void)state;
	assert_int_equal(np_topology_open(&topology, &error), 0);
	const struct np_tlb tlb = topology.tlb;
	np_topology_describe(&topology, &facts);
	assert_non_null(np_facts_find(&facts, "tlb_l1_entries"));
	assert_non_null(np_facts_find(&facts, "tlb_l2_2m_entries"));
	/* A second level holds no fewer than the first. */
	assert_true(tlb.level2_4k == 0 || tlb.level2_4k >= tlb.level1_4k);
	np_facts_free(&facts);
	np_topology_close(&topology);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(amd),
		cmocka_unit_test(amd_without_second),
		cmocka_unit_test(intel_parameters),
		cmocka_unit_test(intel_descriptors),
		cmocka_unit_test(nothing_said),
		cmocka_unit_test(this_processor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
