/*
 * plot.c - running gnuplot.
 *
 * gnuplot writes to its standard output and never opens a file: it may interpret a name as
 * a command, and ignores write errors.
 */
#include "report/pictures/pictures.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"

extern char **environ;

struct ending {
	const char *ending, *terminal;
};

/* noenhanced: "_" in a name is not a subscript. */
static const struct ending endings[] = {
	{ ".png", "pngcairo noenhanced size 1200, 1400 fontscale 1.1" },
	{ ".svg", "svg noenhanced size 1000, 1200 dynamic background rgb 'white' font "
		  "'sans-serif,14'" },
	{ ".pdf", "pdfcairo noenhanced size 19cm, 23cm font 'sans,10'" },
};

int np_canvas_choose(const char *path, struct np_canvas *canvas, struct np_error *error)
{
	const size_t length = strlen(path);
	struct winsize size;

	*canvas = (struct np_canvas){ .path = path, .columns = 79, .lines = 23 };
	if (strcmp(path, "-") == 0) {
		canvas->terminal = "dumb noenhanced";
		canvas->text = true;
		if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40 &&
		    size.ws_row >= 12) {
			canvas->columns = size.ws_col - 1u;
			canvas->lines = size.ws_row - 1u;
		}
		return 0;
	}
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		const size_t part = strlen(endings[i].ending);

		if (length > part &&
		    strcasecmp(path + length - part, endings[i].ending) == 0)
			canvas->terminal = endings[i].terminal;
	}
	if (canvas->terminal == NULL)
		return np_refuse(
			error,
			"'--plot %.200s': a picture's name ends in .png, .svg or .pdf",
			path);
	return 0;
}

/* Starts gnuplot with unnamed files as standard input and output.  -d: ignores ~/.gnuplot,
 * which may set another terminal or output. */
static int run_gnuplot(FILE *script, FILE *drawn, pid_t *child)
{
	char *const arguments[] = { (char[]){ "gnuplot" }, (char[]){ "-d" }, NULL };
	posix_spawn_file_actions_t actions;
	int rc = posix_spawn_file_actions_init(&actions);

	if (rc != 0)
		return -rc;
	/* The script is UTF-8 and has decimal points, whatever the user's language; in the
	 * C locale gnuplot warns that it cannot convert a degree sign. */
	setenv("LC_ALL", "C.UTF-8", 1);
	rewind(script);
	/* tmpfile() has no such flag; gnuplot gets its own copies. */
	fcntl(fileno(script), F_SETFD, FD_CLOEXEC);
	fcntl(fileno(drawn), F_SETFD, FD_CLOEXEC);
	rc = posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
	if (rc == 0)
		rc = posix_spawn_file_actions_adddup2(&actions, fileno(drawn),
						      STDOUT_FILENO);
	if (rc == 0)
		rc = posix_spawnp(child, "gnuplot", &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -rc;
}

static int wait_for(pid_t child, struct np_error *error)
{
	int status;

	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return np_fail_errno(error, errno, "cannot wait for gnuplot");
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return np_fail(error, NP_ERROR_FAILED, EIO,
			       "gnuplot failed; what it said is above");
	return 0;
}

static int copy(FILE *from, FILE *to, struct np_error *error)
{
	char bytes[1 << 14];
	size_t count, all = 0;

	rewind(from);
	while ((count = fread(bytes, 1, sizeof(bytes), from)) != 0) {
		all += count;
		if (fwrite(bytes, 1, count, to) != count)
			return np_fail_errno(error, errno, "cannot write the picture");
	}
	if (ferror(from))
		return np_fail_errno(error, EIO, "cannot read what gnuplot drew");
	if (all == 0)
		return np_fail(error, NP_ERROR_FAILED, EIO, "gnuplot drew nothing");
	return 0;
}

/* Creates or replaces the file after gnuplot has succeeded. */
static int deliver(FILE *drawn, const struct np_canvas *canvas, bool force,
		   struct np_error *error)
{
	struct np_new_file made;

	if (canvas->text)
		return copy(drawn, stdout, error);
	const int rc = np_new_file_open(&made, canvas->path, force, error);
	if (rc != 0)
		return rc;
	return np_new_file_close(&made, copy(drawn, made.file, error), error);
}

static int draw(FILE *script, FILE *drawn, struct np_error *error)
{
	pid_t child = -1;
	const int rc = run_gnuplot(script, drawn, &child);

	if (rc == -ENOENT)
		return np_fail(error, NP_ERROR_FAILED, ENOENT,
			       "--plot needs gnuplot, which is not installed; on Debian: "
			       "apt install gnuplot-nox");
	if (rc != 0)
		return np_fail_errno(error, rc, "cannot start gnuplot");
	return wait_for(child, error);
}

int np_plot(const struct np_picture *picture, const char *path, bool force,
	    struct np_error *error)
{
	struct np_canvas canvas;
	int rc = np_canvas_choose(path, &canvas, error);

	if (rc != 0)
		return rc;
	FILE *script = tmpfile(), *drawn = tmpfile();
	if (script == NULL || drawn == NULL)
		rc = np_fail_errno(error, errno, "cannot write gnuplot's script");
	if (rc == 0)
		rc = np_plot_script(script, picture, &canvas, error);
	if (rc == 0 && fflush(script) != 0)
		rc = np_fail_errno(error, errno, "cannot write gnuplot's script");
	if (rc == 0)
		rc = draw(script, drawn, error);
	if (rc == 0)
		rc = deliver(drawn, &canvas, force, error);
	if (script != NULL)
		fclose(script);
	if (drawn != NULL)
		fclose(drawn);
	return rc;
}
