/*
 * access.c - access to a server: networks of --allow, and the shared key of --token-file.
 */
#include "boot/access.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"

/* Most bytes of a token file, which has 33; time for its reading, as a FIFO may be one. */
enum { FILE_MOST = 4096, FILE_MS = 30000 };

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

int np_token_draw(unsigned char *key, struct np_error *error)
{
	if (getrandom(key, NP_KEY_LENGTH, 0) != NP_KEY_LENGTH)
		return np_fail_errno(error, errno, "cannot draw a token");
	return 0;
}

static int digit_of(char character)
{
	if (character >= '0' && character <= '9')
		return character - '0';
	if (character >= 'a' && character <= 'f')
		return character - 'a' + 10;
	return character >= 'A' && character <= 'F' ? character - 'A' + 10 : -1;
}

bool np_token_parse(const char *text, unsigned char *key)
{
	if (strlen(text) != NP_KEY_DIGITS)
		return false;
	for (size_t i = 0; i < NP_KEY_LENGTH; i++) {
		const int high = digit_of(text[2 * i]), low = digit_of(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		key[i] = (unsigned char)(high << 4 | low);
	}
	return true;
}

void np_token_print(const unsigned char *key, char *text)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < NP_KEY_LENGTH; i++) {
		text[2 * i] = digits[key[i] >> 4];
		text[2 * i + 1] = digits[key[i] & 15];
	}
	text[NP_KEY_DIGITS] = '\0';
}

/* Creates the file.  Returns 0, -EEXIST without a text if another process has created it
 * meanwhile, or another -errno. */
static int make_file(const char *path, struct np_error *error)
{
	unsigned char key[NP_KEY_LENGTH];
	char line[NP_KEY_DIGITS + 2];
	const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0 && errno == EEXIST)
		return -EEXIST;
	if (fd < 0)
		return np_fail_errno(error, errno, "cannot make the token file '%.200s'",
				     path);
	int rc = np_token_draw(key, error);
	np_token_print(key, line);
	line[NP_KEY_DIGITS] = '\n';
	errno = EIO;
	if (rc == 0 && write(fd, line, NP_KEY_DIGITS + 1) != (ssize_t)NP_KEY_DIGITS + 1)
		rc = np_fail_errno(error, errno, "cannot write the token file '%.200s'",
				   path);
	close(fd);
	/* The next run would refuse an incomplete file. */
	if (rc != 0)
		unlink(path);
	return rc;
}

static int parse_file(const char *path, const struct np_file_content *content,
		      unsigned char *key, struct np_error *error)
{
	const size_t length = strlen(content->text);

	if ((content->mode & S_IRWXO) != 0)
		return np_fail(error, NP_ERROR_USAGE, EACCES,
			       "the token file '%.200s' is open to everybody: chmod o= it",
			       path);
	if (length > 0 && content->text[length - 1] == '\n')
		content->text[length - 1] = '\0';
	if (!np_token_parse(content->text, key))
		return np_refuse(
			error,
			"the token file '%.200s' does not hold %d hexadecimal digits", path,
			NP_KEY_DIGITS);
	return 0;
}

int np_token_read(const char *path, bool make, unsigned char *key, struct np_error *error)
{
	const struct np_deadline deadline = np_deadline_in(FILE_MS);
	struct np_file_content content;
	int rc = np_file_read(path, FILE_MOST, deadline, &content, error);

	if (rc == -ENOENT && make) {
		*error = (struct np_error){ .code = 0 };
		rc = make_file(path, error);
		if (rc == 0 || rc == -EEXIST)
			rc = np_file_read(path, FILE_MOST, deadline, &content, error);
	}
	if (rc == 0)
		rc = parse_file(path, &content, key, error);
	free(content.text);
	return rc;
}

bool np_token_same(const unsigned char *a, const unsigned char *b, size_t length)
{
	unsigned difference = 0;

	for (size_t i = 0; i < length; i++)
		difference |= (unsigned)(a[i] ^ b[i]);
	return difference == 0;
}
