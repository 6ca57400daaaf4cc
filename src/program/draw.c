/*
 * draw.c - --plot and --html: starts NPreport on the result file at the end of a run.
 *
 * NPreport draws; without --json the results go to a temporary file, which is removed.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/files.h"
#include "program/program.h"

extern char **environ;

static const char reporter[] = "NPreport", temporary_name[] = "results";

static bool ends_as_picture(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot != NULL && dot != path &&
	       (strcasecmp(dot, ".png") == 0 || strcasecmp(dot, ".svg") == 0 ||
		strcasecmp(dot, ".pdf") == 0);
}

/* Makes a temporary folder, and sets --json to a file in it. */
static int use_temporary(struct np_program *program, struct np_error *error)
{
	const char *folder = getenv("TMPDIR");
	char *made;

	if (asprintf(&made, "%s/netpong.XXXXXX",
		     folder != NULL && *folder != '\0' ? folder : "/tmp") < 0)
		return np_fail_errno(error, ENOMEM, "cannot make a picture");
	if (mkdtemp(made) == NULL) {
		np_fail_errno(
			error, errno,
			"cannot make the temporary folder '%.200s' for --plot or --html",
			made);
		free(made);
		return error->code;
	}
	program->temporary = made;
	if (asprintf(&program->temporary_file, "%s/%s", made, temporary_name) < 0) {
		program->temporary_file = NULL;
		return np_fail_errno(error, ENOMEM, "cannot make a picture");
	}
	program->options.json = program->temporary_file;
	return 0;
}

int np_draw_prepare(struct np_program *program, struct np_error *error)
{
	const struct np_options *options = &program->options;
	char path[PATH_MAX];

	if (options->plot == NULL && options->html == NULL)
		return 0;
	if (options->plot != NULL && !ends_as_picture(options->plot))
		return np_refuse(
			error,
			"'--plot %.200s': a picture's name ends in .png, .svg or .pdf",
			options->plot);
	if (options->json != NULL && strcmp(options->json, "-") == 0)
		return np_refuse(error, "--plot and --html read the file of --json, which "
					"cannot be standard output then");
	if (!np_program_find(reporter, "", path, sizeof(path)))
		return np_refuse(
			error,
			"--plot and --html need %s, which is neither beside %s nor "
			"in PATH: install it, or give --json FILE and draw later",
			reporter, program->module->program);
	int rc = options->plot == NULL ?
			 0 :
			 np_file_check(options->plot, options->force, error);

	if (rc == 0 && options->html != NULL)
		rc = np_file_check(options->html, options->force, error);
	if (rc == 0 && options->json == NULL && !options->dry_run)
		rc = use_temporary(program, error);
	program->draws = rc == 0 && !options->dry_run;
	/* Results of an earlier run must not be drawn if this one writes nothing. */
	struct stat status;

	if (rc == 0 && options->json != NULL && stat(options->json, &status) == 0)
		program->before_draw = status.st_mtim;
	return rc;
}

/* Starts NPreport without its output and, if `silent`, without its errors.  Returns 0 or
 * -errno. */
static int start(char **arguments, const char *path, bool silent, pid_t *child)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t none, ignored;

	sigemptyset(&none);
	sigemptyset(&ignored);
	sigaddset(&ignored, SIGPIPE);
	sigaddset(&ignored, SIGXFSZ);
	int rc = posix_spawn_file_actions_init(&files);
	if (rc != 0)
		return -rc;
	rc = posix_spawnattr_init(&how);
	if (rc == 0) {
		posix_spawnattr_setflags(&how,
					 POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
		posix_spawnattr_setsigmask(&how, &none);
		posix_spawnattr_setsigdefault(&how, &ignored);
		posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null",
						 O_WRONLY, 0);
		if (silent)
			posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null",
							 O_WRONLY, 0);
		rc = posix_spawn(child, path, &files, &how, arguments, environ);
		posix_spawnattr_destroy(&how);
	}
	posix_spawn_file_actions_destroy(&files);
	return -rc;
}

/* Appends an argument: posix_spawn() takes pointers without const, but changes no text. */
static void add(char **arguments, size_t *count, const char *text)
{
	memcpy(&arguments[(*count)++], &text, sizeof(text));
}

static int draw(const struct np_program *program, bool failed, struct np_error *error)
{
	const struct np_options *options = &program->options;
	char path[PATH_MAX], *arguments[9] = { NULL };
	/* A picture of the longest curve that NPreport takes is drawn in seconds. */
	const struct np_child_end limit = { .wait_ms = 120000 };
	size_t count = 0;
	pid_t child = -1;

	if (!np_program_find(reporter, "", path, sizeof(path)))
		return np_fail(error, NP_ERROR_FAILED, ENOENT, "%s is gone: nothing drawn",
			       reporter);
	add(arguments, &count, path);
	if (options->plot != NULL) {
		add(arguments, &count, "--plot");
		add(arguments, &count, options->plot);
	}
	if (options->html != NULL) {
		add(arguments, &count, "--html");
		add(arguments, &count, options->html);
	}
	if (options->force)
		add(arguments, &count, "--force");
	add(arguments, &count, "--");
	add(arguments, &count, options->json);
	const int rc = start(arguments, path, failed, &child);
	if (rc != 0)
		return np_fail_errno(error, rc, "cannot start '%.200s'", path);
	const int status = np_child_end(child, &limit);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ?
		       0 :
		       np_fail(error, NP_ERROR_FAILED, EIO,
			       "%s has not drawn: its message is above", reporter);
}

int np_draw_finish(struct np_program *program, int rc, struct np_error *error)
{
	const struct np_options *options = &program->options;
	struct np_error ignored = { .code = 0 };
	struct stat status;

	if (program->draws && stat(options->json, &status) == 0 && status.st_size > 0 &&
	    (status.st_mtim.tv_sec != program->before_draw.tv_sec ||
	     status.st_mtim.tv_nsec != program->before_draw.tv_nsec)) {
		const int drawn = draw(program, rc != 0, rc != 0 ? &ignored : error);

		rc = rc != 0 ? rc : drawn;
	}
	if (program->temporary_file != NULL)
		unlink(program->temporary_file);
	if (program->temporary != NULL)
		rmdir(program->temporary);
	free(program->temporary_file);
	free(program->temporary);
	return rc;
}
