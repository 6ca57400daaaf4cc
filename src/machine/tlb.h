/*
 * tlb.h - capacity of the CPU's data TLBs, from cpuid.
 *
 * hwloc reports caches but no TLB. Processors other than x86 report none here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/facts.h"

/* Number of entries; 0: not reported.  Entries shared by both page sizes count for
 * both. */
struct np_tlb {
	size_t level1_4k, level2_4k;
	size_t level1_2m, level2_2m;
};

/* The registers that cpuid returns for a leaf and subleaf. */
struct np_cpuid {
	uint32_t eax, ebx, ecx, edx;
};
typedef bool np_cpuid_reader(void *context, uint32_t leaf, uint32_t subleaf,
			     struct np_cpuid *answer);

/* Reads the TLBs of this processor. */
struct np_tlb np_tlb_find(void);

/*
 * Decodes cpuid; `read` returns false for an unsupported leaf.  References: AMD64
 * Architecture Programmer's Manual, volume 3, appendix E.4.4 (leaves 0x80000005 and
 * 0x80000006); Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2A,
 * CPUID (leaves 0x18, and 2 with its table of descriptors).
 */
struct np_tlb np_tlb_decode(np_cpuid_reader *read, void *context);

/* Adds tlb_l1_entries, tlb_l2_entries, tlb_l1_2m_entries and tlb_l2_2m_entries. */
void np_tlb_describe(const struct np_tlb *tlb, struct np_facts *facts);
