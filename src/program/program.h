/*
 * program.h - one invocation: what main.c has parsed, and what becomes of it.
 */
#ifndef NP_PROGRAM_H
#define NP_PROGRAM_H

#include "contract/job.h"
#include "boot/link.h"
#include "contract/np_module.h"
#include "plan/options.h"
#include "boot/token.h"

struct np_program {
	const struct np_module *module;
	struct np_options options;
	void *module_options; /* of module->options_size bytes */
	struct np_option_set sets[2];
	struct np_identity identity;
	int signals; /* signalfd */
	/* What both ends have to know; the bytes are in `secret`. */
	const unsigned char *key; /* NULL: nothing */
	unsigned char secret[NP_KEY_LENGTH];
	char *plan;	   /* of a program that another has started: its texts; or NULL */
	bool told;	   /* another process has printed the error: once is enough */
	struct np_job job; /* of a module that has a launcher of its own */
	char **arguments;
};

/* Draws the seed if none was given, so that it can be printed and sent.  Returns 0
 * or -errno. */
int np_program_draw_seed(struct np_options *options, struct np_error *error);

/* The request that the options amount to, after the module has seen it; and
 * every refusal that needs no peer.  Returns 0 or -errno. */
int np_program_request(const struct np_program *program, struct np_request *request,
		       struct np_error *error);

struct np_results;

/* Sets in results what they have to know of the run. */
void np_program_results(const struct np_program *program, const struct np_request *request,
			struct np_results *results);

/* Everything at the transmitter, once the control channel stands.  Prints and
 * writes the results, also of a run that failed half-way.  Returns 0 or -errno. */
int np_transmit(struct np_program *program, struct np_boot *boot, struct np_error *error);

/* What came of it at the receiver. */
struct np_received {
	bool plan;	    /* one was there: before, there was no run */
	uint64_t runs_left; /* more runs that the transmitter will start */
};

/* Everything at the receiver.  `alone`: nobody else will say why it had to leave.
 * Returns 0 or -errno. */
int np_receive(struct np_program *program, struct np_boot *boot, bool alone,
	       struct np_received *received, struct np_error *error);

/* The transmitting end, to a host that waits or, with --launch, to an end that it
 * starts there.  Returns 0 or -errno. */
int np_dial_out(struct np_program *program, const struct np_notes *notes,
		struct np_error *error);

/* --all-pairs: starts both ends at each pair of hosts, and compares the pairs.
 * Returns 0 or -errno. */
int np_all_pairs(struct np_program *program, const struct np_notes *notes,
		 struct np_error *error);

/*
 * The whole run in a process that the module's launcher has started, from the
 * launcher's hands to the end of the measurement.  parsed: the result of reading the
 * command line, which rank 0 reports for all processes, as it does every refusal.  The
 * caller leaves the job, after it has printed the error.  Returns 0 or -errno.
 */
int np_job_run(struct np_program *program, int parsed, struct np_error *error);

/* The waiting end: one run, or with --serve one after the other.  Returns 0 or
 * -errno. */
int np_wait(struct np_program *program, const struct np_notes *notes,
	    struct np_error *error);

/* --launches N: starts this program N times, gathers what each measured, and
 * prints the whole.  Returns 0 or -errno; a failed run's exit code becomes
 * error->kind, and its text has been printed by the run. */
int np_run_all(struct np_program *program, struct np_error *error);

/* --dry-run: prints the plan of this host. */
int np_dry_run(const struct np_program *program, struct np_error *error);

/* --list-devices: prints what the module's options can choose from on this host. */
int np_list_devices(const struct np_program *program, struct np_error *error);

/* Prints what the module's options ask to be told; told says whether they do. */
int np_tell(const struct np_program *program, bool *told, struct np_error *error);

/* The run that --launch-pipe names: "FD:INDEX".  False if there is none. */
bool np_program_run_index(const struct np_program *program, int *fd, unsigned *index);

/* What both ends do alike (session.c). */
struct np_process;
struct np_topology;
struct np_facts;

/* Whether both ends share a host.  Both call it first of all. */
int np_session_meet(struct np_boot *boot, struct np_error *error);

/* Topology, binding, and what is said of this host in the header. */
int np_session_host(const struct np_program *program, const struct np_boot *boot,
		    const struct np_request *request, struct np_topology *topology,
		    int *core, struct np_facts *facts, struct np_error *error);

/* After the plan is agreed: tells each other the cores, shares the core-to-core latency
 * line, allocates the end.  Both ends call it. */
int np_session_prepare(struct np_process *process, int core, struct np_error *error);

#endif
