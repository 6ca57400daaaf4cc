/*
 * all_pairs.c - --all-pairs: every pair of a list of hosts, one after the other.
 *
 * For each pair it starts a server on one host and a client on the other, reads the
 * client's visits as --runs reads those of its runs, and compares the pairs at the
 * end.  A pair that cannot be measured is reported, and the others go on.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "output/output.h"
#include "program/program.h"
#include "program/remote.h"
#include "endpoint/watch.h"

enum { HOSTFILE_MOST = 1 << 16 };

struct pairing {
	struct np_program *program;
	struct np_host_list hosts;
	struct np_matrix matrix;
	char *plan; /* the plan's lines for each client */
	FILE *json; /* NULL: not requested */
	char *kept; /* name of the file that lay there before; NULL: none */
	size_t failed;
};

static int read_hosts(struct pairing *all, struct np_error *error)
{
	const char *path = all->program->options.hostfile;
	char *text = NULL;
	int rc = np_file_text(path, HOSTFILE_MOST, &text, error);

	if (rc == 0)
		rc = np_host_list_read(path, text, &all->hosts, error);
	free(text);
	return rc;
}

/* ---- One pair ------------------------------------------------------------- */

static int take_line(struct np_results *results, const char *line, struct np_error *error)
{
	struct np_measured *measured = NULL;
	const int rc = np_json_read_visit(line, results, &measured, error);

	if (rc != 1)
		return rc;
	const struct np_visit *visit = np_results_add(results, measured);

	np_measured_free(measured);
	return visit != NULL ? 0 : np_fail_errno(error, ENOMEM, "no memory for results");
}

/* Reads the visits of the client until it exits. */
static int read_visits(const struct pairing *all, struct np_remote *client,
		       const struct np_remote *server, struct np_results *results,
		       struct np_error *error)
{
	char *line;
	int rc;

	do {
		rc = np_remote_line(client, server, all->program->signals, &line, error);
		if (rc == 1)
			rc = take_line(results, line, error) == 0 ? 1 : error->code;
	} while (rc == 1);
	return rc;
}

/* Stores the rows as the link's figures. */
static int take_figures(struct np_results *results, struct np_host_pair *link,
			struct np_error *error)
{
	struct np_table table;
	size_t count = 0;
	int rc = np_table_derive(results, &table);

	if (rc == 0)
		rc = np_host_pair_measured(link, table.row_count);
	for (size_t i = 0; rc == 0 && i < table.row_count; i++) {
		const struct np_row *row = &table.rows[i];

		/* The first mode and variant of each size. */
		if (count > 0 && link->figures[count - 1].bytes == row->length)
			continue;
		link->figures[count++] =
			(struct np_host_pair_figure){ .bytes = row->length,
						      .median_s = row->median_s,
						      .low_s = row->ci_low_s,
						      .high_s = row->ci_high_s,
						      .mbps = row->mbps };
	}
	if (rc == 0)
		link->figure_count = count;
	np_table_free(&table);
	return rc == 0 ? 0 : np_fail_errno(error, rc, "no memory for the table");
}

/* Starts the client of a pair, which dials the server's port, and reads its visits. */
static int run_client(const struct pairing *all, const struct np_host_pair *link,
		      const struct np_remote *server, uint16_t port,
		      struct np_results *results, struct np_error *error)
{
	char to[NP_HOST_NAME + 16], at[16];
	const char *const arguments[] = { to, at, "--quiet", "--run-pipe=1:0", NULL };
	const struct np_remote_order order = { .program = all->program,
					       .host = all->hosts.hosts[link->from].name,
					       .arguments = arguments,
					       .plan = all->plan };
	struct np_remote client;

	snprintf(to, sizeof(to), "--host=%s", all->hosts.hosts[link->to].address);
	snprintf(at, sizeof(at), "--port=%u", (unsigned)port);
	int rc = np_remote_start(&client, &order, error);
	if (rc == 0)
		rc = read_visits(all, &client, server, results, error);
	const int status = np_remote_end(&client);
	return rc != 0 || status == 0 ? rc : np_remote_failed(&client, status, error);
}

static int measure_pair(const struct pairing *all, struct np_host_pair *link,
			struct np_error *error)
{
	struct np_remote server;
	struct np_results results;
	uint16_t port;

	np_results_init(&results);
	np_program_results(all->program, &results);
	int rc = np_remote_serve(&server, all->program, all->hosts.hosts[link->to].name,
				 &port, error);
	if (rc == 0)
		rc = run_client(all, link, &server, port, &results, error);
	np_remote_end(&server);
	if (rc == 0)
		rc = take_figures(&results, link, error);
	np_results_free(&results);
	return rc;
}

/* ---- All of them ----------------------------------------------------------- */

static int run_pairs(struct pairing *all, const struct np_notes *notes,
		     struct np_error *error)
{
	char line[600];

	for (size_t i = 0; i < all->matrix.link_count; i++) {
		struct np_host_pair *link = &all->matrix.links[i];
		struct np_error why = { .code = 0 };
		int rc = measure_pair(all, link, &why);

		if (rc == -EINTR) {
			np_watch_read_signal(all->program->signals, error);
			snprintf(link->reason, sizeof(link->reason), "%s", error->text);
		} else if (rc != 0) {
			all->failed++;
			snprintf(link->reason, sizeof(link->reason), "%s", why.text);
			snprintf(line, sizeof(line), "%s - %s: %s",
				 all->hosts.hosts[link->from].name,
				 all->hosts.hosts[link->to].name, why.text);
			notes->note(notes->context, line);
		}
		if (all->json != NULL &&
		    np_json_host_pair(all->json, &all->matrix, link, &all->program->request,
				      error) != 0)
			return error->code;
		if (rc == -EINTR)
			return rc;
	}
	return 0;
}

static int prepare(struct pairing *all, struct np_error *error)
{
	struct np_program *program = all->program;
	const struct np_options *options = &program->options;
	int rc = read_hosts(all, error);

	if (rc != 0)
		return rc;
	all->plan = np_options_to_text(program->sets, 2, NP_SCOPE_PLAN);
	if (all->plan == NULL ||
	    np_matrix_init(&all->matrix, &all->hosts,
			   all->program->request.operation == NP_STREAM ||
				   all->program->request.operation == NP_STREAM_ACKED) != 0)
		return np_fail_errno(error, ENOMEM, "no memory for the pairs");
	if (options->json == NULL)
		return 0;
	rc = np_file_create_kept(options->json, options->force, &all->kept, &all->json,
				 error);
	return rc != 0 ?
		       rc :
		       np_json_hosts(all->json, &all->matrix, &program->identity,
				     program->module->name, &all->program->request, error);
}

static int report(struct pairing *all, struct np_error *error)
{
	np_matrix_judge(&all->matrix);
	np_text_matrix(stdout, &all->matrix, all->program->request.operation_name);
	np_text_kept(stdout, all->kept, all->program->options.json);
	if (all->json != NULL &&
	    np_json_matrix(all->json, &all->matrix, &all->program->request, error) != 0)
		return error->code;
	if (all->failed == 0)
		return 0;
	return np_fail(error, NP_ERROR_PEER, ECHILD,
		       "%zu of %zu pairs could not be measured", all->failed,
		       all->matrix.link_count);
}

int np_all_pairs(struct np_program *program, const struct np_notes *notes,
		 struct np_error *error)
{
	struct pairing *all = calloc(1, sizeof(*all));

	if (all == NULL)
		return np_fail_errno(error, ENOMEM, "no memory for the pairs");
	all->program = program;
	int rc = prepare(all, error);
	if (rc == 0) {
		rc = run_pairs(all, notes, error);
		const int reported = report(all, error);
		rc = rc != 0 ? rc : reported;
	}
	if (all->json != NULL) {
		const int closed = np_file_close(all->json, program->options.json, error);
		rc = rc != 0 ? rc : closed;
	}
	np_matrix_free(&all->matrix);
	free(all->plan);
	free(all->kept);
	free(all);
	return rc;
}
