/*
 * picture_file.c - writes the file of --plot: SVG, or PNG and PDF by rsvg-convert.
 *
 * rsvg-convert reads from and writes to unnamed files: the user's file appears when it is
 * complete, and its name is never an argument.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "report/pictures/pictures.h"

extern char **environ;

enum format { FORMAT_SVG, FORMAT_PNG, FORMAT_PDF, FORMATS };

static enum format format_of(const char *path)
{
	static const char *const endings[FORMATS] = { ".svg", ".png", ".pdf" };
	const size_t length = strlen(path);
	size_t at = 0;

	while (at < FORMATS &&
	       (length <= 4 || strcasecmp(path + length - 4, endings[at]) != 0))
		at++;
	return (enum format)at;
}

int np_picture_check(const char *path, struct np_error *error)
{
	if (format_of(path) != FORMATS)
		return 0;
	return np_refuse(error,
			 "'--plot %.200s': a picture's name ends in .png, .svg or .pdf",
			 path);
}

/* Starts rsvg-convert.  Returns 0 or -errno. */
static int start(FILE *svg, FILE *drawn, enum format format, pid_t *child)
{
	char *const png[] = { (char[]){ "rsvg-convert" }, (char[]){ "--format=png" },
			      (char[]){ "--zoom=2" }, NULL };
	char *const pdf[] = { (char[]){ "rsvg-convert" }, (char[]){ "--format=pdf" },
			      NULL };
	posix_spawn_file_actions_t actions;
	int rc = posix_spawn_file_actions_init(&actions);

	if (rc != 0)
		return -rc;
	rewind(svg);
	/* Set by fcntl(), as tmpfile() has no such flag; the child gets its own copies. */
	fcntl(fileno(svg), F_SETFD, FD_CLOEXEC);
	fcntl(fileno(drawn), F_SETFD, FD_CLOEXEC);
	rc = posix_spawn_file_actions_adddup2(&actions, fileno(svg), STDIN_FILENO);
	if (rc == 0)
		rc = posix_spawn_file_actions_adddup2(&actions, fileno(drawn),
						      STDOUT_FILENO);
	if (rc == 0)
		rc = posix_spawnp(child, "rsvg-convert", &actions, NULL,
				  format == FORMAT_PNG ? png : pdf, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -rc;
}

static int convert(FILE *svg, FILE *drawn, enum format format, struct np_error *error)
{
	pid_t child = -1;
	int status = 0;
	const int rc = start(svg, drawn, format, &child);

	if (rc == -ENOENT)
		return np_fail(
			error, NP_ERROR_FAILED, ENOENT,
			"--plot needs rsvg-convert for a .png or .pdf, and it is not "
			"installed (Debian: librsvg2-bin); a .svg needs nothing");
	if (rc != 0)
		return np_fail_errno(error, rc, "cannot start rsvg-convert");
	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return np_fail_errno(error, errno, "cannot wait for rsvg-convert");
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return np_fail(error, NP_ERROR_FAILED, EIO,
			       "rsvg-convert failed; what it said is above");
	return 0;
}

/* Draws, converts and writes, in this order: an existing file stays until all is done. */
static int write_converted(const struct np_picture *picture, enum format format, FILE *to,
			   struct np_error *error)
{
	FILE *svg = tmpfile(), *drawn = tmpfile();
	char bytes[1 << 14];
	size_t count;
	int rc = svg == NULL || drawn == NULL ? -errno : 0;

	if (rc == 0)
		rc = np_svg_write(svg, picture->figures, picture->count);
	if (rc == 0 && fflush(svg) != 0)
		rc = -errno;
	rc = rc != 0 ? np_fail_errno(error, rc, "cannot draw the picture") :
		       convert(svg, drawn, format, error);
	if (rc == 0)
		rewind(drawn);
	while (rc == 0 && (count = fread(bytes, 1, sizeof(bytes), drawn)) != 0) {
		if (fwrite(bytes, 1, count, to) != count)
			rc = np_fail_errno(error, errno, "cannot write the picture");
	}
	if (svg != NULL)
		fclose(svg);
	if (drawn != NULL)
		fclose(drawn);
	return rc;
}

int np_picture_write(const struct np_picture *picture, const char *path, bool force,
		     struct np_error *error)
{
	const enum format format = format_of(path);
	struct np_new_file made;
	int rc = np_new_file_open(&made, path, force, error);

	if (rc != 0)
		return rc;
	if (format != FORMAT_SVG)
		rc = write_converted(picture, format, made.file, error);
	else
		rc = np_svg_write(made.file, picture->figures, picture->count);
	if (rc != 0 && error->code == 0)
		np_fail_errno(error, rc, "cannot write '%.200s'", path);
	return np_new_file_close(&made, rc, error);
}
