/*
 * ofi.c - NPofi, messages over libfabric: options, providers of this host, setup of sizes
 * and blocks, facts, and module table.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ofi_private.h"

/* ---- Options ------------------------------------------------------------- */

/* Receives of the providers of TCP over message endpoints; arm() checks the provider's. */
enum { WINDOW_MOST = NP_OFI_RING / 2 };

static const char *const transfer_names[NP_OFI_TRANSFERS + 1] = {
	[NP_OFI_MSG] = "msg",
	[NP_OFI_TAGGED] = "tagged",
	[NP_OFI_WRITE] = "rma_write",
	[NP_OFI_READ] = "rma_read",
};
static const char *const endpoint_names[3] = { "rdm", "msg" };

static const char *const completion_names[NP_OFI_COMPLETIONS + 1] = { "poll", "event",
								      "counter" };
static const char *const registering_names[NP_OFI_REGISTERINGS + 1] = { "none", "pool",
									"each" };
static const char *const inject_names[] = { "auto", "no", NULL };

#define AT(member) offsetof(struct np_ofi_options, member)

// clang-format off
static const struct np_option options_table[] = {
	{ 't', "transfer", "HOW", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(transfer), 0, 0, transfer_names, "msg",
	  "what carries a message",
	  .group = "What carries a message", .brief = true, .varies = true },
	{ 'c', "wait", "MODE", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(completion), 0, 0, completion_names, "poll",
	  "how a process waits",
	  .brief = true, .varies = true },
	{ 0, "register", "WHAT", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(registering), 0, 0, registering_names, "none",
	  "what is registered for local use: nothing, the pool before anything is timed, or the buffer around each message",
	  .varies = true },
	{ 0, "inline", "WHEN", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(inject), 0, 0, inject_names, "auto",
	  "messages that are sent by fi_inject(): those up to the limit of the provider, or none",
	  .varies = true },
	{ 0, "provider", "NAME", NP_OPTION_TEXT, NP_SCOPE_PLAN, AT(provider), 0, 0, NULL, NULL,
	  "provider, as --list-devices has them; without it libfabric chooses",
	  .group = "The provider", .varies = true },
	{ 0, "connection", "TYPE", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(endpoint), 0, 0, endpoint_names, "rdm",
	  "type of the endpoint: reliable datagrams, or a connection",
	  .varies = true },
	{ 'D', "device", "DOMAIN", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(domain), 0, 0, NULL, NULL,
	  "domain that this process uses, as --list-devices has them" },
	{ 0 },
};
// clang-format on

/* Refuses the first exclusion that applies. */
static int check_exclusions(const struct np_ofi_options *options,
			    const struct np_request *request, struct np_error *error)
{
	const bool rma = np_ofi_is_remote(options->transfer);
	const bool each = options->registering == NP_OFI_REGISTER_EACH;
	const bool counter = options->completion == NP_OFI_COUNTER;
	const bool empty = request->smallest == 0;
	const struct np_refusal refusals[] = {
		{ empty && rma, "-l 0",
		  "a read or write of 0 B moves nothing: use -t msg or tagged" },
		{ empty && each, "-l 0", "0 B cannot be registered: use --register none" },
		{ request->window > WINDOW_MOST, "--window", "the maximum is 512" },
		{ each && rma, "--register each",
		  "the remote key would have to travel before each message: use -t msg or "
		  "tagged" },
		{ each && counter, "--register each",
		  "a counter does not name the buffer to deregister: use -c poll or "
		  "event" },
		{ counter && options->transfer == NP_OFI_WRITE &&
			  request->operation != NP_STREAM,
		  "-c counter",
		  "the target of a write reads its notice from the queue: use -c poll or "
		  "event, or -s" },
		{ .option = NULL },
	};

	return np_refuse_first(refusals, "ofi", error);
}

static int check(const void *values, struct np_request *request, struct np_error *error)
{
	const struct np_ofi_options *options = values;
	const bool rma = np_ofi_is_remote(options->transfer);
	const bool pool = options->registering == NP_OFI_REGISTER_POOL;
	const int rc = check_exclusions(options, request, error);

	if (rc != 0)
		return rc;
	request->reaches_region = rma;
	/* Writes in both directions use the buffers of both processes. */
	if (pool || (options->transfer == NP_OFI_WRITE && request->operation != NP_STREAM))
		request->capabilities &= ~(unsigned)NP_CAN_FRESH;
	if (!rma && !pool)
		request->capabilities &= ~(unsigned)NP_CAN_REGISTER;
	if (options->transfer == NP_OFI_READ)
		return np_request_reads(request, "ofi", "read", "read_stream", error);
	if (request->operation == NP_STREAM && request->window == 0)
		request->window = NP_STREAM_WINDOW;
	/* A writer would overrun a receiver that waits for each message. */
	if (request->operation == NP_STREAM && rma)
		np_request_one_sided(request, NP_ONE_SIDED_PUT, "write_stream");
	return 0;
}

/* ---- providers of this host ---------------------------------------------- */

/* Endpoints that match hints.  Returns 0 or a negative code of libfabric. */
static int find(const struct fi_info *hints, uint64_t flags, struct fi_info **found)
{
	return fi_getinfo(FI_VERSION(1, 14), NULL, NULL, flags, hints, found);
}

static enum fi_ep_type type_of(const struct np_ofi_options *options)
{
	return options->endpoint != 0 ? FI_EP_MSG : FI_EP_RDM;
}

/* Hints of the options, which the caller frees; NULL without memory. */
static struct fi_info *make_hints(const struct np_ofi_options *options)
{
	struct fi_info *hints = fi_allocinfo();
	const bool registers = options->registering != NP_OFI_REGISTER_NONE;

	if (hints == NULL)
		return NULL;
	hints->caps = options->transfer == NP_OFI_TAGGED ? FI_TAGGED : FI_MSG;
	if (np_ofi_is_remote(options->transfer))
		hints->caps |= FI_RMA;
	hints->mode = FI_CONTEXT | FI_CONTEXT2;
	hints->ep_attr->type = type_of(options);
	hints->domain_attr->mr_mode = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY |
				      FI_MR_ENDPOINT | (registers ? FI_MR_LOCAL : 0);
	hints->domain_attr->threading = FI_THREAD_DOMAIN;
	hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
	hints->tx_attr->msg_order = FI_ORDER_SAS;
	hints->rx_attr->msg_order = FI_ORDER_SAS;
	if (options->provider != NULL)
		hints->fabric_attr->prov_name = strdup(options->provider);
	return hints;
}

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
	if (find(hints, flags, &all) != 0)
		all = NULL;
	fi_freeinfo(hints);
	return all;
}

/* Returns the number of requirements of the options that an endpoint meets; sets *why to
 * the first that it does not meet, NULL: none. */
static size_t count_met(const struct np_ofi_options *options, const struct fi_info *info,
			const char **why)
{
	const bool registers = options->registering != NP_OFI_REGISTER_NONE;
	const struct {
		bool met;
		const char *why;
	} needs[] = {
		{ info->ep_attr->type != FI_EP_DGRAM, "its datagrams are unreliable" },
		{ info->ep_attr->type == type_of(options),
		  "no endpoint of that type: --connection" },
		{ options->transfer != NP_OFI_TAGGED || (info->caps & FI_TAGGED) != 0,
		  "no tagged messages (FI_TAGGED)" },
		{ !np_ofi_is_remote(options->transfer) || (info->caps & FI_RMA) != 0,
		  "no reads and writes of memory (FI_RMA)" },
		{ registers || (info->domain_attr->mr_mode & FI_MR_LOCAL) == 0,
		  "it requires registered buffers (FI_MR_LOCAL): --register pool" },
		{ options->domain == NULL ||
			  strcmp(options->domain, info->domain_attr->name) == 0,
		  "its domains have other names than -D" },
		{ false, NULL },
	};
	size_t count = 0;

	while (needs[count].met)
		count++;
	*why = needs[count].why;
	return count;
}

static int refuse_provider(const struct np_ofi_options *options, int code,
			   struct np_error *error)
{
	struct fi_info *all = read_all(options->provider, 0);
	const char *reason =
		all == NULL ? "there is none of it on this host" : fi_strerror(code);
	const char *why;
	size_t most = 0;
	char quoted[64];

	/* First unmet requirement of the endpoint that meets most. */
	for (const struct fi_info *at = all; at != NULL; at = at->next) {
		const size_t met = count_met(options, at, &why);

		if (met >= most)
			reason = why != NULL ? why : fi_strerror(code);
		most = met > most ? met : most;
	}
	fi_freeinfo(all);
	return np_refuse(error,
			 "--provider: libfabric has no provider '%s' for -t %s by "
			 "--connection %s: %s (--list-devices lists all)",
			 options->provider != NULL ?
				 np_quote(options->provider, quoted, sizeof(quoted)) :
				 "any",
			 transfer_names[options->transfer],
			 endpoint_names[options->endpoint], reason);
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

/* True if libfabric finds an endpoint of the provider for the options. */
static bool serves(const struct np_ofi_options *options)
{
	struct fi_info *hints = make_hints(options), *found = NULL;
	const bool does = hints != NULL && find(hints, 0, &found) == 0;

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
	const char *why;

	count_met(&any, info, &why);
	/* Layered providers lift requirements of those below. */
	if (info->ep_attr->type != FI_EP_DGRAM && serves(&any))
		why = NULL;
	if (info->ep_attr->max_msg_size < SIZE_MAX / 2)
		snprintf(longest, sizeof(longest), ", at most %zu B",
			 info->ep_attr->max_msg_size);
	np_facts_add(facts, name, "%s%s%s -D%s; inject %zu B%s, mr_mode %s%s%s",
		     before != NULL ? before : "", before != NULL ? "; " : "", type,
		     domains, info->tx_attr->inject_size, longest, mr_mode_of(info),
		     why != NULL ? "; not usable: " : "", why != NULL ? why : "");
}

static int list_providers(const void *options, struct np_facts *facts,
			  struct np_error *error)
{
	struct fi_info *all = read_all(NULL, 0);
	struct fi_info *known = read_all(NULL, FI_PROV_ATTR_ONLY);

	(void)error;
	for (const struct fi_info *at = all; at != NULL; at = at->next)
		add_provider(facts, all, at, options);
	/* Providers without an endpoint on this host, except hooks, which wrap others. */
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

/* Limits the search to the local address of the control connection. */
static void add_local_address(struct np_ofi *ofi, struct fi_info *hints)
{
	struct sockaddr_storage address;

	if (np_ofi_options_of(ofi)->domain != NULL ||
	    !np_boot_local_address(ofi->endpoint.boot, &address))
		return;
	hints->addr_format =
		address.ss_family == AF_INET ? FI_SOCKADDR_IN : FI_SOCKADDR_IN6;
	hints->src_addrlen = address.ss_family == AF_INET ? sizeof(struct sockaddr_in) :
							    sizeof(struct sockaddr_in6);
	hints->src_addr = malloc(hints->src_addrlen);
	if (hints->src_addr != NULL)
		memcpy(hints->src_addr, &address, hints->src_addrlen);
}

/* Moves the first endpoint of -D to the front: providers of IP ignore a domain in hints. */
static int keep_domain(struct np_ofi *ofi)
{
	const char *domain = np_ofi_options_of(ofi)->domain;

	while (ofi->info != NULL && domain != NULL &&
	       strcmp(ofi->info->domain_attr->name, domain) != 0) {
		struct fi_info *other = ofi->info;

		ofi->info = other->next;
		other->next = NULL;
		fi_freeinfo(other);
	}
	return ofi->info != NULL ? 0 : -FI_ENODATA;
}

int np_ofi_choose(struct np_ofi *ofi)
{
	const struct np_ofi_options *options = np_ofi_options_of(ofi);
	struct np_error *error = &ofi->endpoint.error;
	struct fi_info *hints = make_hints(options);

	if (hints == NULL)
		return np_fail_errno(error, ENOMEM, "cannot ask libfabric for providers");
	if (!np_boot_shares_host(ofi->endpoint.boot))
		hints->caps |= FI_REMOTE_COMM;
	add_local_address(ofi, hints);
	int rc = find(hints, 0, &ofi->info);
	if (rc == -FI_ENODATA && hints->src_addr != NULL) {
		/* Providers whose addresses are not those of IP. */
		free(hints->src_addr);
		hints->src_addr = NULL;
		hints->src_addrlen = 0;
		hints->addr_format = FI_FORMAT_UNSPEC;
		rc = find(hints, 0, &ofi->info);
	}
	fi_freeinfo(hints);
	if (rc == 0)
		rc = keep_domain(ofi);
	return rc == 0 ? 0 : refuse_provider(options, -rc, error);
}

/* ---- Sizes and blocks ---------------------------------------------------- */

/* Maximum of pending operations without a window. */
enum { PENDING_MOST = 128 };

static int arm(struct np_endpoint *endpoint, const struct np_transfer *transfer)
{
	struct np_ofi *ofi = np_ofi_of(endpoint);
	const bool one_sided = transfer->operation == NP_ONE_SIDED;
	const bool streams =
		transfer->operation == NP_STREAM || transfer->operation == NP_STREAM_ACKED;
	const size_t receives = ofi->info->rx_attr->size;

	/* One receive is for the acknowledgement. */
	if (!one_sided && transfer->window >= receives)
		return np_refuse(&endpoint->error,
				 "--window: %zu is too many for provider %s, which takes "
				 "%zu receives: give fewer",
				 transfer->window, ofi->info->fabric_attr->prov_name,
				 receives);
	if (!one_sided && np_ofi_options_of(ofi)->transfer == NP_OFI_WRITE &&
	    (ofi->info->rx_attr->mode & FI_RX_CQ_DATA) != 0)
		return np_refuse(
			&endpoint->error,
			"-t rma_write: provider %s takes a receive for each notice "
			"(FI_RX_CQ_DATA): use -s, or a provider over ofi_rxm",
			ofi->info->fabric_attr->prov_name);
	ofi->send_limit = one_sided ? transfer->window - 1 : PENDING_MOST;
	if (ofi->send_limit > ofi->info->tx_attr->size)
		ofi->send_limit = ofi->info->tx_attr->size;
	endpoint->code_path = np_ofi_path(ofi);
	/* Messages go the other way then: none is taken for an acknowledgement. */
	return (streams && endpoint->rank == 0) || (one_sided && endpoint->rank == 1) ?
		       np_ofi_expect_ack(ofi) :
		       0;
}

/* Resets the counts of a block; no message is in flight. */
static int begin_block(struct np_endpoint *endpoint, uint64_t messages, uint64_t batches)
{
	struct np_ofi *ofi = np_ofi_of(endpoint);

	(void)messages;
	(void)batches;
	ofi->posted = 0;
	ofi->received = 0;
	ofi->arrived = 0;
	return 0;
}

/* ---- variables ----------------------------------------------------------- */

static int check_variable(const char *name, struct np_error *error)
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

/* Facts, and the environment variables that they report. */
static const char *const settings[][2] = {
	{ "mr_cache_max_count", "FI_MR_CACHE_MAX_COUNT" },
	{ "mr_cache_max_size", "FI_MR_CACHE_MAX_SIZE" },
	{ "mr_cache_monitor", "FI_MR_CACHE_MONITOR" },
	{ "ofi_rxm_buffer_size", "FI_OFI_RXM_BUFFER_SIZE" },
};

/* ---- facts of the endpoint ----------------------------------------------- */

static void name_library(char *text, size_t size)
{
	snprintf(text, size, "libfabric %s", fi_tostr("", FI_TYPE_VERSION));
}

static void describe(struct np_endpoint *endpoint, struct np_facts *facts)
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
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		const char *value = getenv(settings[i][1]);

		np_facts_add(facts, settings[i][0], "%s",
			     value != NULL ? value : "default");
	}
}

/* ---- module table -------------------------------------------------------- */

static const struct np_device_hooks device_hooks = { .list = list_providers };

/* Candidates of --tune: the registration cache, and the longest message that ofi_rxm sends
 * in one piece. */
static const char *const shortlist[] = { "nocache:env:FI_MR_CACHE_MAX_COUNT=0",
					 "eager4K:env:FI_OFI_RXM_BUFFER_SIZE=4096",
					 "eager64K:env:FI_OFI_RXM_BUFFER_SIZE=65536",
					 "noinject:inject=no", NULL };

const struct np_module np_module_ofi = {
	NP_MODULE_NAMED("ofi"),
	.summary = "messages, tags, reads and writes over libfabric",
	.capabilities = NP_CAN_STREAM | NP_CAN_BIDIRECTIONAL | NP_CAN_ZERO_BYTES |
			NP_CAN_RECONNECT | NP_CAN_REGISTER | NP_CAN_WINDOW |
			NP_CAN_SPAN_HOSTS | NP_POSTS_RECEIVES | NP_CAN_FRESH,
	.endpoint_size = sizeof(struct np_ofi),
	.options_size = sizeof(struct np_ofi_options),
	.options = options_table,
	.shortlist = shortlist,
	.check_variable = check_variable,
	.library = name_library,
	.device = &device_hooks,
	.check = check,
	.open = np_ofi_open,
	.connect = np_ofi_connect,
	.reg = np_ofi_reg,
	.unreg = np_ofi_unreg,
	.arm = arm,
	.begin = begin_block,
	.progress = np_ofi_progress_once,
	.close = np_ofi_close,
	.describe = describe,
};
