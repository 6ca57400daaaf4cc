/*
 * test_ibv_gid.c - device, port and GID: by the address of the control connection, of
 * this network namespace, routable first; and reasons why others are not usable.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ibv_requests.h"
#include "ibv_rig.h"

/* Indices of the device in memory: fake_verbs_device.c. */
enum { LINK_LOCAL_V2 = 1, IPV4_V2 = 3 };

static struct sockaddr_storage address_of(const char *text)
{
	struct sockaddr_storage address;
	struct sockaddr_in *four = (struct sockaddr_in *)&address;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&address;

	memset(&address, 0, sizeof(address));
	if (inet_pton(AF_INET, text, &four->sin_addr) == 1) {
		address.ss_family = AF_INET;
	} else {
		assert_int_equal(inet_pton(AF_INET6, text, &six->sin6_addr), 1);
		address.ss_family = AF_INET6;
	}
	return address;
}

/* Opens with a control connection from this address (NULL: none). */
static int open_from(const char *from, const char *name, struct np_ibv_device *device,
		     struct np_error *error)
{
	struct np_ibv_options options = default_options();
	struct sockaddr_storage control;

	options.device = name;
	*error = (struct np_error){ .code = 0 };
	if (from == NULL)
		return np_ibv_device_open(device, &options, NULL, error);
	control = address_of(from);
	return np_ibv_device_open(device, &options, &control, error);
}

static void assert_chosen(const char *from, const char *name, const char *device, int gid)
{
	struct np_ibv_device chosen;
	struct np_error error;

	if (open_from(from, name, &chosen, &error) != 0)
		fail_msg("%s", error.text);
	assert_string_equal(chosen.name, device);
	assert_int_equal(chosen.gid_index, gid);
	np_ibv_device_close(&chosen);
	ibv_rig_check();
}

static void test_control_address(void **state)
{
	(void)state;
	assert_chosen(NULL, NULL, "fake0", IPV4_V2);
	assert_chosen("192.0.0.1", NULL, "fake0", IPV4_V2);
	assert_chosen("192.0.0.2", NULL, "fake1", IPV4_V2);
	assert_chosen("::ffff:192.0.0.2", NULL, "fake1", IPV4_V2);
	/* The address in use, though it is link-local. */
	assert_chosen("fe80::2", NULL, "fake1", LINK_LOCAL_V2);
	/* A network that no device is in. */
	assert_chosen("198.51.100.1", NULL, "fake0", IPV4_V2);
	/* -D decides. */
	assert_chosen("192.0.0.2", "fake0", "fake0", IPV4_V2);
}

static void test_other_namespace(void **state)
{
	struct np_ibv_device device;
	struct np_error error;

	(void)state;
	ibv_rig_device(0)->elsewhere = true;
	assert_chosen(NULL, NULL, "fake1", IPV4_V2);
	assert_chosen("192.0.0.1", NULL, "fake1", IPV4_V2);
	assert_int_equal(open_from(NULL, "fake0", &device, &error), -EADDRNOTAVAIL);
	assert_non_null(strstr(error.text, "no port to use: fake0:1"));
	assert_non_null(strstr(error.text, "another network namespace"));
	np_ibv_device_close(&device);

	/* Whoever names a GID has it. */
	struct np_ibv_options options = default_options();

	options.device = "fake0";
	options.gid_index = "3";
	assert_int_equal(np_ibv_device_open(&device, &options, NULL, &error), 0);
	assert_int_equal(device.gid_index, IPV4_V2);
	np_ibv_device_close(&device);
	ibv_rig_check();
}

static void assert_address(const char *control, bool other_network, const char *address)
{
	struct sockaddr_storage from = address_of(control != NULL ? control : "::");
	struct np_ibv_network network;
	union ibv_gid gid, found;
	char text[INET6_ADDRSTRLEN];
	unsigned index;

	np_ibv_network_open(&network, control != NULL ? &from : NULL);
	fake_verbs_gid(1, 0, &gid);
	if (other_network)
		gid.raw[14] = 1;
	assert_int_equal(np_ibv_network_address(&network, &gid, &found, &index),
			 address != NULL);
	np_ibv_network_close(&network);
	if (address == NULL)
		return;
	assert_non_null(inet_ntop(AF_INET6, found.raw, text, sizeof(text)));
	assert_string_equal(text, address);
}

/* IP addresses for librdmacm, of GIDs that are such, of IPoIB and of iWARP. */
static void test_addresses(void **state)
{
	(void)state;
	assert_address(NULL, false, "fe80::2");
	assert_address(NULL, true, NULL);
	ibv_rig_device(1)->ethernet = false;
	assert_address(NULL, false, "::ffff:192.0.0.2");
	assert_address("fe80::2", false, "fe80::2");
	assert_address("fe80::1", false, "::ffff:192.0.0.2");
	assert_address(NULL, true, NULL);
	ibv_rig_device(1)->ethernet = true;
	ibv_rig_device(1)->device.transport_type = IBV_TRANSPORT_IWARP;
	assert_address(NULL, false, "::ffff:192.0.0.2");
	assert_address(NULL, true, NULL);
}

/* The device whose IPoIB interface carries the control connection. */
static void test_ipoib(void **state)
{
	(void)state;
	ibv_rig_device(0)->ethernet = false;
	ibv_rig_device(1)->ethernet = false;
	assert_chosen("192.0.0.2", NULL, "fake1", 0);
	assert_chosen("192.0.0.1", NULL, "fake0", 0);
}

static void test_no_gids(void **state)
{
	struct np_ibv_device device;
	struct np_error error;

	(void)state;
	ibv_rig_device(0)->no_gids = true;
	assert_chosen(NULL, NULL, "fake1", IPV4_V2);
	assert_int_equal(open_from(NULL, "fake0", &device, &error), -EADDRNOTAVAIL);
	assert_non_null(strstr(error.text, "fake0:1 has no GID"));
	np_ibv_device_close(&device);
}

/* Found by its interface, without partition keys; what it does not have is refused. */
static void test_iwarp(void **state)
{
	static const char *const refused[] = { "send_recv_with_imm", "rdma_write_with_imm",
					       "ud", "fetch_and_add", "compare_and_swap" };
	struct np_ibv_device device;
	struct np_error error;

	(void)state;
	ibv_rig_device(1)->device.transport_type = IBV_TRANSPORT_IWARP;
	assert_chosen(NULL, NULL, "fake0", IPV4_V2);
	assert_chosen("192.0.0.2", NULL, "fake1", 0);
	for (int transport = 0; transport < NP_IBV_TRANSPORTS; transport++) {
		struct np_ibv_options options = default_options();
		bool wanted = true;

		for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
			wanted &=
				strcmp(np_ibv_transport_names[transport], refused[i]) != 0;
		error.code = 0;
		options.transport = transport;
		options.device = "fake1";
		assert_int_equal(np_ibv_device_open(&device, &options, NULL, &error),
				 wanted ? 0 : -EOPNOTSUPP);
		if (!wanted)
			assert_non_null(strstr(error.text, "fake1 is iWARP, which has no"));
		np_ibv_device_close(&device);
	}
	ibv_rig_check();
}

/* A device that is down and one of another namespace: both reasons. */
static void test_every_reason(void **state)
{
	struct np_ibv_device device;
	struct np_error error;

	(void)state;
	ibv_rig_device(0)->port_state = IBV_PORT_DOWN;
	ibv_rig_device(1)->elsewhere = true;
	assert_int_equal(open_from(NULL, NULL, &device, &error), -ENETDOWN);
	assert_non_null(strstr(error.text, "fake0:1 is down, fake1:1 has GIDs of another"));
	np_ibv_device_close(&device);
	ibv_rig_check();
}

static bool lists(const struct np_facts *facts, const char *name, const char *words)
{
	for (size_t i = 0; i < facts->count; i++) {
		if (strcmp(facts->list[i].name, name) == 0 &&
		    strstr(facts->list[i].text, words) != NULL)
			return true;
	}
	return false;
}

static void test_list(void **state)
{
	static struct np_facts facts;
	struct np_error error = { .code = 0 };

	(void)state;
	ibv_rig_device(0)->elsewhere = true;
	assert_int_equal(np_module_ibv.device->list(NULL, &facts, &error), 0);
	assert_true(lists(&facts, "fake0:1", "active, Ethernet"));
	assert_true(lists(&facts, "fake0:1 GID 3", "RoCE v2 ::ffff:192.0.0.1, not usable"));
	assert_true(lists(&facts, "fake0:1 GID 3", "another network namespace"));
	assert_true(lists(&facts, "fake1:1 GID 3", "RoCE v2 ::ffff:192.0.0.2, eth1"));
	assert_true(lists(&facts, "fake1:1 GID 0", "RoCE v1 fe80::2, eth1"));
	np_facts_free(&facts);

	fake_verbs_reset();
	ibv_rig_device(0)->device.transport_type = IBV_TRANSPORT_IWARP;
	ibv_rig_device(1)->port_state = IBV_PORT_DOWN;
	ibv_rig_device(1)->no_gids = true;
	assert_int_equal(np_module_ibv.device->list(NULL, &facts, &error), 0);
	assert_true(lists(&facts, "fake0:1 GID 0", "iWARP 200:0:1::, eth0"));
	assert_true(lists(&facts, "fake1:1", "not usable: down"));
	assert_true(lists(&facts, "fake1:1 GID", "no GID"));
	np_facts_free(&facts);
	ibv_rig_check();
}

/* Both ends' addresses, and the port. */
static void test_not_connected(void **state)
{
	static const char *const settings[] = { "qps=1", NULL };
	static const struct ibv_rig_words expected = {
		NP_ERROR_FAILED,
		EHOSTUNREACH,
		{ "to RTR", "fake1", "here GID ::ffff:192.0.0.2, RoCE v2",
		  "at the peer GID ::ffff:192.0.0.1, RoCE v2" }
	};

	(void)state;
	ibv_rig_refuse(1, FAKE_MODIFY_TO_RTR, 1, EHOSTUNREACH);
	ibv_rig_fails(settings, ibv_rig_ping_pong, 1, &expected);
}

static int look_at_path(struct two_ends *pair, struct np_error *error)
{
	static const char *const names[] = { "traffic_class", "service_level", "hop_limit",
					     "flow_label" };
	struct np_facts facts = { .count = 0 };
	const int rc = ibv_rig_ping_pong(pair, error);

	if (rc != 0)
		return rc;
	np_module_ibv.describe(pair->process.endpoint, &facts);
	for (size_t i = 0, found = 0; i < facts.count; i++) {
		for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
			if (strcmp(facts.list[i].name, names[k]) != 0)
				continue;
			assert_int_equal(facts.list[i].number, 11 + k);
			found++;
		}
		assert_true(i + 1 < facts.count || found == sizeof(names) / sizeof(*names));
	}
	np_facts_free(&facts);
	return 0;
}

/* Options of the path are attributes of the queue pairs. */
static void test_path(void **state)
{
	static const char *const settings[] = { "traffic-class=11", "service-level=12",
						"hop-limit=13", "flow-label=14", NULL };

	(void)state;
	ibv_rig_succeeds(settings, look_at_path);
}

static void test_link_layers(void **state)
{
	static const struct ibv_rig_words expected = {
		NP_ERROR_FAILED,
		ENETUNREACH,
		{ "fake0:1 is RoCE", "peer's port is InfiniBand", "-D" }
	};

	(void)state;
	ibv_rig_device(1)->ethernet = false;
	ibv_rig_fails(NULL, ibv_rig_ping_pong, 0, &expected);
}

/* The control connection goes by a management network: the first port is a guess, unless
 * there is one, or -D. */
static void test_guess(void **state)
{
	static const struct {
		const char *from, *name;
		bool one;
		unsigned guessed;
	} cases[] = {
		{ "198.51.100.1", NULL, false, 2 }, { "192.0.0.2", NULL, false, 0 },
		{ "fe80::2", NULL, false, 0 },	    { "198.51.100.1", "fake1", false, 0 },
		{ "198.51.100.1", NULL, true, 0 },  { NULL, NULL, false, 0 },
		{ "127.0.0.1", NULL, false, 0 },    { "::1", NULL, false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct np_ibv_device device;
		struct np_error error;

		if (cases[i].one)
			ibv_rig_device(1)->port_state = IBV_PORT_DOWN;
		assert_int_equal(open_from(cases[i].from, cases[i].name, &device, &error),
				 0);
		assert_int_equal(device.guessed, cases[i].guessed);
		np_ibv_device_close(&device);
		ibv_rig_device(1)->port_state = IBV_PORT_ACTIVE;
	}
}

static int look_at_bond(struct two_ends *pair, struct np_error *error)
{
	struct np_facts facts = { .count = 0 };
	const int rc = ibv_rig_ping_pong(pair, error);

	if (rc != 0)
		return rc;
	np_ibv_of(pair->process.endpoint)->device.guessed = 4;
	np_module_ibv.describe(pair->process.endpoint, &facts);
	if (pair->boot.rank == 0) {
		assert_true(lists(&facts, "adapter", "LAG eth0, first of 4 ports (-D)"));
		assert_true(lists(&facts, "lag", "eth0: a queue pair goes by one"));
		assert_true(lists(&facts, "port_choice", "first of 4 usable ports"));
	} else {
		assert_null(np_facts_find(&facts, "lag"));
	}
	np_facts_free(&facts);
	return 0;
}

/* RoCE over a bond of interfaces. */
static void test_bond(void **state)
{
	(void)state;
	ibv_rig_device(0)->bonded = true;
	ibv_rig_succeeds(NULL, look_at_bond);
}

/* Two ends that address each other by different versions of RoCE, as where one of them has
 * no IPv4 address. */
static void test_versions(void **state)
{
	static const struct ibv_rig_words expected = {
		NP_ERROR_FAILED,
		ENETUNREACH,
		{ "different versions of RoCE", "here GID ::ffff:192.0.0.1, RoCE v2",
		  "at the peer GID ::ffff:192.0.0.2, RoCE v1", "--gid-index",
		  "--list-devices" }
	};

	(void)state;
	ibv_rig_device(1)->no_v2 = true;
	ibv_rig_fails(NULL, ibv_rig_ping_pong, 0, &expected);
	ibv_rig_device(0)->no_v2 = true;
	ibv_rig_succeeds(NULL, ibv_rig_ping_pong);
}

static int look_at_efa(struct two_ends *pair, struct np_error *error)
{
	struct np_facts facts = { .count = 0 };
	const int rc = ibv_rig_ping_pong(pair, error);

	if (rc != 0)
		return rc;
	np_module_ibv.describe(pair->process.endpoint, &facts);
	assert_true(lists(&facts, "adapter", "an unspecified link layer, 100 Gbit/s"));
	assert_true(lists(&facts, "gid", "fe80::"));
	assert_true(lists(&facts, "gid_type", "unspecified"));
	np_facts_free(&facts);
	return 0;
}

/* Amazon EFA: neither Ethernet nor InfiniBand, addressed by its GID, no RDMA. */
static void test_efa(void **state)
{
	static const char *const settings[] = { "transfer=ud", NULL };
	static const struct ibv_rig_words mixed = {
		NP_ERROR_FAILED, ENETUNREACH, { "an unspecified link layer", "RoCE" }
	};

	(void)state;
	fake_verbs_become(1, FAKE_EFA);
	snprintf(ibv_rig_device(1)->device.name, IBV_SYSFS_NAME_MAX, "fake1");
	ibv_rig_fails(settings, ibv_rig_ping_pong, 1, &mixed);
	fake_verbs_become(0, FAKE_EFA);
	snprintf(ibv_rig_device(0)->device.name, IBV_SYSFS_NAME_MAX, "fake0");
	ibv_rig_succeeds(settings, look_at_efa);
	assert_int_equal(fake_verbs()->dropped, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_control_address, ibv_rig_setup),
		cmocka_unit_test_setup(test_other_namespace, ibv_rig_setup),
		cmocka_unit_test_setup(test_addresses, ibv_rig_setup),
		cmocka_unit_test_setup(test_ipoib, ibv_rig_setup),
		cmocka_unit_test_setup(test_no_gids, ibv_rig_setup),
		cmocka_unit_test_setup(test_iwarp, ibv_rig_setup),
		cmocka_unit_test_setup(test_every_reason, ibv_rig_setup),
		cmocka_unit_test_setup(test_list, ibv_rig_setup),
		cmocka_unit_test_setup(test_not_connected, ibv_rig_setup),
		cmocka_unit_test_setup(test_path, ibv_rig_setup),
		cmocka_unit_test_setup(test_link_layers, ibv_rig_setup),
		cmocka_unit_test_setup(test_guess, ibv_rig_setup),
		cmocka_unit_test_setup(test_bond, ibv_rig_setup),
		cmocka_unit_test_setup(test_versions, ibv_rig_setup),
		cmocka_unit_test_setup(test_efa, ibv_rig_setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
