/*
 * conform_job.c - the tests of a module whose ends only a launcher can start.
 */
#include "conform_job.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "boot/boot_tcp.h"
#include "boot/channel.h"

const char conform_job_word[] = "--job";

static const struct np_identity identity = { .program = "conform", .version = "1" };

/* "VERDICT NAME" or "VERDICT NAME: TEXT".  Returns true at the last line. */
static bool take_line(struct tap *tap, const char *group, char *line)
{
	char *name = strchr(line, ' ');
	char *text;

	line[strcspn(line, "\n")] = '\0';
	if (strcmp(line, "done") == 0)
		return true;
	if (name == NULL)
		return false;
	*name++ = '\0';
	text = strstr(name, ": ");
	if (text != NULL) {
		*text = '\0';
		text += 2;
	}
	if (strcmp(line, "skipped") == 0)
		tap_skip(tap, group, name, text != NULL ? text : "");
	else if (strcmp(line, "passed") == 0 || strcmp(line, "failed") == 0)
		tap_result(tap, strcmp(line, "passed") == 0, group, name);
	if (strcmp(line, "failed") == 0 && text != NULL)
		tap_comment("%s", text);
	return false;
}

void conform_job_launch(struct tap *tap, const char *program,
			const struct np_module *module, const char *group, int number)
{
	const char *launcher = getenv("NP_JOB_COMMAND");
	char command[1000], start[100], line[1000];
	bool done = false;

	fflush(stdout);
	/* What a library keeps to its end is not ours to give back. */
	setenv("ASAN_OPTIONS", "detect_leaks=0", 0);
	snprintf(start, sizeof(start), "%s 2", module->job->launcher);
	snprintf(command, sizeof(command), "%s '%s' %s %s %d </dev/null",
		 launcher != NULL ? launcher : start, program, conform_job_word,
		 module->name, number);
	FILE *output = popen(command, "re");
	while (output != NULL && fgets(line, sizeof(line), output) != NULL)
		done = take_line(tap, group, line) || done;
	const int status = output != NULL ? pclose(output) : -1;
	if (done && status == 0)
		return;
	tap_result(tap, false, group, "the job");
	tap_comment("it ended early, with status %#x: %s", (unsigned)status, command);
}

int conform_job_join(struct two_ends *pair, const struct np_module *module,
		     struct np_error *error)
{
	struct np_job job = { .rank = 0 };
	bool all_know;

	np_boot_init(&pair->boot, 0);
	pair->module = module;
	int rc = two_ends_prepare_watch(pair, error);
	if (rc >= 0)
		rc = module->job->start(&job, NULL, error);
	if (rc == 0)
		rc = np_boot_job(&pair->boot, module->job, &job, &identity, 0, &all_know,
				 error);
	pair->boot.same_host = true;
	return rc != 0 ? rc : np_watch_begin(&pair->watch, error);
}

/* Both ends go on, or neither does. */
static bool both_well(struct two_ends *pair, bool well, struct np_error *error)
{
	unsigned char mine = well, theirs = 0;

	return np_boot_exchange(&pair->boot, &mine, &theirs, 1, error) == 0 && well &&
	       theirs != 0;
}

bool conform_job_test(struct two_ends *pair, const struct subject *subject,
		      two_ends_test *test, unsigned seconds, struct np_error *error)
{
	alarm(seconds);
	pair->longest = subject->longest;
	memset(&pair->options, 0, sizeof(pair->options));
	int rc = two_ends_set_options(pair, subject->settings, error);
	if (rc == 0)
		rc = test(pair, error);
	if (rc != 0)
		np_watch_stopped(&pair->watch, error);
	np_process_finish(&pair->process);
	memset(&pair->process, 0, sizeof(pair->process));
	free(pair->module_options);
	pair->module_options = NULL;
	if (rc != 0)
		fprintf(stderr, "# rank %d: %s; %s\n", pair->boot.rank,
			pair->note->doing[pair->boot.rank], error->text);
	const bool well = both_well(pair, rc == 0, error);
	alarm(0);
	return well;
}

void conform_job_say(const struct two_ends *pair, const char *verdict, const char *name,
		     const char *text)
{
	if (pair->boot.rank != 0)
		return;
	printf("%s %s%s%s\n", verdict, name, text != NULL ? ": " : "",
	       text != NULL ? text : "");
	fflush(stdout);
}

int conform_job_leave(struct two_ends *pair, bool well)
{
	const struct np_error none = { .code = 0 };
	const struct np_job job = { .rank = pair->boot.rank };

	np_watch_end(&pair->watch, &none);
	np_boot_close(&pair->boot);
	if (well && pair->boot.rank == 0)
		puts("done");
	fflush(stdout);
	pair->module->job->finish(&job, well ? 0 : 1);
	return well ? EXIT_SUCCESS : EXIT_FAILURE;
}
