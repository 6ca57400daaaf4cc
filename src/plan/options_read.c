/*
 * options_read.c - refuses options that this run would not read: .read_if of the table
 * names a condition, which is evaluated here.
 */
#include "plan/options_read.h"

#include "plan/plan.h"

_Static_assert((int)NP_READ_CONDITIONS <= (int)NP_OPTION_CONDITIONS,
	       "a condition has no place");

int np_options_read(const struct np_option *const given[NP_OPTION_CONDITIONS],
		    const struct np_options *options, const struct np_request *request,
		    bool waits, struct np_error *error)
{
	const bool starts = options->remote != NULL || options->all_pairs;
	const bool times = !options->integrity && !request->tournament;
	const bool question = options->capacity != 0 || options->why != 0;
	const bool expects = options->expect != NULL || options->expect_file != NULL;
	const bool schedules = options->sizes == NULL && !question;
	const struct {
		bool read;
		const char *words;
	} conditions[NP_READ_CONDITIONS] = {
		[NP_READ_ALWAYS] = { true, "" },
		[NP_READ_AT_PORT] = { !options->local && !starts,
				      "is for a server that another command starts: not "
				      "with --local, --remote or --all-pairs" },
		[NP_READ_CONNECTING] = { options->host != NULL || starts,
					 "needs -h, --remote or --all-pairs" },
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
					"--variant or --tune" },
		[NP_READ_ROTATING] = { np_options_rotate(options),
				       "needs -I, --capacity or --why" },
		[NP_READ_SCHEDULING] = { schedules,
					 "is for the schedule of sizes: not with --sizes, "
					 "--capacity or --why" },
		[NP_READ_PERTURBING] = { (schedules && !options->quick &&
					  (!expects || np_plan_asks_sizes(options))) ||
						 options->perturbation == 0,
					 "is for the schedule of sizes: not with --sizes, "
					 "--expect, --capacity, --why or --quick" },
		[NP_READ_EXPECTING] = { expects, "needs --expect or --expect-file" },
		[NP_READ_OF_ALL_PAIRS] = { options->all_pairs || request->tournament,
					   "needs a comparison of all pairs" },
	};

	for (size_t i = 0; i < NP_READ_CONDITIONS; i++) {
		/* The server's own message: the client decides. */
		if (given[i] != NULL && !conditions[i].read &&
		    !(waits && given[i]->scope == NP_SCOPE_PLAN))
			return np_refuse(error, "--%s %s", given[i]->name,
					 conditions[i].words);
	}
	return 0;
}
