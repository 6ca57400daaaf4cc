/*
 * site_text.c - function and line of a call site, by addr2line(1) where it is installed.
 */
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/merge.h"

/* An object that is loaded where it was linked has its addresses in its symbols. */
static bool is_linked_at_base(const char *object)
{
	Elf64_Ehdr header; /* e_type has the same place in 32 bits */
	const int fd = open(object, O_RDONLY | O_CLOEXEC);
	const bool got = fd >= 0 && read(fd, &header, sizeof(header)) == sizeof(header);

	if (fd >= 0)
		close(fd);
	return got && header.e_type == ET_EXEC;
}

/* Reads what "addr2line -f -s -e OBJECT ADDRESS" prints.  Returns the bytes read. */
static size_t ask(const char *object, const char *address, char *answer, size_t size)
{
	int ends[2];
	size_t got = 0;

	if (pipe(ends) != 0)
		return 0;
	const pid_t child = fork();
	if (child == 0) {
		const int null = open("/dev/null", O_WRONLY);

		dup2(ends[1], STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execlp("addr2line", "addr2line", "-f", "-s", "-e", object, address,
		       (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	for (ssize_t n = 1; n > 0 && got<size - 1; got += n> 0 ? (size_t)n : 0)
		n = read(ends[0], answer + got, size - 1 - got);
	close(ends[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	answer[got] = '\0';
	return got;
}

void np_record_site_text(const struct np_record_site *site, char *text, size_t size)
{
	const char *slash = strrchr(site->object, '/');
	const char *object = slash != NULL ? slash + 1 : site->object;
	char answer[512] = "", address[32];
	char *line = NULL;

	/* Within the call, which ends before its return address. */
	const uint64_t at =
		site->address - 1 + (is_linked_at_base(site->object) ? site->base : 0);
	snprintf(address, sizeof(address), "%#" PRIx64, at);
	if (site->object[0] != '\0' &&
	    ask(site->object, address, answer, sizeof(answer)) != 0) {
		line = strchr(answer, '\n');
		if (line != NULL)
			*line++ = '\0';
	}
	if (line == NULL || answer[0] == '?') {
		snprintf(text, size, "%.100s+%#" PRIx64,
			 object[0] != '\0' ? object : "unknown", site->address);
		return;
	}
	line[strcspn(line, " \n")] = '\0';
	/* Without a line: the file alone. */
	if (strlen(line) > 2 && strcmp(line + strlen(line) - 2, ":?") == 0)
		line[strlen(line) - 2] = '\0';
	if (line[0] == '?' || line[0] == '\0')
		snprintf(text, size, "%.100s: %.100s", object, answer);
	else
		snprintf(text, size, "%.80s: %.80s (%.80s)", object, answer, line);
}
