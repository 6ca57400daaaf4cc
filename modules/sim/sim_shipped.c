/*
 * sim_shipped.c - profiles compiled into NPsim (.incbin), so that it needs no data files.
 */
#include "sim_private.h"

#define SHIP(symbol, file)                                                                 \
	__asm__(".pushsection .rodata\n"                                                   \
		".globl " symbol "\n"                                                      \
		".hidden " symbol "\n"                                                     \
		".type " symbol ", %object\n" symbol ":\n"                                 \
		".incbin \"" file "\"\n"                                                   \
		".byte 0\n"                                                                \
		".popsection\n")

SHIP("np_sim_plain", "plain.profile");
SHIP("np_sim_infiniband_2004", "infiniband-2004.profile");
SHIP("np_sim_ethernet_1g", "ethernet-1g.profile");
SHIP("np_sim_hca_200g", "hca-200g.profile");
SHIP("np_sim_loopback", "loopback.profile");
SHIP("np_sim_vmi_2003", "vmi-2003.profile");

extern const char np_sim_plain[];
extern const char np_sim_infiniband_2004[];
extern const char np_sim_ethernet_1g[];
extern const char np_sim_hca_200g[];
extern const char np_sim_loopback[];
extern const char np_sim_vmi_2003[];

const struct np_sim_shipped np_sim_shipped[] = {
	{ "plain", np_sim_plain },
	{ "infiniband-2004", np_sim_infiniband_2004 },
	{ "ethernet-1g", np_sim_ethernet_1g },
	{ "hca-200g", np_sim_hca_200g },
	{ "loopback", np_sim_loopback },
	{ "vmi-2003", np_sim_vmi_2003 },
	{ NULL, NULL },
};
