/*
 * allow.c - address filter of --allow: parsing networks, matching an address.
 */
#include "boot/allow.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

/* Returns the prefix length behind the slash; `all` without a slash, -1 if it is not valid.
 */
static int read_bits(const char *slash, int all)
{
	char *end;

	if (slash == NULL)
		return all;
	if (slash[1] < '0' || slash[1] > '9')
		return -1;
	const long bits = strtol(slash + 1, &end, 10);
	return *end == '\0' && bits <= all ? (int)bits : -1;
}

static bool read_network(char *word, struct np_network *network)
{
	char *slash = strchr(word, '/');
	int bits;

	if (slash != NULL)
		*slash = '\0';
	if (inet_pton(AF_INET, word, network->address + sizeof(mapped)) == 1) {
		memcpy(network->address, mapped, sizeof(mapped));
		bits = read_bits(slash, 32);
		network->bits = 96 + (unsigned)bits;
	} else {
		if (inet_pton(AF_INET6, word, network->address) != 1)
			return false;
		bits = read_bits(slash, 128);
		network->bits = (unsigned)bits;
	}
	return bits >= 0;
}

int np_allow_parse(const char *text, struct np_allow *allow, struct np_error *error)
{
	char word[64];

	*allow = (struct np_allow){ .count = 0 };
	while (text != NULL) {
		const size_t length = strcspn(text, ",");

		if (allow->count == NP_ALLOW_MAX)
			return np_refuse(error, "--allow takes at most %d networks",
					 NP_ALLOW_MAX);
		snprintf(word, sizeof(word), "%.*s", (int)length, text);
		if (length >= sizeof(word) ||
		    !read_network(word, &allow->networks[allow->count]))
			return np_refuse(error,
					 "--allow: '%.*s' is no network such as 10.0.0.0/8 "
					 "or fd00::/8",
					 length < 60 ? (int)length : 60, text);
		allow->count++;
		text = text[length] == ',' ? text + length + 1 : NULL;
	}
	return 0;
}

static bool is_in(const struct np_network *network, const unsigned char *address)
{
	const unsigned whole = network->bits / 8, rest = network->bits % 8;

	if (memcmp(network->address, address, whole) != 0)
		return false;
	return rest == 0 || (network->address[whole] ^ address[whole]) >> (8 - rest) == 0;
}

bool np_allow_has(const struct np_allow *allow, const struct sockaddr_storage *address)
{
	unsigned char bytes[16];

	if (allow == NULL || allow->count == 0)
		return true;
	if (address->ss_family == AF_INET) {
		memcpy(bytes, mapped, sizeof(mapped));
		memcpy(bytes + sizeof(mapped),
		       &((const struct sockaddr_in *)address)->sin_addr, 4);
	} else if (address->ss_family == AF_INET6) {
		memcpy(bytes, &((const struct sockaddr_in6 *)address)->sin6_addr, 16);
	} else {
		return false;
	}
	for (size_t i = 0; i < allow->count; i++) {
		if (is_in(&allow->networks[i], bytes))
			return true;
	}
	return false;
}
