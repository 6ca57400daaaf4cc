/*
 * ofi_facts.c - providers of this host and why one cannot be used, names of libfabric's
 * variables, and facts of the endpoint.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ofi_private.h"

/* ---- providers of this host ---------------------------------------------- */

/* All endpoints of the host, of one provider unless NULL.  NULL: there are none. */
static struct fi_info *read_all(const char *provider, uint64_t flags)
{
	struct fi_info *hints = fi_allocinfo(), *all = NULL;

	if (hints == NULL)
		return NULL;
	hints->mode = ~UINT64_C(0);
	hints->domain_attr->mode = ~UINT64_C(0);
	hints->domain_attr->mr_mode = ~(FI_MR_BASIC | FI_MR_SCALABLE);
	if (provider != NULL)
		hints->fabric_attr->prov_name = strdup(provider);
	if (fi_getinfo(FI_VERSION(1, 14), NULL, NULL, flags, hints, &all) != 0)
		all = NULL;
	fi_freeinfo(hints);
	return all;
}

/* Requirements of the options in the order in which an endpoint is held to them; of the
 * endpoint that meets most, the next is the reason. */
static const char *const reasons[] = {
	"its datagrams are unreliable",
	"no endpoint of that type: --connection",
	"no tagged messages (FI_TAGGED)",
	"no reads and writes of memory (FI_RMA)",
	"it requires registered buffers (FI_MR_LOCAL): --register pool",
	"its domains have other names than -D",
};
enum { REASONS = sizeof(reasons) / sizeof(*reasons) };

/* Number of the first requirement that an endpoint does not meet; REASONS: meets all. */
static size_t count_met(const struct np_ofi_options *options, const struct fi_info *info)
{
	const enum fi_ep_type type = options->endpoint != 0 ? FI_EP_MSG : FI_EP_RDM;
	const bool met[REASONS] = {
		info->ep_attr->type != FI_EP_DGRAM,
		info->ep_attr->type == type,
		options->transfer != NP_OFI_TAGGED || (info->caps & FI_TAGGED) != 0,
		!np_ofi_is_remote(options->transfer) || (info->caps & FI_RMA) != 0,
		options->registering != NP_OFI_REGISTER_NONE ||
			(info->domain_attr->mr_mode & FI_MR_LOCAL) == 0,
		options->domain == NULL ||
			strcmp(options->domain, info->domain_attr->name) == 0,
	};
	size_t count = 0;

	while (count < REASONS && met[count])
		count++;
	return count;
}

int np_ofi_no_provider(const struct np_ofi_options *options, int code,
		       struct np_error *error)
{
	struct fi_info *all = read_all(options->provider, 0);
	const char *reason =
		all == NULL ? "there is none of it on this host" : fi_strerror(code);
	size_t most = 0;
	char quoted[64];

	for (const struct fi_info *at = all; at != NULL; at = at->next) {
		const size_t met = count_met(options, at);

		most = met > most ? met : most;
	}
	if (all != NULL && most < REASONS)
		reason = reasons[most];
	fi_freeinfo(all);
	return np_refuse(error,
			 "--provider: libfabric has no provider '%s' for -t %s by "
			 "--connection %s: %s (--list-devices lists all)",
			 options->provider != NULL ?
				 np_quote(options->provider, quoted, sizeof(quoted)) :
				 "any",
			 np_ofi_transfer_names[options->transfer],
			 np_ofi_endpoint_names[options->endpoint], reason);
}

/* Requirements of registrations. */
static const char *mr_mode_of(const struct fi_info *info)
{
	return info->domain_attr->mr_mode == 0 ?
		       "none" :
		       fi_tostr(&info->domain_attr->mr_mode, FI_TYPE_MR_MODE);
}

/* Lists the domains of one provider and type of endpoint, each once. */
static void list_domains(const struct fi_info *all, const struct fi_info *of, char *list,
			 size_t size)
{
	char word[80];
	size_t at = 0;

	list[0] = '\0';
	for (; all != NULL; all = all->next) {
		snprintf(word, sizeof(word), " %s,", all->domain_attr->name);
		if (strcmp(all->fabric_attr->prov_name, of->fabric_attr->prov_name) == 0 &&
		    all->ep_attr->type == of->ep_attr->type && strstr(list, word) == NULL &&
		    at + strlen(word) < size)
			at += (size_t)snprintf(list + at, size - at, "%s", word);
	}
	/* The last comma. */
	list[at != 0 ? at - 1 : 0] = '\0';
}

/* True if libfabric finds an endpoint of the provider for the options.  Layered providers
 * lift requirements of those below. */
static bool serves(const struct np_ofi_options *options)
{
	struct fi_info *hints = np_ofi_hints(options), *found = NULL;
	const bool does = hints != NULL &&
			  fi_getinfo(FI_VERSION(1, 14), NULL, NULL, 0, hints, &found) == 0;

	fi_freeinfo(hints);
	fi_freeinfo(found);
	return does;
}

static void add_provider(struct np_facts *facts, const struct fi_info *all,
			 const struct fi_info *info, const struct np_ofi_options *options)
{
	const char *name = info->fabric_attr->prov_name;
	const char *before = np_facts_find(facts, name);
	const char *type = info->ep_attr->type == FI_EP_MSG ? "--connection msg" :
			   info->ep_attr->type == FI_EP_RDM ? "--connection rdm" :
							      "datagrams";
	struct np_ofi_options any = { .provider = NULL };
	char domains[256], longest[40] = "";

	if (before != NULL && strstr(before, type) != NULL)
		return;
	list_domains(all, info, domains, sizeof(domains));
	if (options != NULL)
		any = *options;
	any.endpoint = info->ep_attr->type == FI_EP_MSG;
	any.domain = NULL;
	any.provider = name;
	const bool reliable = info->ep_attr->type != FI_EP_DGRAM;
	const size_t met = reliable && serves(&any) ? REASONS : count_met(&any, info);

	if (info->ep_attr->max_msg_size < SIZE_MAX / 2)
		snprintf(longest, sizeof(longest), ", at most %zu B",
			 info->ep_attr->max_msg_size);
	np_facts_add(facts, name, "%s%s%s -D%s; inject %zu B%s, mr_mode %s%s%s",
		     before != NULL ? before : "", before != NULL ? "; " : "", type,
		     domains, info->tx_attr->inject_size, longest, mr_mode_of(info),
		     met < REASONS ? "; not usable: " : "",
		     met < REASONS ? reasons[met] : "");
}

int np_ofi_list(const void *options, struct np_facts *facts, struct np_error *error)
{
	struct fi_info *all = read_all(NULL, 0);
	struct fi_info *known = read_all(NULL, FI_PROV_ATTR_ONLY);

	(void)error;
	for (const struct fi_info *at = all; at != NULL; at = at->next)
		add_provider(facts, all, at, options);
	/* Providers of the library that offer nothing here; hooks wrap others. */
	for (const struct fi_info *at = known; at != NULL; at = at->next) {
		const char *name = at->fabric_attr->prov_name;
		bool found = strncmp(name, "ofi_hook_", 9) == 0;

		for (const struct fi_info *of = all; of != NULL && !found; of = of->next)
			found = strstr(of->fabric_attr->prov_name, name) != NULL;
		if (!found)
			np_facts_add(facts, name, "not usable: no device of it here");
	}
	fi_freeinfo(all);
	fi_freeinfo(known);
	return 0;
}

/* ---- variables ----------------------------------------------------------- */

int np_ofi_check_variable(const char *name, struct np_error *error)
{
	struct fi_param *params = NULL;
	bool found = strncmp(name, "FI_", 3) != 0;
	int count = 0;

	if (found || fi_getparams(&params, &count) != 0)
		return 0;
	for (int i = 0; i < count && !found; i++)
		found = strcmp(params[i].name, name) == 0;
	fi_freeparams(params);
	return found ? 0 :
		       np_refuse(error,
				 "libfabric has no variable %s: fi_info -e lists "
				 "all",
				 name);
}

/* Adds variables whose settings a reader of results looks for: FI_MR_CACHE_MONITOR as
 * mr_cache_monitor. */
static void add_settings(struct np_facts *facts)
{
	static const char *const names[] = { "FI_MR_CACHE_MAX_COUNT",
					     "FI_MR_CACHE_MAX_SIZE", "FI_MR_CACHE_MONITOR",
					     "FI_OFI_RXM_BUFFER_SIZE" };
	struct fi_param *params = NULL;
	char fact[32] = "";
	int count = 0;

	if (fi_getparams(&params, &count) != 0)
		return;
	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
		for (size_t at = 0; names[k][at + 2] != '\0'; at++)
			fact[at] = (char)tolower((unsigned char)names[k][at + 3]);
		for (int i = 0; i < count; i++) {
			if (strcmp(params[i].name, names[k]) == 0)
				np_facts_add(facts, fact, "%s",
					     params[i].value != NULL ? params[i].value :
								       "default");
		}
	}
	fi_freeparams(params);
}

/* ---- facts of the endpoint ----------------------------------------------- */

void np_ofi_library(char *text, size_t size)
{
	snprintf(text, size, "libfabric %s", fi_tostr("", FI_TYPE_VERSION));
}

void np_ofi_describe(struct np_endpoint *endpoint, struct np_facts *facts)
{
	struct np_ofi *ofi = np_ofi_of(endpoint);
	const struct np_ofi_options *options = np_ofi_options_of(ofi);
	const struct fi_info *info = ofi->info;
	const bool rma = np_ofi_is_remote(options->transfer);

	const char *mode = options->registering == NP_OFI_REGISTER_EACH	       ? "each" :
			   rma || options->registering == NP_OFI_REGISTER_POOL ? "pool" :
										 "none";
	const uint32_t version = info->fabric_attr->prov_version;
	const size_t longest = info->ep_attr->max_msg_size;

	np_facts_add(facts, "libfabric_version", "%s", fi_tostr("", FI_TYPE_VERSION));
	np_facts_add(facts, "provider", "%s", info->fabric_attr->prov_name);
	np_facts_add(facts, "provider_version", "%u.%u", FI_MAJOR(version),
		     FI_MINOR(version));
	np_facts_add(facts, "domain", "%s", info->domain_attr->name);
	np_facts_add(facts, "fabric", "%s", info->fabric_attr->name);
	np_facts_add(facts, "protocol", "%s, version %u",
		     fi_tostr(&info->ep_attr->protocol, FI_TYPE_PROTOCOL),
		     info->ep_attr->protocol_version);
	np_facts_add(facts, "mr_mode", "%s", mr_mode_of(info));
	np_facts_add(facts, "registered", "%s", mode);
	np_facts_add_number(facts, "inject_limit_bytes", info->tx_attr->inject_size,
			    NP_UNIT_BYTES, "tx_attr.inject_size");
	if (longest < SIZE_MAX / 2)
		np_facts_add_number(facts, "message_limit_bytes", longest, NP_UNIT_BYTES,
				    "ep_attr.max_msg_size");
	np_facts_add_number(facts, "send_queue", info->tx_attr->size, NP_UNIT_COUNT,
			    "tx_attr.size");
	np_facts_add_number(facts, "receive_queue", info->rx_attr->size, NP_UNIT_COUNT,
			    "rx_attr.size");
	add_settings(facts);
}
