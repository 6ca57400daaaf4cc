/*
 * output_netpipe.c - NetPIPE's file: bytes, Mbit/s, one-way seconds, after comment
 * lines.  A megabit is 10^6 bits; in NetPIPE 3 it was 2^20.
 */
#include <errno.h>

#include "output/output.h"

int np_netpipe_write(FILE *file, const struct np_results *results,
		     const struct np_run_header *header, enum np_mode mode,
		     const struct np_table *table, struct np_error *error)
{
	/* The format has one variant: the first. */
	const char *variant = np_variant_name(results, 0);
	bool failed;

	failed = fprintf(file,
			 "# %s %s, %s, %s buffers%s%s\n"
			 "# bytes  Mbit/s (10^6 bit/s)  seconds\n",
			 header->module->program, header->version, results->operation_name,
			 np_mode_name(mode), variant != NULL ? ", " : "",
			 variant != NULL ? variant : "") < 0;
	for (size_t i = 0; i < table->row_count && !failed; i++) {
		const struct np_row *row = &table->rows[i];

		if (row->mode == mode && row->variant == 0)
			failed = fprintf(file, "%10zu %14.6f %.6e\n", row->length,
					 row->mbps, row->median_s) < 0;
	}
	if (failed || fflush(file) != 0)
		return np_fail_errno(error, errno, "cannot write the output file");
	return 0;
}
