/*
 * output.c - result files: create, keep backups of existing ones, close.
 */
#include "output/output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"

/* Accepts an existing regular file: a backup of it is kept. */
static int check_result(const char *path, bool force, struct np_error *error)
{
	struct stat status;

	return path != NULL && lstat(path, &status) == 0 && S_ISREG(status.st_mode) ?
		       0 :
		       np_file_check(path, force, error);
}

static bool is_given(const char *path)
{
	return path != NULL && *path != '\0';
}

/* Two streams into one regular file overwrite each other. */
static bool is_one_file(const char *one, const char *other)
{
	struct stat a, b;

	return is_given(one) && is_given(other) &&
	       (strcmp(one, other) == 0 ||
		(stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
		 a.st_ino == b.st_ino)) &&
	       (stat(one, &a) != 0 || S_ISREG(a.st_mode));
}

static int refuse_one_file(const char *path, struct np_error *error)
{
	return np_refuse(error, "--json and -o name the same file, '%.200s'", path);
}

int np_output_check(const struct np_options *options, struct np_error *error)
{
	if (is_one_file(options->json, options->output))
		return refuse_one_file(options->json, error);
	int rc = check_result(options->json, options->force, error);
	double usual_ns;

	if (rc == 0)
		rc = check_result(options->output, options->force, error);
	if (rc == 0 && is_given(options->reference) &&
	    is_one_file(options->json, options->reference))
		rc = np_refuse(error, "--reference and --json name one file");
	if (rc == 0 && is_given(options->reference))
		rc = np_reference_read(options->reference, &usual_ns, error);
	return rc;
}

static int open_result(const char *path, bool force, char **kept, FILE **file,
		       struct np_error *error)
{
	return is_given(path) ? np_file_create_kept(path, force, kept, file, error) : 0;
}

/* Removes the new, empty file and restores the backup. */
static void take_back(const char *path, char *kept, const FILE *file)
{
	if (file != NULL)
		unlink(path);
	if (kept != NULL)
		rename(kept, path);
}

int np_output_open(struct np_output *output, const struct np_options *options,
		   struct np_error *error)
{
	*output = (struct np_output){ .options = options };
	np_progress_open(output);
	int rc = open_result(options->json, options->force, &output->kept_json,
			     &output->json, error);
	/* Two names of one file can be detected only once it exists. */
	if (rc == 0 && is_one_file(options->json, options->output))
		rc = refuse_one_file(options->json, error);
	if (rc == 0)
		rc = open_result(options->output, options->force, &output->kept_netpipe,
				 &output->netpipe, error);
	if (rc != 0 && !options->force) {
		take_back(options->json, output->kept_json, output->json);
		take_back(options->output, output->kept_netpipe, output->netpipe);
	}
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
	free(output->kept_json);
	free(output->kept_netpipe);
	output->kept_json = output->kept_netpipe = NULL;
	return first != 0 ? first : second;
}
