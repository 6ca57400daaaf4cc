/*
 * tlb.c - capacity of the CPU's data TLBs, from three encodings of cpuid.
 */
#include "machine/tlb.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

static size_t field(uint32_t value, unsigned low, unsigned bits)
{
	return value >> low & ((1u << bits) - 1);
}

static void grow(size_t *entries, size_t more)
{
	if (more > *entries)
		*entries = more;
}

/* AMD: 8 bits for a first level, 12 for a second, which is absent if its associativity
 * is 0. */
static bool decode_amd(np_cpuid_reader *read, void *context, struct np_tlb *tlb)
{
	struct np_cpuid at;

	if (!read(context, 0x80000005, 0, &at))
		return false;
	tlb->level1_2m = field(at.eax, 16, 8);
	tlb->level1_4k = field(at.ebx, 16, 8);
	if (read(context, 0x80000006, 0, &at)) {
		tlb->level2_2m = field(at.eax, 28, 4) != 0 ? field(at.eax, 16, 12) : 0;
		tlb->level2_4k = field(at.ebx, 28, 4) != 0 ? field(at.ebx, 16, 12) : 0;
	}
	return tlb->level1_4k != 0;
}

/* Intel, deterministic address translation parameters (leaf 0x18): a subleaf for each TLB.
 * Where loads and stores have separate TLBs, the TLB for loads counts. */
static bool decode_parameters(np_cpuid_reader *read, void *context, struct np_tlb *tlb)
{
	enum { DATA = 1, UNIFIED = 3, LOADS = 4, SUBLEAVES_MAX = 64 };
	struct np_cpuid at;
	uint32_t last = 0;

	for (uint32_t i = 0; i <= last && i < SUBLEAVES_MAX; i++) {
		if (!read(context, 0x18, i, &at))
			return false;
		if (i == 0)
			last = at.eax;
		const size_t kind = field(at.edx, 0, 5), level = field(at.edx, 5, 3);
		const size_t entries = field(at.ebx, 16, 16) * at.ecx;

		if (kind != DATA && kind != UNIFIED && kind != LOADS)
			continue;
		if (field(at.ebx, 0, 1) != 0)
			grow(level == 1 ? &tlb->level1_4k : &tlb->level2_4k, entries);
		if (field(at.ebx, 1, 1) != 0)
			grow(level == 1 ? &tlb->level1_2m : &tlb->level2_2m, entries);
	}
	return tlb->level1_4k != 0;
}

/* Descriptor bytes of leaf 2 for data TLBs. */
struct descriptor {
	uint8_t byte;
	uint8_t level;
	uint16_t entries_4k, entries_2m;
};

static const struct descriptor descriptors[] = {
	{ 0x03, 1, 64, 0 },    { 0x04, 1, 0, 8 },	{ 0x05, 1, 0, 32 },
	{ 0x56, 1, 0, 16 },    { 0x57, 1, 16, 0 },	{ 0x59, 1, 16, 0 },
	{ 0x5a, 1, 0, 32 },    { 0x5b, 1, 64, 64 },	{ 0x5c, 1, 128, 128 },
	{ 0x5d, 1, 256, 256 }, { 0x63, 1, 0, 32 },	{ 0x64, 1, 512, 0 },
	{ 0xa0, 1, 32, 0 },    { 0xb3, 1, 128, 0 },	{ 0xb4, 2, 256, 0 },
	{ 0xba, 1, 64, 0 },    { 0xc0, 1, 8, 8 },	{ 0xc1, 2, 1024, 1024 },
	{ 0xc2, 1, 16, 16 },   { 0xc3, 2, 1536, 1536 }, { 0xc4, 1, 0, 32 },
	{ 0xca, 2, 512, 0 },
};

static void add_descriptor(size_t byte, struct np_tlb *tlb)
{
	for (size_t i = 0; i < sizeof(descriptors) / sizeof(*descriptors); i++) {
		const struct descriptor *it = &descriptors[i];

		if (it->byte != byte)
			continue;
		grow(it->level == 1 ? &tlb->level1_4k : &tlb->level2_4k, it->entries_4k);
		grow(it->level == 1 ? &tlb->level1_2m : &tlb->level2_2m, it->entries_2m);
	}
}

/* Intel, leaf 2.  The lowest byte of eax is always 1 and no descriptor; a register whose
 * highest bit is set has none. */
static bool decode_descriptors(np_cpuid_reader *read, void *context, struct np_tlb *tlb)
{
	struct np_cpuid at;

	if (!read(context, 2, 0, &at))
		return false;
	const uint32_t registers[] = { at.eax & ~0xffu, at.ebx, at.ecx, at.edx };
	for (size_t i = 0; i < 4; i++) {
		for (unsigned low = 0; low < 32 && registers[i] >> 31 == 0; low += 8)
			add_descriptor(field(registers[i], low, 8), tlb);
	}
	return tlb->level1_4k != 0;
}

struct np_tlb np_tlb_decode(np_cpuid_reader *read, void *context)
{
	struct np_tlb tlb = { .level1_4k = 0 };

	if (decode_amd(read, context, &tlb))
		return tlb;
	tlb = (struct np_tlb){ .level1_4k = 0 };
	if (decode_parameters(read, context, &tlb))
		return tlb;
	tlb = (struct np_tlb){ .level1_4k = 0 };
	if (!decode_descriptors(read, context, &tlb))
		tlb = (struct np_tlb){ .level1_4k = 0 };
	return tlb;
}

#if defined(__x86_64__) || defined(__i386__)
static bool read_cpuid(void *context, uint32_t leaf, uint32_t subleaf,
		       struct np_cpuid *answer)
{
	(void)context;
	return __get_cpuid_count(leaf, subleaf, &answer->eax, &answer->ebx, &answer->ecx,
				 &answer->edx) != 0;
}
#else
static bool read_cpuid(void *context, uint32_t leaf, uint32_t subleaf,
		       struct np_cpuid *answer)
{
	(void)context;
	(void)leaf;
	(void)subleaf;
	(void)answer;
	return false;
}
#endif

struct np_tlb np_tlb_find(void)
{
	return np_tlb_decode(read_cpuid, NULL);
}

static void describe(struct np_facts *facts, const char *name, size_t entries)
{
	if (entries != 0)
		np_facts_add_number(facts, name, entries, NP_UNIT_COUNT, NULL);
	else
		np_facts_add(facts, name, "not reported");
}

void np_tlb_describe(const struct np_tlb *tlb, struct np_facts *facts)
{
	describe(facts, "tlb_l1_entries", tlb->level1_4k);
	describe(facts, "tlb_l2_entries", tlb->level2_4k);
	describe(facts, "tlb_l1_2m_entries", tlb->level1_2m);
	describe(facts, "tlb_l2_2m_entries", tlb->level2_2m);
}
