/*
 * output_connection.c - cost of a new connection, for the result file and the terminal.
 */
#include <jansson.h>
#include <math.h>

#include "base/plural.h"
#include "output/json_line.h"
#include "output/output.h"
#include "output/output_connection.h"
#include "output/say.h"

int np_json_connection(FILE *file, const struct np_warm_up *connection,
		       struct np_error *error)
{
	return np_json_write_line(
		file,
		json_pack("{s:s, s:i, s:i, s:I, s:I, s:I, s:o, s:o, s:b}", "kind",
			  "connection", "run", (int)connection->run_index, "pass",
			  (int)connection->pass, "bytes", (json_int_t)connection->length,
			  "messages", (json_int_t)connection->messages, "after",
			  (json_int_t)connection->after, "first_s",
			  np_json_number(connection->first_s), "steady_s",
			  np_json_number(connection->steady_s), "steady",
			  connection->steady),
		error);
}

json_t *np_json_new_connection(const struct np_new_connection *found)
{
	json_t *array = json_array();

	if (isnan(found->low) || found->connections == 0)
		return array;
	json_array_append_new(
		array,
		json_pack("{s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:b}", "first_s",
			  np_json_number(found->first_s), "steady_s",
			  np_json_number(found->steady_s), "after",
			  (json_int_t)found->after, "bytes", (json_int_t)found->length,
			  "connections", (json_int_t)found->connections, "ratio",
			  np_json_number(found->ratio), "ratio_low",
			  np_json_number(found->low), "ratio_high",
			  np_json_number(found->high), "significant", found->significant));
	return array;
}

void np_text_connection(FILE *file, const struct np_new_connection *found)
{
	char bytes[32], first[64], steady[64], slower[96];

	if (!found->significant)
		return;
	np_text_size_unit(found->length, bytes, sizeof(bytes));
	np_text_us(found->first_s, first, sizeof(first));
	np_text_us(found->steady_s, steady, sizeof(steady));
	np_text_slower(found->ratio, found->low, found->high, slower, sizeof(slower));
	np_say(file, "connection", "new: %s at %s, after %llu message%s %s: %s", first,
	       bytes, (unsigned long long)found->after, np_plural(found->after), steady,
	       slower);
}
