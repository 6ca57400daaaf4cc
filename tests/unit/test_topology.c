/*
 * test_topology.c - which core an end takes, on machines that hwloc makes up.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <hwloc.h>
#include <stdlib.h>

#include "machine/topology.h"

static void open_machine(struct np_topology *topology, const char *description)
{
	struct np_error error = { 0 };

	assert_int_equal(setenv("HWLOC_SYNTHETIC", description, 1), 0);
	assert_int_equal(np_topology_open(topology, &error), 0);
}

static int choose(const struct np_topology *topology, int rank, bool same_host, int node,
		  int taken)
{
	return np_topology_choose(topology,
				  &(struct np_core_choice){ rank, same_host, node, taken });
}

/* Two nodes of four cores: each end takes a core of its own, where it is told. */
static void check_nodes(void **state)
{
	struct np_topology topology;

	(void)state;
	open_machine(&topology, "numa:2 core:4 pu:1");
	assert_int_equal(topology.cores, 8);
	for (int node = 0; node < 2; node++) {
		for (int rank = 0; rank < 2; rank++) {
			const int core = choose(&topology, rank, true, node, -1);

			assert_int_equal(core, 4 * node + rank);
			assert_int_equal(np_topology_node_of(&topology, core), node);
		}
		/* Alone on a host: not the core that takes interrupts first. */
		assert_int_equal(choose(&topology, 0, false, node, -1), 4 * node + 1);
		assert_int_equal(choose(&topology, 1, false, node, -1), 4 * node + 1);
	}
	np_topology_close(&topology);
}

/* Without a device's place, or with one that is not there, all cores will do. */
static void check_any(void **state)
{
	static const int nodes[] = { -1, 2, 77 };
	struct np_topology topology;

	(void)state;
	open_machine(&topology, "numa:2 core:4 pu:1");
	for (size_t i = 0; i < sizeof(nodes) / sizeof(*nodes); i++) {
		assert_int_equal(choose(&topology, 0, true, nodes[i], -1), 0);
		assert_int_equal(choose(&topology, 1, true, nodes[i], -1), 1);
		assert_int_equal(choose(&topology, 0, false, nodes[i], -1), 1);
	}
	assert_int_equal(np_topology_node_of(&topology, -1), -1);
	assert_int_equal(np_topology_node_of(&topology, 8), -1);
	np_topology_close(&topology);
}

/* Physical cores before the second thread of one. */
static void check_threads(void **state)
{
	struct np_topology topology;

	(void)state;
	open_machine(&topology, "numa:2 core:2 pu:2");
	assert_int_equal(choose(&topology, 0, true, 1, -1), 4);
	assert_int_equal(choose(&topology, 1, true, 1, -1), 6);
	np_topology_close(&topology);
}

/* Two ends on the one core of the device's node would be worse than distance. */
static void check_small_node(void **state)
{
	struct np_topology topology;

	(void)state;
	open_machine(&topology, "numa:4 core:1 pu:1");
	assert_int_equal(choose(&topology, 0, true, 2, -1), 0);
	assert_int_equal(choose(&topology, 1, true, 2, -1), 1);
	assert_int_equal(choose(&topology, 1, false, 2, -1), 2);
	np_topology_close(&topology);
	open_machine(&topology, "core:1 pu:1");
	assert_int_equal(choose(&topology, 0, true, 0, -1), 0);
	assert_int_equal(choose(&topology, 1, true, -1, -1), 0);
	np_topology_close(&topology);
}

/* Only cores of the affinity mask are chosen, and not the peer's if there is another. */
static void check_mask(void **state)
{
	struct np_topology topology;

	(void)state;
	open_machine(&topology, "numa:2 core:2 pu:2");
	hwloc_bitmap_only(topology.allowed, 3);
	for (int rank = 0; rank < 2; rank++) {
		assert_int_equal(choose(&topology, rank, true, -1, -1), 3);
		assert_int_equal(choose(&topology, rank, false, 1, -1), 3);
	}
	assert_int_equal(choose(&topology, 0, true, -1, 3), 3);
	/* Threads of one core, of which the peer has one. */
	hwloc_bitmap_set(topology.allowed, 2);
	assert_int_equal(choose(&topology, 0, true, -1, 2), 3);
	assert_int_equal(choose(&topology, 0, true, -1, 3), 2);
	/* A core beside them, on the node of the device or on the other one. */
	hwloc_bitmap_set(topology.allowed, 5);
	for (int node = -1; node < 2; node++) {
		assert_int_equal(choose(&topology, 0, true, node, 2), 5);
		assert_int_equal(choose(&topology, 0, true, node, -1), 2);
		assert_int_equal(choose(&topology, 1, true, node, -1), 5);
	}
	assert_int_equal(choose(&topology, 1, false, 1, -1), 5);
	np_topology_close(&topology);
}

static void check_shared_by(const char *machine, int other, unsigned most_ns,
			    const char *what)
{
	struct np_topology topology;

	open_machine(&topology, machine);
	const struct np_shared shared = np_shared_of(&topology, 0, other);
	assert_int_equal(shared.most_ns, most_ns);
	assert_string_equal(shared.what, what);
	np_topology_close(&topology);
}

/* The nearest thing that two cores share bounds the time of a line between them. */
static void check_shared(void **state)
{
	static const char machine[] = "pack:2 l3:2 core:2 pu:2";

	(void)state;
	check_shared_by(machine, 1, 20, "cores 0 and 1 are threads of one core");
	check_shared_by(machine, 2, 100, "cores 0 and 2 share an L3 cache");
	check_shared_by(machine, 4, 250, "cores 0 and 4 are in one package");
	check_shared_by(machine, 8, 500, "cores 0 and 8 are in two packages");
	check_shared_by("pack:1 l2:1 core:2 pu:1", 1, 100,
			"cores 0 and 1 share an L2 cache");
	/* One core, not bound, or none of this machine. */
	check_shared_by(machine, 0, 0, "");
	check_shared_by(machine, -1, 0, "");
	check_shared_by(machine, 77, 0, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_nodes),	 cmocka_unit_test(check_any),
		cmocka_unit_test(check_threads), cmocka_unit_test(check_small_node),
		cmocka_unit_test(check_mask),	 cmocka_unit_test(check_shared),
	};

	return cmocka_run_group_tests_name("topology", tests, NULL, NULL);
}
