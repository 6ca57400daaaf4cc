/*
 * budget.c - time budget of a run, and its division into passes and visits.
 */
#include "plan/budget.h"

#include <math.h>

enum {
	PASSES = 6,	       /* the fewest that give an interval of a median */
	ALTERNATE_ROUNDS = 64, /* blocks of each mode in a visit of --why */
	SHORT_VISIT = 50,      /* samples a mode in a short visit, warm-up included */
	/* Target length of a sample, in errors of a clock reading.  Calibration accepts 0.7
	 * of it, which has to be 100: an error of 1 %. */
	SAMPLE_GRAINS = 150,
	/* --watch: seconds of a pass, and blocks of a visit, a second each at most.  A
	 * visit keeps the medians of NP_VISIT_BLOCKS blocks. */
	WATCH_PASS = 60,
	WATCH_BLOCKS = 60,
	WATCH_SAMPLES = 64, /* samples of a block, warm-up included */
	LONG_VISIT = 8	    /* long samples a mode in a visit: four, each after a warm-up */
};

/* Rate at which both processes map, fault in and fill memory, bytes/s: a lower and an upper
 * bound. */
static const double mapped_per_second = 5e8, mapped_at_most = 4e9;

/* Pool, bytes, up to which the mapping time is ignored in a run that does not rotate. */
enum { POOL_UNNOTICED = 64 << 20 };

/* Upper bound of the budget, seconds: 30 years, whose nanoseconds fit in 64 bits. The
 * estimated mapping time grows with the memory that a host reports. */
static const double longest_budget = 1e9;

/* Returns the number of measurements of a size in a pass (modes, conditions, variants) that
 * lengthen the default budget.  Controls, and modes of a condition that are not compared,
 * take their time from the others. */
static double count_asked(const struct np_plan *plan)
{
	const size_t controls =
		np_plan_has_mode(plan, NP_MODE_CONTROL) ? plan->variant_count : 0;

	return (double)((plan->mode_count + 2 * np_conditions_asked(plan->conditions)) *
				plan->variant_count -
			controls);
}

/* Returns the estimated time of mapping in a pass, seconds: for the pool, and for each
 * condition of --why that maps another one.  0 for a small pool without rotation, and for a
 * model. */
static double mapping_time(const struct np_resources *resources, const struct np_plan *plan)
{
	size_t mappings =
		np_plan_has_mode(plan, NP_MODE_ROTATE) || plan->pool_bytes > POOL_UNNOTICED;

	for (enum np_factor factor = NP_FACTOR_NONE + 1; factor < NP_FACTORS; factor++)
		mappings += plan->conditions[factor].asked && factor != NP_FACTOR_WAIT;
	return resources->models ?
		       0 :
		       (double)mappings * (double)plan->pool_bytes / mapped_per_second;
}

/* Returns the time budget of one run, seconds: its share of --time-budget, else a default
 * per mode, plus `mapping` seconds. */
static double choose_budget(const struct np_options *options, const struct np_plan *plan,
			    double mapping)
{
	/* Default, seconds a mode.  Shorter for --why, which has one size; longer for a
	 * capacity sweep, where each point first touches all its buffers. */
	const double slow = options->capacity != 0 ? 2.5 : 1;
	const double per_mode = plan->alternate ? (options->quick ? 0.7 : 4) :
						  slow * (options->quick ? 7 : 40);
	/* --variant with a run for each variant: these runs share one budget. */
	const double rounds = options->separate_runs != 0 && plan->variant_count == 1 ?
				      (double)options->separate_runs :
				      1;

	if (options->watch > 0)
		return options->watch;
	if (options->time_budget != 0)
		return options->time_budget / (double)options->runs / rounds /
		       (options->refine ? 1 + NP_BUDGET_REFINE : 1);
	/* Without rotation the control has a run, too: its time is taken from the runs of
	 * the variants. */
	const double own = rounds > 1 ? (double)options->variants.count / rounds : 1;

	return fmin(own * per_mode * count_asked(plan) / (double)options->runs + mapping,
		    longest_budget);
}

double np_budget_estimate(const struct np_options *options, const struct np_plan *plan)
{
	/* With --passes alone, the run ends after that number of passes.  PASSES passes
	 * take half of a budget. */
	const double passes =
		options->passes != 0 && options->time_budget == 0 && options->watch == 0 ?
			NP_BUDGET_LEAST_PASSES * (double)options->passes / PASSES :
			1;

	/* The search of --refine follows the passes, with a time limit of its own. */
	return (passes + (options->refine ? NP_BUDGET_REFINE : 0)) *
	       choose_budget(options, plan, 0);
}

/* Returns whether visits are short.  Short visits, down to 5 ms, reach --precision
 * sooner, and ratios gain from more and shorter ones (doc/results.md).  --refine,
 * percentiles, and runs as statistical units need long ones. */
static bool has_short_visits(const struct np_options *options, const struct np_plan *plan)
{
	return options->precision > 0 && options->runs <= 1 && options->expect == NULL &&
	       !options->refine && !options->per_message && plan->sweep_count == 0;
}

/* Minimum duration of a pass that rotates, seconds.  A pass begins with a new registration
 * of the pool: the first message in each buffer must be a small share of all, even if a run
 * has few sizes. */
static const double least_pass = 0.2;

/* Returns the number of measurements of a pass, each of one mode at one size. */
static double count_visits(const struct np_plan *plan)
{
	const size_t points = plan->sweep_count != 0 ? plan->sweep_count : plan->size_count;

	return (double)points * (double)np_plan_measured(plan);
}

int np_budget_refuse(const struct np_options *options, const struct np_resources *resources,
		     const struct np_plan *plan, struct np_error *error)
{
	const double least = (double)plan->pool_bytes / mapped_at_most;
	const size_t largest = plan->sizes[plan->size_count - 1];

	if (options->time_budget == 0 || resources->models || least <= options->time_budget)
		return 0;
	return np_refuse(error,
			 "--time-budget %g: buffers of %zu bytes take %g s at least, "
			 "for their memory alone; give --time-budget %.0f, or %s",
			 options->time_budget, largest, ceil(1e3 * least) / 1e3,
			 ceil((double)plan->pool_bytes / mapped_per_second * 2),
			 options->capacity != 0 || options->why != 0 ? "a smaller --pool" :
								       "smaller --sizes");
}

void np_budget_lengthen(const struct np_options *options, double grain_ns,
			struct np_plan *plan)
{
	const double needed = SAMPLE_GRAINS * grain_ns;
	const double fits = NP_BUDGET_LEAST_PASSES * (double)plan->budget_ns /
			    (count_visits(plan) * (double)plan->passes);

	if (options->sample_time != 0 || needed <= (double)plan->sample_ns)
		return;
	plan->sample_ns = (uint64_t)fmin(needed, fmax(fits, (double)plan->sample_ns));
	plan->visit_ns = (uint64_t)fmax((double)plan->visit_ns,
					fmin(LONG_VISIT * (double)plan->sample_ns, fits));
}

unsigned np_budget_passes(const struct np_options *options)
{
	return options->watch > 0 ? (unsigned)ceil(options->watch / WATCH_PASS) :
				    (unsigned)options->passes;
}

/* --watch: passes of a minute, or of the whole time if that is shorter. */
static void plan_watch(const struct np_options *options, double visits,
		       struct np_plan *plan)
{
	const double visit = fmin(options->watch, WATCH_PASS) / visits;

	plan->pairs = WATCH_BLOCKS;
	plan->visit_ns = (uint64_t)(visit * 1e9);
	if (options->sample_time == 0)
		plan->sample_ns = plan->visit_ns / WATCH_BLOCKS / WATCH_SAMPLES;
	plan->precision = 0;
}

/* Returns the time of a visit, seconds, with which the planned passes fit `left` seconds.
 */
static double fit_visit(const struct np_plan *plan, double left)
{
	return NP_BUDGET_LEAST_PASSES * left / (count_visits(plan) * (double)plan->passes);
}

double np_budget_lateness(const struct np_plan *plan, double begin_ns, double now_ns,
			  size_t done, size_t count)
{
	/* Minimum number of sizes from which the duration of a pass is extrapolated; a
	 * quarter of all, unless they have taken a tenth of the budget.  Extrapolation
	 * multiplies a disturbance of one size. */
	enum { SAMPLE = 8, QUARTER = 4, TENTH = 10 };
	const double took_ns = now_ns - begin_ns, budget_ns = (double)plan->budget_ns;

	if (count < NP_BUDGET_FEWEST || done < SAMPLE ||
	    (done < count / QUARTER && took_ns < budget_ns / TENTH))
		return 0;
	return (begin_ns + took_ns * (double)count / (double)done * plan->passes) /
	       budget_ns;
}

double np_budget_pace(const struct np_plan *plan, unsigned passes, double pace,
		      double pass_ns, double left_ns)
{
	const double left = (double)plan->passes - (double)passes;

	if (left <= 0)
		return 1;
	return fmin(1, fmax(NP_BUDGET_SHORTEST,
			    pace * NP_BUDGET_LATE * left_ns / (left * pass_ns)));
}

/* Leaves out the sizes between powers of two if visits of all would be too short. */
static void thin_sizes(struct np_plan *plan, double left)
{
	size_t count = 0;

	if (plan->sweep_count != 0 || plan->size_count < NP_BUDGET_FEWEST ||
	    fit_visit(plan, left) >= NP_BUDGET_LEAST_VISIT)
		return;
	for (size_t i = 0; i < plan->size_count; i++) {
		if ((plan->sizes[i] & (plan->sizes[i] - 1)) == 0)
			plan->sizes[count++] = plan->sizes[i];
	}
	if (count == 0)
		return;
	plan->too_many_for_budget = plan->size_count - count;
	plan->size_count = count;
}

void np_budget_plan(const struct np_options *options, const struct np_resources *resources,
		    struct np_plan *plan)
{
	double visit = options->quick ? 0.015 : 0.020;

	plan->sample_ns = (uint64_t)(options->sample_time * 1000);
	if (plan->sample_ns == 0)
		plan->sample_ns = plan->operation == NP_STREAM ? 2000000 : 100000;
	plan->passes = np_budget_passes(options);
	plan->passes = plan->passes != 0 ? plan->passes : PASSES;
	/* With several runs the run, not the pass, is the independent sample: a few passes
	 * each are enough. */
	if (options->runs > 1 && options->passes == 0)
		plan->passes = options->runs >= 3 ? 2 : 3;
	const double mapping = plan->passes * mapping_time(resources, plan);
	const double budget = choose_budget(options, plan, mapping);
	const double left = budget - mapping > budget / 2 ? budget - mapping : budget / 2;
	if (np_budget_passes(options) == 0 || options->time_budget != 0)
		thin_sizes(plan, left);
	const double least = np_plan_has_mode(plan, NP_MODE_ROTATE) ?
				     least_pass / count_visits(plan) :
				     0;
	if (has_short_visits(options, plan))
		visit = fmin(visit,
			     fmax(SHORT_VISIT * (double)plan->sample_ns * 1e-9, least));
	/* plan->passes passes take half of the budget; the other half is for sizes whose
	 * confidence intervals are wide. */
	const double fits = fit_visit(plan, left);
	if (fits < visit || plan->alternate)
		visit = fits;
	plan->visit_ns = (uint64_t)(visit * 1e9);
	plan->budget_ns = (uint64_t)(budget * 1e9);
	plan->command_s = options->passes != 0 && options->time_budget == 0 ?
				  0 :
				  budget * (options->refine ? 1 + NP_BUDGET_REFINE : 1) *
					  (double)options->runs *
					  (options->separate_runs != 0 ?
						   (double)options->separate_runs :
						   1);
	plan->pairs = plan->alternate ? ALTERNATE_ROUNDS : 4;
	/* Costs of --replay are sums over all points of a pass: no point may stop early. */
	plan->precision = options->points != NULL ? 0 : options->precision / 100;
	if (options->time_budget == 0 && !options->quick && has_short_visits(options, plan))
		plan->open_most = plan->size_count / NP_BUDGET_OPEN;
	if (options->watch > 0)
		plan_watch(options, count_visits(plan), plan);
}
