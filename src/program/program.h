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
#include "boot/access.h"

/* Host of a job with the most ranks per core of their affinity masks. */
struct np_crowd {
	unsigned ranks, cores; /* 0: not known */
	unsigned here;	       /* ranks on the host of rank 0 */
};

/* Most memory, bytes, for a peer without a token: of the plan of a client, unless --allow
 * all or --max-memory permits more, and of the pool for a server's cache, without --pool.
 * 1 GiB is the pool for a cache of 256 MiB. */
enum { NP_UNPROVEN_MEMORY = 1 << 30 };

struct np_program {
	const struct np_module *module;
	struct np_options options;
	void *module_options; /* of module->options_size bytes */
	struct np_option_set sets[2];
	const struct np_option
		*planned; /* the last option given that the client decides, or NULL */
	const struct np_option
		*given[NP_OPTION_CONDITIONS]; /* the last option given of each .read_if */
	struct np_request request; /* made from the options, after module->check() */
	struct np_identity identity;
	int signals; /* signalfd */
	/* --max-run-time from the start of this program, from which waits take the rest; a
	 * server counts from each plan. */
	struct np_deadline deadline;
	/* shared key: NULL, or secret */
	const unsigned char *key;
	unsigned char secret[NP_KEY_LENGTH];
	/* --plot and --html: this process draws; folder and file of its temporary results,
	 * NULL with --json. */
	struct timespec before_draw; /* st_mtim of the file of --json before this run */
	bool draws;
	char *temporary, *temporary_file;
	char *expect;	    /* clauses of --expect @FILE; or NULL */
	char *points;	    /* points of --replay FILE; or NULL */
	char *plan;	    /* lines of the plan, with --launched; or NULL */
	bool error_printed; /* another process has printed the error */
	struct np_job job;  /* of a module that an MPI launcher starts */
	/* Measures and compares all pairs of ranks of a job; NULL in a program whose module
	 * has no np_job_hooks.meet.  Collective. */
	int (*tournament)(const struct np_program *program, struct np_error *error);
	struct np_crowd crowd;
	char **arguments;
	struct np_variants variants;	  /* --variant */
	const struct np_variant *variant; /* the only variant of this run, or NULL */
	bool control; /* this run is the control: the base's second run in a round */
	bool endpoints_in_one_run;		/* an endpoint for each variant at once */
	void *variant_options[NP_VARIANTS_MAX]; /* module options of each variant, once
						   checked */
};

/* --plot and --html: checks the files and that NPreport is there, before anything is
 * measured, and has results written to a temporary file without --json.  Returns 0 or
 * -errno. */
int np_draw_prepare(struct np_program *program, struct np_error *error);

/* Draws what was measured, and removes the temporary file.  rc: of the run.  Returns rc or,
 * if that is 0, that of drawing. */
int np_draw_finish(struct np_program *program, int rc, struct np_error *error);

/* Reads --variant and --tune, after the command line.  Applies the settings of a run with
 * one variant, environment variables included: call it before anything reads these. Returns
 * 0 or -errno. */
int np_program_vary(struct np_program *program, struct np_error *error);

/* Sets the environment variables of the variant of run `index`, where each run has one
 * variant.  Returns 0 or -errno. */
int np_program_set_variables(const struct np_program *program, unsigned index,
			     struct np_error *error);

void np_variants_free(struct np_variants *variants);

/* Checks all variants and adds them to the request. client: this process is the client.
 * Returns 0 or -errno. */
int np_program_check_variants(struct np_program *program, bool client,
			      struct np_error *error);

/* Server: reads and checks the variants of the client's plan.  Returns 0 or -errno. */
int np_program_take_variants(struct np_program *program, struct np_error *error);

/* Prints a warning that a variant is not measured from now on, and the reason. */
void np_warn_variant_dropped(const struct np_program *program, size_t variant,
			     const struct np_error *why);

/* Prints the warning for each variant that lost its endpoint since the last call; the array
 * marks the variants without endpoint. */
struct np_process;
void np_warn_variants_dropped(const struct np_program *program,
			      const struct np_process *process, bool print,
			      bool warned[NP_VARIANTS_MAX]);

/* Fails, after the results, with the names of the variants that were left out; element 0 is
 * the base.  Returns 0 or -errno. */
int np_check_variants_whole(const struct np_program *program, const bool *left_out,
			    struct np_error *error);

/* Returns the module options of each variant if the process has an endpoint for each, else
 * NULL. */
const void *const *np_program_held_options(const struct np_program *program);

/* Makes program->request from the options, checked by the module, and refuses invalid
 * options as far as no peer is needed.  Returns 0 or -errno. */
int np_program_request(struct np_program *program, struct np_error *error);

/* Prepares for any role: draws the seed if none was given, makes the request, and if this
 * process writes result files, refuses those that exist.  Returns 0 or -errno. */
int np_program_prepare(struct np_program *program, bool writes, struct np_error *error);

struct np_results;
struct np_run_header;

/* Returns the time limit of the run, seconds; 0 for a run of --runs, which the parent
 * limits. */
double np_program_run_time(const struct np_program *program);

/* Sets the members of results and header that depend on the program alone. */
void np_program_results(const struct np_program *program, struct np_results *results);
void np_program_header(const struct np_program *program, struct np_run_header *header);

/* Performs the client's run (rank 0) over an established control channel.  Prints and
 * writes the results, also after a failure.  Returns 0 or -errno. */
int np_transmit(struct np_program *program, struct np_boot *boot, struct np_error *error);

/* Outcome of a run at rank 1. */
struct np_received {
	bool plan;	    /* a plan was received */
	bool refused;	    /* it was refused here: no run has begun */
	uint64_t runs_left; /* runs that the client will still start */
};

/* Performs rank 1's run. alone: no other process reports its error.  Returns 0 or -errno.
 */
int np_receive(struct np_program *program, struct np_boot *boot, bool alone,
	       struct np_received *received, struct np_error *error);

/* Returns true for the error that rank 0 of a job sends no heartbeats, and adds rank 0 to
 * its text: only rank 1 can report it. */
bool np_name_silent(struct np_error *error);

/* The client: dials a server, or starts one there with --remote.  Returns 0 or -errno. */
int np_dial_out(struct np_program *program, const struct np_notes *notes,
		struct np_error *error);

/*
 * Performs the run of a process that an MPI launcher started, from the start of the job to
 * the end of the measurement. parsed: result of parsing the command line; rank 0 prints its
 * error, as every refusal.  The caller leaves the job after printing the error.  Returns 0
 * or -errno.
 */
int np_job_run(struct np_program *program, int parsed, struct np_error *error);

/* The server: one run, or with --serve one after the other.  Returns 0 or -errno. */
int np_wait(struct np_program *program, const struct np_notes *notes,
	    struct np_error *error);

/* --runs N: starts this program N times, collects the visits, and prints the results.
 * Returns 0 or -errno; the exit code of a failed run becomes error->kind, and that run has
 * printed its error. */
int np_run_all(struct np_program *program, struct np_error *error);

/*
 * Reads the token into key (NP_KEY_LENGTH bytes) and the plan's lines from standard input,
 * and starts a thread that raises SIGHUP when standard input closes.  The caller frees
 * *plan.  Returns 0 or -errno.
 */
int np_remote_child_start(unsigned char *key, char **plan, struct np_error *error);

/* Prints the help or the version that the command line requests.  Returns whether it
 * requests any. */
bool np_help_answer(const struct np_program *program, const struct np_command_line *line);

/* --fleet: prints the checked plan, as a line of JSON.  Returns 0 or -errno. */
int np_print_fleet_plan(const struct np_program *program, struct np_error *error);

/* --dry-run: prints the plan of this host.  Returns 0 or -errno. */
int np_dry_run(const struct np_program *program, struct np_error *error);

/* --list-devices: prints the devices of this host that the module's options can name.
 * Returns 0 or -errno. */
int np_list_devices(const struct np_program *program, struct np_error *error);

/* Parses --run-pipe, "FD:INDEX".  False if it is not given. */
bool np_program_run_index(const struct np_program *program, int *fd, unsigned *index);

struct np_topology;
struct np_facts;
struct np_resources;

/* Sets the resources that concern pages, from the module and the facts of both hosts.
 * Returns 0, or -EPROTO for facts out of range. */
int np_agree_on_pages(const struct np_module *module, const struct np_facts facts[2],
		      struct np_resources *resources, struct np_error *error);

/* Steps of both processes before a run (session.c). */

/* Detects whether both processes share a host; both call it first.  Returns 0 or -errno. */
int np_session_meet(struct np_boot *boot, struct np_error *error);

/* Opens the topology, binds the process, and adds facts of the host for the header.
 * *core: in, core of the peer on this host, or -1; out, that of this process, or -1.
 * Returns 0 or -errno. */
int np_session_host(const struct np_program *program, const struct np_boot *boot,
		    struct np_topology *topology, int *core, struct np_facts *facts,
		    struct np_error *error);

/* After the plan: exchanges core numbers, shares the core-to-core latency line, allocates
 * the process.  Both processes call it.  Returns 0 or -errno. */
int np_session_prepare(struct np_process *process, int core, struct np_error *error);
