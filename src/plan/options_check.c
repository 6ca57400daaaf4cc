/*
 * options_check.c - refuses options that exclude or need each other.
 */
#include "plan/options_check.h"

static int check_modes(const struct np_options *options, struct np_error *error)
{
	const bool stream_detail = options->stream_count != 0 ||
				   options->stream_volume != 0 || options->each_acked;

	if (options->stream && options->bidirectional)
		return np_refuse(error, "-s and -2 exclude each other");
	if (options->burst && options->window != 0)
		return np_refuse(error, "-B posts all receives of a block: it excludes "
					"--window, which bounds them");
	if (stream_detail && !options->stream)
		return np_refuse(
			error, "--stream-count, --stream-volume and --each-acked need -s");
	if (options->window != 0 &&
	    ((!options->stream && !options->bidirectional) || options->each_acked))
		return np_refuse(error,
				 "--window bounds the messages in flight one behind the "
				 "other: it needs -s or -2, and excludes --each-acked");
	if ((options->stream_count != 0) + (options->stream_volume != 0) +
		    (options->messages != 0) + options->each_acked >
	    1)
		return np_refuse(error, "-n, --stream-count, --stream-volume and "
					"--each-acked exclude each other");
	if (options->per_message && options->stream && !options->each_acked)
		return np_refuse(error, "--per-message cannot time the messages of a "
					"stream; with --each-acked it can");
	if (options->per_message && (options->messages != 0 || options->touch))
		return np_refuse(error, "--per-message excludes -n and --touch");
	if (options->integrity && (options->per_message || options->touch))
		return np_refuse(error,
				 "-i times nothing: it excludes --per-message and --touch");
	return 0;
}

static int check_refine(const struct np_options *options, struct np_error *error)
{
	if (!options->refine)
		return 0;
	if (options->integrity || options->reset || options->runs > 1)
		return np_refuse(error, "--refine searches within one connection of one "
					"run: it excludes -i, -r and --runs");
	if (options->capacity != 0 || options->why != 0)
		return np_refuse(error, "--refine searches between sizes: it excludes "
					"--capacity and --why");
	return 0;
}

/* Checks options of --capacity and --why, which measure one size. */
static int check_questions(const struct np_options *options, struct np_error *error)
{
	if ((options->capacity != 0) + (options->why != 0) + options->invalidate > 1)
		return np_refuse(error, "-I, --capacity and --why exclude each other");
	if (options->capacity == 0 && options->why == 0)
		return 0;
	if (options->sizes != NULL || options->output != NULL || options->integrity ||
	    options->per_message || options->touch || options->rotate_only)
		return np_refuse(
			error, "--capacity and --why have a size of their own and exclude "
			       "--sizes, -o, -i, --per-message, --touch and --rotate-only");
	/* Both choose the buffers of a block; each message of a burst needs its own. */
	if (options->burst)
		return np_refuse(error, "--capacity and --why exclude -B");
	if (options->why != 0 && (options->fresh || options->rotate != NP_ROTATE_BOTH ||
				  options->messages != 0 || options->stream_count != 0 ||
				  options->stream_volume != 0))
		return np_refuse(error, "--why excludes --fresh, --rotate, -n, "
					"--stream-count and --stream-volume");
	return 0;
}

/* Checks --memory: the CPU caches no memory of a GPU, and one buffer cannot be in two
 * places. */
static int check_memory(const struct np_options *options, struct np_error *error)
{
	if (options->memory == NP_MEMORY_HOST && options->memory_of != NP_ROTATE_BOTH)
		return np_refuse(error, "--memory-of needs --memory cuda or rocm");
	if (options->memory != NP_MEMORY_HOST &&
	    (options->capacity != 0 || options->why != 0 || options->touch))
		return np_refuse(error, "--memory: no cache of the CPU holds memory of a "
					"GPU: it excludes --capacity, --why and --touch");
	if (options->memory_of != NP_ROTATE_BOTH &&
	    (options->fresh || options->same_buffer))
		return np_refuse(error, "--memory-of: one buffer of a pair lies in the "
					"pool's copy in the host's memory: it excludes "
					"--fresh and --same-buffer");
	return 0;
}

static int check_buffers(const struct np_options *options, struct np_error *error)
{
	if (options->same_buffer &&
	    (options->stream || options->bidirectional || options->integrity ||
	     options->burst || options->why != 0 || options->rotate != NP_ROTATE_BOTH))
		return np_refuse(error, "--same-buffer sends a message back: it excludes "
					"-s, -2, -B, -i, --why and --rotate");
	if ((options->align & (options->align - 1)) != 0)
		return np_refuse(error, "--align %zu is not a power of two",
				 options->align);
	if (!np_options_rotate(options) &&
	    (options->rotate_only || options->touch || options->fresh ||
	     options->pool != 0 || options->slots != 0 ||
	     options->rotate != NP_ROTATE_BOTH))
		return np_refuse(error, "--rotate-only, --rotate, --touch, --fresh, --pool "
					"and --slots need -I");
	if (options->modes_apart &&
	    (!options->invalidate || options->rotate_only || options->integrity))
		return np_refuse(
			error, "--modes-apart needs -I, and excludes --rotate-only and -i");
	const int rc = check_memory(options, error);
	return rc != 0 ? rc : check_questions(options, error);
}

/* Checks options of a server started on another host, and of --all-pairs. */
static int check_remote(const struct np_options *options, struct np_error *error)
{
	const bool here = options->local || options->token_file != NULL || options->once ||
			  options->serve;

	if (options->remote != NULL && here)
		return np_refuse(
			error,
			"--remote excludes --local, --token-file, --once and --serve");
	if (options->all_pairs != (options->hostfile != NULL))
		return np_refuse(error, "--all-pairs and --hostfile need each other");
	if (options->all_pairs &&
	    (here || options->remote != NULL || options->host != NULL))
		return np_refuse(error,
				 "--all-pairs starts both processes itself: it excludes "
				 "--remote, -h, --local, --once, --serve and --token-file");
	if (options->all_pairs &&
	    (options->runs > 1 || options->integrity || options->output != NULL))
		return np_refuse(error, "--all-pairs excludes --runs, -i and -o");
	/* A run of --runs sends its number to the peer. */
	if (options->launcher != NULL && options->runs < 2 && options->run_pipe == NULL)
		return np_refuse(error, "--launcher starts the runs of --runs, and "
					"needs two of them at least");
	if (options->remote == NULL && !options->all_pairs &&
	    (options->rsh != NULL || options->remote_program != NULL ||
	     options->remote_options != NULL))
		return np_refuse(error, "--rsh, --remote-program and --remote-options need "
					"--remote or --all-pairs");
	return 0;
}

static int check_server(const struct np_options *options, struct np_error *error)
{
	if (options->once && options->serve)
		return np_refuse(error, "--once and --serve exclude each other");
	if (options->open && (options->token_file != NULL || options->allow != NULL))
		return np_refuse(error, "--open lets every host connect: it excludes "
					"--token-file and --allow");
	if ((options->once || options->serve || options->bind_address != NULL ||
	     options->allow != NULL || options->open) &&
	    (options->host != NULL || options->local))
		return np_refuse(error, "--once, --serve, --bind-address, --allow and "
					"--open are for the server");
	return 0;
}

int np_options_check(const struct np_options *options, struct np_error *error)
{
	int rc;

	if (options->host != NULL && options->local)
		return np_refuse(error, "-h and --local exclude each other");
	if (options->expect != NULL && options->expect_error <= 0)
		return np_refuse(error, "--expect-error has to be above 0: nothing that is "
					"measured is certain");
	rc = check_remote(options, error);
	if (rc == 0)
		rc = check_server(options, error);
	if (rc != 0)
		return rc;
	if (options->sizes == NULL && options->lower > options->upper)
		return np_refuse(error, "-l %zu is above -u %zu", options->lower,
				 options->upper);
	rc = check_modes(options, error);
	if (rc == 0)
		rc = check_refine(options, error);
	return rc != 0 ? rc : check_buffers(options, error);
}
