/*
 * ibv_rig.h - runs both processes of NPibv over fake devices, and checks errors and leaks.
 */
#pragma once

#include "fake_verbs.h"
#include "tests/lib/two_threads.h"

extern const struct np_module np_module_ibv;

enum { IBV_RIG_SETTINGS = 8, IBV_RIG_WORDS = 6, IBV_RIG_LENGTH = 1000 };

/* An error: its kind, its errno, and what its text has to contain. */
struct ibv_rig_words {
	enum np_error_kind kind;
	int code;
	const char *words[IBV_RIG_WORDS];
};

/* Healthy devices.  cmocka's setup of each test. */
int ibv_rig_setup(void **state);

/* Runs a test; both ends get the settings, NULL at the end, and a device each. */
bool ibv_rig_run(const char *const *settings, two_ends_test *test,
		 struct two_threads_outcome *outcome);

/* Fails if an object of the library or a descriptor leaked, or the library was misused. */
void ibv_rig_check(void);

/* Fails unless the error is that one. */
void ibv_rig_says(const struct np_error *error, const struct ibv_rig_words *expected);

/* Runs a test at both ends and fails unless the one of `rank` fails in these
 * words, the other with it, and all is given back. */
void ibv_rig_fails(const char *const *settings, two_ends_test *test, int rank,
		   const struct ibv_rig_words *expected);

/* As ibv_rig_fails(), but one of the two errors contains one of two texts. */
void ibv_rig_ends(const char *const *settings, two_ends_test *test, const char *one,
		  const char *other);

/* Fails unless both succeed, and all is given back. */
void ibv_rig_succeeds(const char *const *settings, two_ends_test *test);

/* Messages of IBV_RIG_LENGTH bytes, checked and then timed. */
int ibv_rig_ping_pong(struct two_ends *pair, struct np_error *error);
int ibv_rig_stream(struct two_ends *pair, struct np_error *error);
int ibv_rig_both_ways(struct two_ends *pair, struct np_error *error);

/* An end without a peer. */
struct ibv_rig_alone {
	struct two_ends pair;
	struct np_endpoint *ep;
	struct np_boot boot;
	atomic_bool stop;
};

/* Opens the module; nothing connects.  Returns what open() does. */
int ibv_rig_open(struct ibv_rig_alone *alone, const char *const *settings);

/* Closes it, whatever open() returned, and fails unless all is given back. */
void ibv_rig_close(struct ibv_rig_alone *alone);

/* The device of a rank, and what it is to refuse: the nth such call, or each. */
struct fake_device *ibv_rig_device(size_t rank);
void ibv_rig_refuse(size_t rank, enum fake_call call, unsigned nth, int code);
void ibv_rig_refuse_for_good(size_t rank, enum fake_call call, int code);
