/*
 * output_json_matrix.c - matrix of --all-pairs as result lines.
 */
#include "output/output.h"

#include "output/json_line.h"

static const char *name_of(const struct np_matrix *matrix, size_t host)
{
	return matrix->hosts->hosts[host].name;
}

int np_json_host_pair(FILE *file, const struct np_matrix *matrix,
		      const struct np_host_pair *link, const struct np_request *request,
		      struct np_error *error)
{
	const char *from = name_of(matrix, link->from), *to = name_of(matrix, link->to);
	int rc = 0;

	if (!link->measured)
		return np_json_write_line(file,
					  json_pack("{ss ss ss ss}", "kind", "unmeasured",
						    "from", from, "to", to, "reason",
						    link->reason),
					  error);
	for (size_t i = 0; i < link->figure_count && rc == 0; i++) {
		const struct np_host_pair_figure *figure = &link->figures[i];

		rc = np_json_write_line(
			file,
			json_pack("{ss ss ss sI ss so so so so}", "kind", "link", "from",
				  from, "to", to, "bytes", (json_int_t)figure->bytes, "op",
				  request->operation_name, "median_s",
				  np_json_number(figure->median_s), "ci_low_s",
				  np_json_number(figure->low_s), "ci_high_s",
				  np_json_number(figure->high_s), "mbps",
				  np_json_number(figure->mbps)),
			error);
	}
	return rc;
}

/* A row for each transmitting host, of one size: medians, or their ratios to the median
 * of all. */
static json_t *pack_rows(const struct np_matrix *matrix, size_t bytes, bool times)
{
	json_t *rows = json_array();

	for (size_t from = 0; from < matrix->hosts->count; from++) {
		json_t *row = json_array();

		for (size_t to = 0; to < matrix->hosts->count; to++) {
			const struct np_host_pair_figure *figure =
				np_matrix_find(matrix, from, to, bytes);

			json_array_append_new(
				row, figure == NULL ?
					     json_null() :
					     np_json_number(times ? figure->times :
								    figure->median_s));
		}
		json_array_append_new(rows, row);
	}
	return rows;
}

static json_t *pack_slow(const struct np_matrix *matrix, size_t bytes)
{
	json_t *slow = json_array();

	for (size_t i = 0; i < matrix->link_count; i++) {
		const struct np_host_pair *link = &matrix->links[i];

		for (size_t k = 0; k < link->figure_count; k++) {
			if (link->figures[k].bytes == bytes && link->figures[k].slow)
				json_array_append_new(
					slow,
					json_sprintf("%s - %s", name_of(matrix, link->from),
						     name_of(matrix, link->to)));
		}
	}
	return slow;
}

int np_json_hosts(FILE *file, const struct np_matrix *matrix,
		  const struct np_identity *identity, const char *module,
		  const struct np_request *request, struct np_error *error)
{
	json_t *names = json_array(), *addresses = json_array();

	for (size_t i = 0; i < matrix->hosts->count; i++) {
		json_array_append_new(names, json_string(name_of(matrix, i)));
		json_array_append_new(addresses,
				      json_string(matrix->hosts->hosts[i].address));
	}
	return np_json_write_line(
		file,
		json_pack("{ss ss ss ss ss sb so so}", "kind", "hosts", "program",
			  identity->program, "version", identity->version, "module", module,
			  "op", request->operation_name, "one_way", matrix->one_way,
			  "hosts", names, "addresses", addresses),
		error);
}

int np_json_matrix(FILE *file, const struct np_matrix *matrix,
		   const struct np_request *request, struct np_error *error)
{
	const struct np_host_pair *longest = NULL;
	int rc = 0;

	/* All links have the sizes of the link with most of them. */
	for (size_t i = 0; i < matrix->link_count; i++) {
		if (longest == NULL ||
		    matrix->links[i].figure_count > longest->figure_count)
			longest = &matrix->links[i];
	}
	for (size_t i = 0; longest != NULL && i < longest->figure_count && rc == 0; i++) {
		const size_t bytes = longest->figures[i].bytes;

		rc = np_json_write_line(file,
					json_pack("{ss ss sI so so so}", "kind", "matrix",
						  "op", request->operation_name, "bytes",
						  (json_int_t)bytes, "median_s",
						  pack_rows(matrix, bytes, false), "times",
						  pack_rows(matrix, bytes, true), "slow",
						  pack_slow(matrix, bytes)),
					error);
	}
	return rc;
}
