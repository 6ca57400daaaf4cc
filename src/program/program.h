/*
 * program.h - one invocation of a program: its options, and the functions for each
 * role.
 */
#pragma once

#include "contract/job.h"
#include "boot/link.h"
#include "contract/np_module.h"
#include "plan/names.h"
#include "plan/options.h"
#include "plan/variants.h"
#include "boot/token.h"

struct np_program {
	const struct np_module *module;
	struct np_options options;
	void *module_options; /* of module->options_size bytes */
	struct np_option_set sets[2];
	const struct np_option *planned; /* the last given that a client decides, or NULL */
	const struct np_option
		*given[NP_OPTION_CONDITIONS]; /* by .read_if, the last of each */
	struct np_request request;	      /* of the options, after module->check() */
	struct np_identity identity;
	int signals; /* signalfd */
	/* shared key of --token-file, stored in secret; NULL: none */
	const unsigned char *key; /* NULL: nothing */
	unsigned char secret[NP_KEY_LENGTH];
	char *expect;	   /* --expect-file: its clauses; or NULL */
	char *plan;	   /* --launched: the plan's lines; or NULL */
	bool told;	   /* another process has printed the error */
	struct np_job job; /* of a module that an MPI launcher starts */
	char **arguments;
	struct np_variants variants;	  /* --variant */
	const struct np_variant *variant; /* that this run alone measures, or NULL */
	bool control;			  /* this is the base's second run of a round */
	bool hold;			  /* an endpoint of each at once */
	void *variant_options[NP_VARIANTS_MAX]; /* module options of each, once checked */
};

/* Reads --variant, after the command line.  A run of one variant gets its settings: nothing
 * of the environment may have been read before.  Returns 0 or -errno. */
int np_program_vary(struct np_program *program, struct np_error *error);

/* The variant of a run, where each has its own; control: it is the base's second one. */
const struct np_variant *np_program_variant_of(const struct np_program *program,
					       unsigned index, bool *control);

/* Checks all variants, which the request then has; client: this process decides.  Returns 0
 * or -errno. */
int np_program_check_variants(struct np_program *program, bool client,
			      struct np_error *error);

/* The server: reads and checks the variants of the client's plan, which it is to hold.
 * Returns 0 or -errno. */
int np_program_take_variants(struct np_program *program, struct np_error *error);

/* Says in a line that a variant is not measured from now on, and why. */
void np_tell_left_out(const struct np_program *program, size_t variant,
		      const struct np_error *why);

/* The same of variants that the process holds no longer; told: of which it was said. */
struct np_process;
void np_tell_held(const struct np_program *program, const struct np_process *process,
		  bool talks, bool told[NP_VARIANTS_MAX]);

/* After the results: fails with the names of the variants that were left out, [0] is the
 * base. */
int np_check_variants_whole(const struct np_program *program, const bool *left_out,
			    struct np_error *error);

/* Runs of one round share a number: serials show which visits were not measured in turn,
 * those of another variant or, with --modes-apart, mode. */
uint64_t np_program_first_serial(const struct np_program *program, enum np_mode mode);

/* The module options of each variant where all are held at once, or NULL. */
const void *const *np_program_held_options(const struct np_program *program);

/* Makes program->request from the options, checked by the module, and refuses what needs
 * no peer to be refused.  Returns 0 or -errno. */
int np_program_request(struct np_program *program, struct np_error *error);

/* Before a role is taken: draws the seed if none was given, makes the request, and if
 * this process writes result files, refuses those that exist.  Returns 0 or -errno. */
int np_program_prepare(struct np_program *program, bool writes, struct np_error *error);

struct np_results;
struct np_run_header;

/* Seconds that the run may take; 0: the program that started it knows. */
double np_program_run_time(const struct np_program *program);

/* Sets what results and header have to know of the run. */
void np_program_results(const struct np_program *program, struct np_results *results);
void np_program_header(const struct np_program *program, struct np_run_header *header);

/* The client's run (rank 0) over an established control channel.  Prints and writes the
 * results, also after a failure.  Returns 0 or -errno. */
int np_transmit(struct np_program *program, struct np_boot *boot, struct np_error *error);

/* Outcome of a run at rank 1. */
struct np_received {
	bool plan;	    /* a plan was received: a run has begun */
	uint64_t runs_left; /* runs that the client will still start */
};

/* Rank 1's run.  alone: no other process reports its error.  Returns 0 or -errno. */
int np_receive(struct np_program *program, struct np_boot *boot, bool alone,
	       struct np_received *received, struct np_error *error);

/* Whether the error of rank 1 of a job is that rank 0 is silent, which then nobody else can
 * report; the text then names rank 0. */
bool np_name_silent(struct np_error *error);

/* The client: dials a server, or starts one there with --remote.  Returns 0 or -errno. */
int np_dial_out(struct np_program *program, const struct np_notes *notes,
		struct np_error *error);

/* --all-pairs: measures each pair of hosts and compares the pairs.  Returns 0 or
 * -errno. */
int np_all_pairs(struct np_program *program, struct np_error *error);

/* The ranks of a job, compared pair by pair; all of them call it.  Returns 0 or -errno.
 * np_tournament_check() refuses what does not go with it. */
int np_tournament(const struct np_program *program, struct np_error *error);
int np_tournament_check(const struct np_program *program, struct np_error *error);

/*
 * The run of a process that an MPI launcher started, from the start of the job to the
 * end of the measurement.  parsed: the result of parsing the command line; its error,
 * as every refusal, is reported by rank 0.  The caller leaves the job after printing
 * the error.  Returns 0 or -errno.
 */
int np_job_run(struct np_program *program, int parsed, struct np_error *error);

/* The server: one run, or with --serve one after the other.  Returns 0 or -errno. */
int np_wait(struct np_program *program, const struct np_notes *notes,
	    struct np_error *error);

/* --runs N: starts this program N times, collects the visits, and prints the
 * results.  Returns 0 or -errno; the exit code of a failed run becomes error->kind, and
 * the run has printed its text. */
int np_run_all(struct np_program *program, struct np_error *error);

/* --dry-run: prints the plan of this host. */
int np_dry_run(const struct np_program *program, struct np_error *error);

/* --list-devices: prints what the module's options can choose from on this host. */
int np_list_devices(const struct np_program *program, struct np_error *error);

/* Prints the text that options of the module request instead of a run; told: whether
 * they do. */
int np_tell(const struct np_program *program, bool *told, struct np_error *error);

/* Parses --run-pipe, "FD:INDEX".  False if it is not given. */
bool np_program_run_index(const struct np_program *program, int *fd, unsigned *index);

/* session.c: steps that both processes take. */
struct np_topology;
struct np_facts;

/* Finds out whether both processes share a host; both call it first. */
int np_session_meet(struct np_boot *boot, struct np_error *error);

/* Opens the topology, binds the process, and describes the host for the header. */
int np_session_host(const struct np_program *program, const struct np_boot *boot,
		    struct np_topology *topology, int *core, struct np_facts *facts,
		    struct np_error *error);

/* After the plan: exchanges core numbers, shares the core-to-core latency line,
 * allocates the process.  Both processes call it. */
int np_session_prepare(struct np_process *process, int core, struct np_error *error);
