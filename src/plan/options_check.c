/*
 * options_check.c - refuses options: those that the module does not support, that exclude
 * or need each other, and that this run would not read.
 */
#include "plan/options_check.h"

#include <stdio.h>
#include <string.h>

#include "plan/plan.h"

unsigned np_traits_lacking(const struct np_module *module)
{
	const bool job = module->job != NULL;
	unsigned traits = module->capabilities;

	traits |= job ? NP_HAS_JOB : NP_HAS_NO_JOB;
	if ((module->capabilities & NP_CAN_SPAN_HOSTS) != 0 && !job)
		traits |= NP_HAS_SERVER;
	if (module->device != NULL && module->device->list != NULL)
		traits |= NP_HAS_DEVICES;
	if (module->memory == NULL || module->memory->copy != NULL)
		traits |= NP_HAS_BYTES;
	return ~traits;
}

const char *np_traits_reason(unsigned lacking)
{
	static const struct {
		unsigned trait;
		const char *reason;
	} reasons[] = {
		{ NP_HAS_NO_JOB, "the MPI launcher starts the processes, on its hosts" },
		{ NP_HAS_SERVER, "both processes run on this host, and one command "
				 "starts them" },
		{ NP_HAS_JOB, "no MPI launcher starts this program; --runs does without" },
		{ NP_HAS_DEVICES, "this transport has no devices to choose from" },
		{ NP_HAS_BYTES, "messages of this transport have no contents to check" },
		{ NP_CAN_STREAM, "this transport cannot stream" },
		{ NP_CAN_BIDIRECTIONAL, "this transport cannot send in both directions at "
					"once" },
		{ NP_CAN_RECONNECT, "this transport cannot connect again within a run" },
		{ NP_CAN_REGISTER, "this transport registers no memory" },
		{ NP_CAN_WINDOW, "this transport does not let a program choose how many "
				 "messages are in flight" },
		{ NP_CAN_WINDOW_BOTH, "this transport has one exchange in flight" },
		{ NP_CAN_SAME_BUFFER, "a buffer whose receive is posted, or is watched for "
				      "a message, must not be sent" },
		{ NP_CAN_BURST, "this transport has no receives to post in advance" },
		{ NP_CAN_ZERO_BYTES, "this transport has no message without bytes" },
		{ NP_CAN_GPU,
		  "its messages travel between buffers in the host's memory alone" },
		{ NP_CAN_FRESH, "this transport sends only from memory that was "
				"registered in advance" },
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		if ((lacking & reasons[i].trait) != 0)
			return reasons[i].reason;
	}
	return "this program lacks what it needs";
}

/* ---- Options that exclude or need each other ---------------------------------------- */

const struct np_option_rule np_option_rules[] = {
	{ "expect", NP_EXCLUDES,
	  "capacity why integrity bidirectional per-message refine fleet",
	  "it judges the times of one way at each size" },
	{ "variant tune", NP_EXCLUDES, "capacity why refine expect fleet",
	  "variants are compared by times at each size" },
	{ "host", NP_EXCLUDES, "local", "one process is at HOST, or both are here" },
	{ "remote", NP_EXCLUDES, "local token-file serve",
	  "it starts the server, with a token of its own" },
	{ "fleet", NP_EXCLUDES,
	  "remote host local serve token-file runs integrity capacity why refine dry-run "
	  "output json plot html force quiet fail-on max-run-time connect-timeout rsh "
	  "remote-program remote-options bind bind-address allow max-memory",
	  "NPfleet starts both processes, and has options before the program's name" },
	{ "serve allow", NP_EXCLUDES, "host local", "it is for the server" },
	{ "bind-address", NP_EXCLUDES, "local", "both processes are here" },
	{ "ipv4", NP_EXCLUDES, "ipv6", "a connection has one of them" },
	{ "stream", NP_EXCLUDES, "bidirectional", "messages of a stream go one way" },
	{ "burst", NP_EXCLUDES, "window",
	  "it posts all receives of a block, which --window bounds" },
	{ "per-message", NP_EXCLUDES, "messages",
	  "it times each message, with nothing between two of them" },
	{ "integrity", NP_EXCLUDES, "per-message", "it times nothing" },
	{ "replay", NP_EXCLUDES,
	  "invalidate buffers capacity why sizes stream bidirectional integrity burst "
	  "per-message refine watch output expect variant tune fleet memory",
	  "it chooses sizes and buffers, those of the record" },
	{ "refine", NP_EXCLUDES, "integrity reset runs",
	  "it searches within one connection of one run" },
	{ "refine", NP_EXCLUDES, "capacity why", "it searches between sizes" },
	{ "invalidate", NP_EXCLUDES, "capacity why", "each chooses the buffers" },
	{ "capacity", NP_EXCLUDES, "why", "each chooses the buffers" },
	{ "capacity why", NP_EXCLUDES, "sizes output integrity per-message",
	  "it measures one size, that of its argument" },
	{ "capacity why", NP_EXCLUDES, "burst",
	  "it chooses the buffers of a block, and each message of a burst needs one" },
	{ "why", NP_EXCLUDES, "messages", "it chooses the messages of each part" },
	{ "memory", NP_EXCLUDES, "capacity why",
	  "no cache of the CPU holds memory of a GPU" },
	{ "watch", NP_EXCLUDES,
	  "time-budget passes quick runs capacity why refine expect per-message",
	  "it measures each minute alike" },
	{ "window", NP_NEEDS, "stream bidirectional",
	  "it bounds the messages in flight one behind the other" },
	{ "pool slots", NP_NEEDS, "invalidate capacity why replay replay-points",
	  "it is for cold buffers" },
	{ "rsh remote-program remote-options", NP_NEEDS, "remote",
	  "it is for a server on another host" },
	/* A run that --runs started has --run-pipe, and sends its number to the peer. */
	{ "launcher", NP_NEEDS, "runs run-pipe", "it starts the runs, two at least" },
	{ NULL, NP_EXCLUDES, NULL, NULL },
};

/* Returns the option of the next name in a list separated by blanks, and moves *names
 * behind that name; NULL at the end, an option without a name for an unknown one. */
static const struct np_option *take_option(const char **names)
{
	const size_t length = strcspn(*names, " ");
	const struct np_option *option = np_driver_options;

	if (length == 0)
		return NULL;
	while (option->name != NULL && (strlen(option->name) != length ||
					strncmp(option->name, *names, length) != 0))
		option++;
	*names += length;
	*names += strspn(*names, " ");
	return option;
}

/* Returns whether the value of an option differs from its default. */
static bool is_set(const struct np_option *option, const struct np_options *options)
{
	const char *none = option->type == NP_OPTION_FLAG   ? "no" :
			   option->type == NP_OPTION_CHOICE ? option->choices[0] :
			   option->type == NP_OPTION_TEXT ||
					   option->type == NP_OPTION_TEXTS ||
					   option->type == NP_OPTION_SET ?
							      "" :
							      "0";
	char text[64];

	/* An unknown name in a rule counts as set: each command line is refused, so that a
	 * test finds it. */
	if (option->name == NULL)
		return true;
	np_option_text(option, options, text, sizeof(text));
	return strcmp(text, option->initial != NULL ? option->initial : none) != 0;
}

/* Returns the first option of a list that is set; NULL if none is. */
static const struct np_option *find_set(const char *names, const struct np_options *options)
{
	const struct np_option *option;

	while ((option = take_option(&names)) != NULL && !is_set(option, options))
		;
	return option;
}

/* Writes "-I", or "--capacity" of an option without a letter. */
static void spell(const struct np_option *option, char *text, size_t size)
{
	if (option->letter != 0)
		snprintf(text, size, "-%c", option->letter);
	else if (option->name == NULL)
		snprintf(text, size, "an unknown option");
	else
		snprintf(text, size, "--%s", option->name);
}

/* Writes "-I, --capacity or --why". */
static void spell_all(const char *names, char *text, size_t size)
{
	const struct np_option *option = take_option(&names), *next;
	size_t used = 0;

	for (const char *before = ""; option != NULL && used < size; option = next) {
		char one[32];

		next = take_option(&names);
		/* Hidden options are not for users. */
		while (next != NULL && next->help == NULL)
			next = take_option(&names);
		spell(option, one, sizeof(one));
		if (used != 0)
			before = next != NULL ? ", " : " or ";
		used += (size_t)snprintf(text + used, size - used, "%s%s", before, one);
	}
}

int np_options_exclude(const struct np_options *options, const char *what,
		       const char *others, const char *reason, struct np_error *error)
{
	const struct np_option *other = find_set(others, options);
	char text[32];

	if (other == NULL)
		return 0;
	spell(other, text, sizeof(text));
	return np_refuse(error, "%s excludes %s: %s", what, text, reason);
}

/* Applies a rule to one of its options, which is set. */
static int apply_rule(const struct np_option_rule *rule, const struct np_option *option,
		      const struct np_options *options, struct np_error *error)
{
	char one[32], others[160];

	spell(option, one, sizeof(one));
	if (rule->relation == NP_EXCLUDES)
		return np_options_exclude(options, one, rule->others, rule->reason, error);
	if (find_set(rule->others, options) != NULL)
		return 0;
	spell_all(rule->others, others, sizeof(others));
	return np_refuse(error, "%s needs %s: %s", one, others, rule->reason);
}

static int check_rules(const struct np_options *options, struct np_error *error)
{
	int rc = 0;

	for (const struct np_option_rule *rule = np_option_rules;
	     rule->options != NULL && rc == 0; rule++) {
		const char *names = rule->options;
		const struct np_option *option;

		while (rc == 0 && (option = take_option(&names)) != NULL) {
			if (is_set(option, options))
				rc = apply_rule(rule, option, options, error);
		}
	}
	return rc;
}

/* Refuses words of --buffers that other options, or each other, exclude. */
static int check_buffers(const struct np_options *options, struct np_error *error)
{
	static const struct {
		unsigned words;
		const char *what, *others, *reason;
	} rules[] = {
		{ NP_BUFFERS_TOUCHED, "--buffers touched",
		  "per-message integrity capacity why memory",
		  "it reads buffers into the CPU cache between samples" },
		{ NP_BUFFERS_FRESH, "--buffers fresh", "why",
		  "it maps new buffers for each block" },
		{ NP_BUFFERS_ROTATE_SEND | NP_BUFFERS_ROTATE_RECV,
		  "--buffers rotate-send or rotate-recv", "why",
		  "it chooses the side itself" },
		{ NP_BUFFERS_APART, "--buffers apart",
		  "expect variant tune fleet integrity replay replay-points",
		  "it compares the times of modes" },
		{ NP_BUFFERS_SAME, "--buffers same",
		  "stream bidirectional integrity burst why", "it sends a message back" },
	};
	const unsigned all = options->buffers,
		       rotating = all & (NP_BUFFERS_ROTATE | NP_BUFFERS_ROTATE_SEND |
					 NP_BUFFERS_ROTATE_RECV);
	const bool side = (rotating & ~(unsigned)NP_BUFFERS_ROTATE) != 0;
	int rc = 0;

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules) && rc == 0; i++) {
		if ((all & rules[i].words) != 0)
			rc = np_options_exclude(options, rules[i].what, rules[i].others,
						rules[i].reason, error);
	}
	if (rc == 0 && np_options_apart(options) && !np_options_reuse(options))
		rc = np_refuse(error, "--buffers apart needs reuse: it compares the times "
				      "of modes");
	if (rc == 0 && !np_options_reuse(options))
		rc = np_options_exclude(options, "--buffers without reuse",
					"expect capacity why",
					"it compares with the reused buffer", error);
	if (rc == 0 && (all & (NP_BUFFERS_FRESH | NP_BUFFERS_SAME)) != 0 &&
	    np_options_memory_side(options) != NP_ROTATE_BOTH)
		rc = np_refuse(error,
			       "--memory %s excludes fresh and same of --buffers: one side "
			       "lies in memory of the host",
			       np_memory_words[options->memory]);
	if (rc == 0 && (rotating & (rotating - 1)) != 0)
		rc = np_refuse(error, "--buffers takes one of rotate, rotate-send and "
				      "rotate-recv: rotate is both sides");
	if (rc == 0 && side && (all & NP_BUFFERS_SAME) != 0)
		rc = np_refuse(error, "--buffers same excludes rotate-send and "
				      "rotate-recv: both sides are one buffer");
	return rc;
}

int np_options_check(const struct np_options *options, struct np_error *error)
{
	int rc = check_rules(options, error);

	if (rc == 0)
		rc = check_buffers(options, error);

	if (rc != 0)
		return rc;
	if (options->sizes == NULL && options->lower > options->upper)
		return np_refuse(error, "-l %zu is above -u %zu", options->lower,
				 options->upper);
	if (options->per_message && options->stream && options->window != 1)
		return np_refuse(error, "--per-message cannot time the messages of a "
					"stream; with --window 1 it can");
	if (np_options_open(options) && options->token_file != NULL)
		return np_refuse(error, "--allow all excludes --token-file: it lets every "
					"host connect without a token");
	if ((options->align & (options->align - 1)) != 0)
		return np_refuse(error, "--align %zu is not a power of two",
				 options->align);
	return 0;
}

_Static_assert((int)NP_READ_CONDITIONS <= (int)NP_OPTION_CONDITIONS,
	       "a condition has no place");

int np_options_read(const struct np_option *const given[NP_OPTION_CONDITIONS],
		    const struct np_options *options, const struct np_request *request,
		    bool waits, struct np_error *error)
{
	const bool starts = options->remote != NULL || options->fleet;
	const bool times = !options->integrity && !request->tournament;
	const bool question =
		options->capacity != 0 || options->why != 0 || options->points != NULL;
	const bool expects = options->expect != NULL;
	const bool schedules = options->sizes == NULL && !question;
	const struct {
		bool read;
		const char *words;
	} conditions[NP_READ_CONDITIONS] = {
		[NP_READ_ALWAYS] = { true, "" },
		[NP_READ_AT_PORT] = { !options->local && !starts,
				      "is for a server that another command starts: not "
				      "with --local or --remote" },
		[NP_READ_CONNECTING] = { options->host != NULL || starts,
					 "needs -h or --remote" },
		[NP_READ_BY_CLIENT] = { !waits, "is for the client, or for --local" },
		[NP_READ_OF_RESULTS] = { !waits && times,
					 "needs times: neither a server, -i nor a "
					 "tournament has any" },
		[NP_READ_IN_PASSES] = { times, "needs passes: neither -i nor a tournament "
					       "makes any" },
		[NP_READ_COMPARING] = { times && (np_options_rotate(options) ||
						  options->variants.count != 0 ||
						  options->tune ||
						  request->variant_count > 1),
					"needs what is compared: -I, --capacity, --why, "
					"--replay, --variant or --tune" },
		[NP_READ_ROTATING] = { np_options_rotate(options),
				       "needs -I, --capacity, --why or --replay" },
		[NP_READ_SCHEDULING] = { schedules,
					 "is for the schedule of sizes: not with --sizes, "
					 "--capacity or --why" },
		[NP_READ_PERTURBING] = { (schedules && !options->quick &&
					  (!expects || np_plan_asks_sizes(options))) ||
						 options->perturbation == 0,
					 "is for the schedule of sizes: not with --sizes, "
					 "--expect, --capacity, --why, --replay or "
					 "--quick" },
	};

	for (size_t i = 0; i < NP_READ_CONDITIONS; i++) {
		/* Options of the plan are the client's: a server reports them by a message
		 * of its own. */
		if (given[i] != NULL && !conditions[i].read &&
		    !(waits && given[i]->scope == NP_SCOPE_PLAN))
			return np_refuse(
				error, given[i]->letter_only ? "-%.1s %s" : "--%s %s",
				given[i]->letter_only ? &given[i]->letter : given[i]->name,
				conditions[i].words);
	}
	return 0;
}
