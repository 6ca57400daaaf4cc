/*
 * test_secrets.c - the hash by its published examples, tokens and their files,
 * networks and who is in them.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/access.h"
#include "base/sha256.h"

static void assert_digest(const unsigned char *digest, const char *expected)
{
	char text[2 * NP_SHA256_LENGTH + 1];

	for (size_t i = 0; i < NP_SHA256_LENGTH; i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
	assert_string_equal(text, expected);
}

/* Lengths at which padding takes another block, in pieces, and a million letters; digests
 * are those of Python's hmac. */
static void check_lengths(void **state)
{
	static const struct {
		size_t length;
		const char *digest;
	} cases[] = {
		{ 0, "923598ca6d64af2a5dba79dcd021a8a0fe5c5f557519adaaf0ad532d4506dd30" },
		{ 55, "290d2fb7eb5dfb608a006bada9a090a9b6d03702b321a59375214b24e0f8e265" },
		{ 56, "cca8b237675f240577a563326cdb3c4dcc8025863d4bde2f80b791ae487157dd" },
		{ 64, "2213fe4597fb22997da920e89da4e545b17a89b729261d708d75833af149fe53" },
		{ 1000000,
		  "abce68067d665c96b6f4491fdc3de999dc09731b2d50a1f5e758d9ed583319d6" },
	};
	unsigned char digest[NP_SHA256_LENGTH];
	char *million = malloc(1000000);

	(void)state;
	assert_non_null(million);
	memset(million, 'a', 1000000);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const size_t first = cases[i].length / 3;
		const struct np_bytes pieces[] = { { million, first },
						   { "", 0 },
						   { million, cases[i].length - first } };

		np_hmac_sha256((const unsigned char *)"Jefe", 4, pieces, 3, digest);
		assert_digest(digest, cases[i].digest);
	}
	free(million);
}

/* RFC 4231, cases 1, 2 and 4. */
static void check_hmac(void **state)
{
	unsigned char key[64], data[50], digest[NP_SHA256_LENGTH];
	const struct np_bytes hi = { "Hi There", 8 };
	const struct np_bytes what[] = { { "what do ya want ", 16 },
					 { "for nothing?", 12 } };
	const struct np_bytes fifty = { data, sizeof(data) };

	(void)state;
	memset(key, 0x0b, 20);
	np_hmac_sha256(key, 20, &hi, 1, digest);
	assert_digest(digest,
		      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
	np_hmac_sha256((const unsigned char *)"Jefe", 4, what, 2, digest);
	assert_digest(digest,
		      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
	for (unsigned i = 0; i < 25; i++)
		key[i] = (unsigned char)(i + 1);
	memset(data, 0xcd, sizeof(data));
	np_hmac_sha256(key, 25, &fifty, 1, digest);
	assert_digest(digest,
		      "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b");
}

static void check_token_text(void **state)
{
	static const char digits[] = "00ff10A0b1c2d3e4f5061728394a5b6c";
	unsigned char key[NP_KEY_LENGTH], other[NP_KEY_LENGTH];
	char text[NP_KEY_DIGITS + 1];
	struct np_error error = { .code = 0 };

	(void)state;
	assert_true(np_token_parse(digits, key));
	assert_int_equal(key[1], 0xff);
	assert_int_equal(key[3], 0xa0);
	np_token_print(key, text);
	assert_string_equal(text, "00ff10a0b1c2d3e4f5061728394a5b6c");
	assert_false(np_token_parse("", key));
	assert_false(np_token_parse("00ff10a0b1c2d3e4f5061728394a5b6", key));
	assert_false(np_token_parse("00ff10a0b1c2d3e4f5061728394a5b6c0", key));
	assert_false(np_token_parse("00ff10a0b1c2d3e4f5061728394a5b6g", key));
	assert_int_equal(np_token_draw(key, &error), 0);
	assert_int_equal(np_token_draw(other, &error), 0);
	assert_false(np_token_same(key, other, sizeof(key)));
	assert_true(np_token_same(key, key, sizeof(key)));
}

static void write_file(const char *path, const char *text, mode_t mode)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static void check_token_file(void **state)
{
	char folder[] = "/tmp/netpong-secrets.XXXXXX", path[64];
	unsigned char key[NP_KEY_LENGTH], again[NP_KEY_LENGTH];
	struct np_error error = { .code = 0 };
	struct stat status;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/token", folder);
	assert_int_equal(np_token_read(path, false, key, &error), -ENOENT);
	assert_int_equal(error.kind, NP_ERROR_USAGE);
	error = (struct np_error){ .code = 0 };
	assert_int_equal(np_token_read(path, true, key, &error), 0);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	assert_int_equal(np_token_read(path, false, again, &error), 0);
	assert_memory_equal(key, again, sizeof(key));

	assert_int_equal(chmod(path, 0644), 0);
	assert_int_equal(np_token_read(path, true, key, &error), -EACCES);
	assert_int_equal(error.kind, NP_ERROR_USAGE);
	error = (struct np_error){ .code = 0 };
	write_file(path, "secret\n", 0600);
	assert_int_equal(np_token_read(path, true, key, &error), -EINVAL);
	error = (struct np_error){ .code = 0 };
	write_file(path, "00ff10a0b1c2d3e4f5061728394a5b6c\nmore\n", 0600);
	assert_int_equal(np_token_read(path, true, key, &error), -EINVAL);
	error = (struct np_error){ .code = 0 };
	write_file(path, "00ff10a0b1c2d3e4f5061728394a5b6c", 0640);
	assert_int_equal(np_token_read(path, true, key, &error), 0);
	unlink(path);
	rmdir(folder);
}

static struct sockaddr_storage address_of(const char *text)
{
	struct sockaddr_storage storage = { .ss_family = AF_UNSPEC };
	struct sockaddr_in *four = (struct sockaddr_in *)&storage;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&storage;

	if (inet_pton(AF_INET, text, &four->sin_addr) == 1) {
		storage.ss_family = AF_INET;
	} else {
		assert_int_equal(inet_pton(AF_INET6, text, &six->sin6_addr), 1);
		storage.ss_family = AF_INET6;
	}
	return storage;
}

static bool is_allowed(const char *networks, const char *address)
{
	const struct sockaddr_storage storage = address_of(address);
	struct np_error error = { .code = 0 };
	struct np_allow allow;

	assert_int_equal(np_allow_parse(networks, &allow, &error), 0);
	return np_allow_has(&allow, &storage);
}

static void check_allow(void **state)
{
	const struct sockaddr_storage local = { .ss_family = AF_UNIX };
	struct np_allow nobody = { .count = 0 };

	(void)state;
	assert_true(is_allowed(NULL, "192.0.2.1"));
	assert_true(is_allowed("10.0.0.0/8", "10.255.0.1"));
	assert_false(is_allowed("10.0.0.0/8", "11.0.0.1"));
	assert_true(is_allowed("10.0.0.0/8,fd00::/8", "fd12::1"));
	assert_false(is_allowed("10.0.0.0/8,fd00::/8", "fe80::1"));
	/* At a socket for both, IPv4 arrives in this dress. */
	assert_true(is_allowed("192.0.2.0/25", "::ffff:192.0.2.127"));
	assert_false(is_allowed("192.0.2.0/25", "::ffff:192.0.2.128"));
	assert_true(is_allowed("192.0.2.7", "192.0.2.7"));
	assert_false(is_allowed("192.0.2.7", "192.0.2.6"));
	assert_true(is_allowed("0.0.0.0/0", "203.0.113.9"));
	assert_false(is_allowed("0.0.0.0/0", "2001:db8::1"));
	assert_true(is_allowed("2001:db8::/33", "2001:db8:7fff::1"));
	assert_false(is_allowed("2001:db8::/33", "2001:db8:8000::1"));
	assert_true(is_allowed("::/0", "203.0.113.9"));
	assert_true(np_allow_has(&nobody, &local));
	assert_true(np_allow_has(NULL, &local));
}

static void check_allow_refusals(void **state)
{
	static const char *const wrong[] = {
		"",	     "10.0.0.0/33", "10.0.0/8",	      "fd00::/129",
		"10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8x",    "10.0.0.0/8,",
		"host",	     "10.0.0.0/+8", "10.0.0.0/8 ,::1"
	};
	struct np_allow allow;
	char many[1024] = "::1";

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct np_error error = { .code = 0 };

		assert_int_equal(np_allow_parse(wrong[i], &allow, &error), -EINVAL);
		assert_int_equal(error.kind, NP_ERROR_USAGE);
	}
	for (size_t i = 0; i < NP_ALLOW_MAX; i++) {
		const size_t at = strlen(many);

		snprintf(many + at, sizeof(many) - at, ",::1");
	}
	struct np_error error = { .code = 0 };
	assert_int_equal(np_allow_parse(many, &allow, &error), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_lengths),    cmocka_unit_test(check_hmac),
		cmocka_unit_test(check_token_text), cmocka_unit_test(check_token_file),
		cmocka_unit_test(check_allow),	    cmocka_unit_test(check_allow_refusals),
	};

	return cmocka_run_group_tests_name("secrets", tests, NULL, NULL);
}
