/*
 * output.c - result files: create and close; progress line.
 */
#include "output/output.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"

int np_output_check(const struct np_options *options, struct np_error *error)
{
	const int rc = np_file_check(options->json, options->force, error);

	return rc != 0 ? rc : np_file_check(options->output, options->force, error);
}

static int open_result(const char *path, bool force, FILE **file, struct np_error *error)
{
	return path == NULL || *path == '\0' ? 0 : np_file_create(path, force, file, error);
}

/* Two streams into one regular file write over each other. */
static bool is_one_file(FILE *one, FILE *other)
{
	struct stat a, b;

	return one != NULL && other != NULL && fstat(fileno(one), &a) == 0 &&
	       fstat(fileno(other), &b) == 0 && S_ISREG(a.st_mode) &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int np_output_open(struct np_output *output, const struct np_options *options,
		   struct np_error *error)
{
	*output = (struct np_output){ .options = options };
	output->progress = !options->quiet && isatty(STDERR_FILENO);
	int rc = open_result(options->json, options->force, &output->json, error);
	if (rc == 0)
		rc = open_result(options->output, options->force, &output->netpipe, error);
	if (rc == 0 && is_one_file(output->json, output->netpipe))
		rc = np_refuse(error, "--json and -o name the same file, '%.200s'",
			       options->json);
	/* Without --force this run has created the file, and it is empty. */
	if (rc != 0 && output->json != NULL && !options->force)
		unlink(options->json);
	return rc;
}

int np_output_close(struct np_output *output, struct np_error *error)
{
	const struct np_options *options = output->options;
	const int first = output->json == NULL ?
				  0 :
				  np_file_close(output->json, options->json, error);
	const int second = output->netpipe == NULL ?
				   0 :
				   np_file_close(output->netpipe, options->output, error);

	output->json = output->netpipe = NULL;
	return first != 0 ? first : second;
}

void np_progress_show(struct np_output *output, unsigned pass, size_t length, double share)
{
	char bytes[32];

	if (!output->progress)
		return;
	np_text_bytes(length, bytes, sizeof(bytes));
	fprintf(stderr, "\rpass %u, %s, %.0f %% of the time budget\033[K", pass + 1, bytes,
		100 * (share < 1 ? share : 1));
	output->progress_shown = true;
}

void np_progress_clear(struct np_output *output)
{
	if (output->progress_shown)
		fputs("\r\033[K", stderr);
	output->progress_shown = false;
}
