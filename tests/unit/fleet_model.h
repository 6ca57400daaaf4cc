/*
 * fleet_model.h - a fleet whose slow host, pair or uplink is known, and its measurement
 * without a process: for test_fleet.c and lab/fleet.c.
 *
 * Racks have hosts of consecutive numbers.  Hosts and pairs differ a little even where none
 * is slow; each measurement scatters, and one in a thousand is disturbed.
 */
#pragma once

#include "lab/draws.h"
#include "fleet/fleet.h"

enum planted { HEALTHY, SLOW_HOST, SLOW_PAIR, SLOW_UPLINK, CROWDED_PAIR, PLANTED };

struct fleet_model {
	size_t hosts, rack; /* hosts of a rack */
	enum planted planted;
	double times;	      /* how much longer it takes: 1.1 */
	double noise;	      /* deviation of a measurement: 0.01 */
	size_t host, partner; /* what is slow; the rack is that of host */
	struct np_random random;
	double *host_effects;
	uint64_t seed;
};

static const double host_deviation = 0.01, pair_deviation = 0.005, within_rack = -0.15;

static inline size_t rack_of(const struct fleet_model *model, size_t host)
{
	return host / model->rack;
}

/* The same for a pair each time. */
static inline double pair_effect(const struct fleet_model *model, size_t one, size_t other)
{
	struct np_random random = { .state =
					    model->seed ^ (np_fleet_at(one, other) << 20) };

	/* Uniform, of that deviation. */
	return (draw_uniform(&random) - 0.5) * sqrt(12) * pair_deviation;
}

static inline double planted_effect(const struct fleet_model *model, size_t one,
				    size_t other, bool beside_others)
{
	const size_t rack = rack_of(model, model->host);
	bool slow = false;

	switch (model->planted) {
	case SLOW_HOST:
		slow = one == model->host || other == model->host;
		break;
	case CROWDED_PAIR:
	case SLOW_PAIR:
		slow = (one == model->host && other == model->partner) ||
		       (other == model->host && one == model->partner);
		slow &= model->planted == SLOW_PAIR || beside_others;
		break;
	case SLOW_UPLINK:
		slow = (rack_of(model, one) == rack) != (rack_of(model, other) == rack);
		break;
	default:
		break;
	}
	return slow ? log(model->times) : 0;
}

/* Logarithm of the time of a pair. */
static inline double draw_time(struct fleet_model *model, size_t one, size_t other,
			       bool beside_others)
{
	const bool disturbed = np_random_below(&model->random, 1000) == 0;

	return model->host_effects[one] + model->host_effects[other] +
	       pair_effect(model, one, other) +
	       planted_effect(model, one, other, beside_others) +
	       model->noise * draw_normal(&model->random) +
	       (rack_of(model, one) == rack_of(model, other) ? within_rack : 0) -
	       (disturbed ? 0.2 * log(draw_uniform(&model->random)) : 0);
}

static inline int measure_model(void *context, struct np_pair_sample *samples, size_t count)
{
	struct fleet_model *model = context;

	for (size_t i = 0; i < count; i++) {
		samples[i].size_count = 1;
		samples[i].bytes[0] = 64;
		samples[i].seconds[0] =
			exp(draw_time(model, samples[i].one, samples[i].other, count > 1));
		samples[i].error[0] = (double)NAN;
	}
	return 0;
}

/* Where something is planted, and who differs from whom. */
static inline void draw_model(struct fleet_model *model, double *host_effects)
{
	struct np_random random = { .state = model->seed };

	model->host_effects = host_effects;
	for (size_t i = 0; i < model->hosts; i++)
		host_effects[i] = host_deviation * draw_normal(&random);
	model->host = (size_t)np_random_below(&random, model->hosts);
	model->partner =
		(model->host + 1 + (size_t)np_random_below(&random, model->hosts - 1)) %
		model->hosts;
	model->random.state = np_random_next(&random);
}

/* What is said of a fleet. */
struct fleet_said {
	size_t alarms; /* slow hosts, groups and pairs */
	size_t open;   /* those that are undecided */
	bool named;    /* what is slow in truth, as what it is */
	bool found;    /* and nothing else */
};

static inline struct fleet_said read_fleet(const struct fleet_model *model,
					   const struct np_fleet_run *run)
{
	const struct np_fleet *fleet = &run->fleets[0];
	struct fleet_said said = { .alarms = 0 };

	for (size_t i = 0; i < fleet->hosts; i++) {
		said.alarms += fleet->host_effects[i].slow;
		said.open += fleet->host_effects[i].undecided;
		said.named |= fleet->host_effects[i].slow && model->planted == SLOW_HOST &&
			      i == model->host;
	}
	for (size_t g = 0; g < fleet->groups; g++) {
		said.alarms += fleet->group_effects[g].slow;
		said.open += fleet->group_effects[g].undecided;
		said.named |=
			fleet->group_effects[g].slow && fleet->group_effects[g].uplink &&
			model->planted == SLOW_UPLINK && g == rack_of(model, model->host);
	}
	for (size_t i = 0; i < run->suspects[0].count; i++) {
		const struct np_fleet_suspect *pair = &run->suspects[0].list[i];
		const bool it =
			(pair->one == model->host && pair->other == model->partner) ||
			(pair->other == model->host && pair->one == model->partner);
		const bool slow = pair->outcome == NP_FLEET_SLOW,
			   crowded = pair->outcome == NP_FLEET_CROWDED;

		said.alarms += slow || crowded;
		said.open += pair->outcome == NP_FLEET_UNDECIDED ||
			     pair->outcome == NP_FLEET_UNSEEN;
		said.named |= it && ((slow && model->planted == SLOW_PAIR) ||
				     (crowded && model->planted == CROWDED_PAIR));
	}
	said.found = said.named && said.alarms == 1;
	return said;
}

/* Names hosts by number and rack.  Returns 0 or -ENOMEM. */
static inline int name_hosts(struct np_host_list *list, size_t count, size_t rack)
{
	char name[NP_HOST_NAME], group[NP_HOST_NAME];
	int rc = 0;

	list->ranks = true;
	for (size_t i = 0; i < count && rc == 0; i++) {
		snprintf(name, sizeof(name), "%zu node%05zu core 0", i, i);
		snprintf(group, sizeof(group), "rack%zu", i / rack);
		rc = np_host_list_add(list, name, "core 0");
		if (rc == 0)
			rc = np_host_list_join(list, i, group);
	}
	return rc;
}

/* Measures and judges a fleet.  Returns 0 or -errno. */
static inline int try_fleet(struct fleet_model *model, struct fleet_said *said,
			    size_t *rounds)
{
	double *effects = calloc(model->hosts, sizeof(*effects));
	struct np_host_list hosts = { .hosts = NULL };
	struct np_fleet_run run;
	int rc = effects != NULL ? name_hosts(&hosts, model->hosts, model->rack) : -1;
	const int begun = np_fleet_run_init(&run, &hosts, 0.07);

	if (rc == 0 && begun == 0) {
		draw_model(model, effects);
		rc = np_fleet_run_measure(&run, measure_model, model, model->seed);
		*said = read_fleet(model, &run);
	}
	*rounds = run.rounds;
	np_fleet_run_free(&run);
	np_host_list_free(&hosts);
	free(effects);
	return rc != 0 ? rc : begun;
}
