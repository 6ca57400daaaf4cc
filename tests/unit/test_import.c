/*
 * test_import.c - files of every format: what wrote them is found out, columns
 * and units are read as they are meant, and what is wrong has a line number.
 */
#include "import_case.h"

/* The seconds are made by hand from the line in the file. */
static const struct expected table[] = {
	{ "netpipe-tcp-3.7.2.out", "netpipe", "NetPIPE 3", "", 106, 2,
	  16 / (1.717775 * 1048576) },
	{ "netpipe-mpich2-3.7.2.out", "netpipe", "NetPIPE 3", "", 106, 1,
	  8 / (11.307420 * 1048576) },
	{ "netpipe5.out", "netpipe5", "NetPIPE 5", "", 14, 2, 2.30e-6 },
	{ "netpipe5.out", "netpipe5", "NetPIPE 5", "", 14, 1048576, 339.48e-6 },
	{ "osu_latency.txt", "osu", "OSU micro-benchmarks", "pingpong", 17, 65536,
	  28.44e-6 },
	{ "osu_bw.txt", "osu", "OSU micro-benchmarks", "stream", 13, 4096,
	  4096 / 6512.03e6 },
	{ "imb_pingpong.txt", "imb", "Intel MPI Benchmarks", "pingpong", 8, 0, 0.92e-6 },
	{ "imb_pingpong.txt", "imb", "Intel MPI Benchmarks", "Sendrecv", 3, 2, 1.27e-6 },
	{ "ib_send_lat.txt", "perftest", "perftest", "Send Latency", 3, 4, 10.31e-6 },
	{ "ib_write_bw.txt", "perftest", "perftest", "RDMA_Write BW", 2, 4096,
	  4096 / (771.40 * 1048576) },
	{ "perftest-4.5-send_lat.txt", "perftest", "perftest", "Send Latency", 1, 4096,
	  72.82e-6 },
	{ "perftest-4.5-send_lat_unsorted.txt", "perftest", "perftest", "Send Latency", 1,
	  64, 3971.15e-6 },
	{ "perftest-4.5-write_lat_duration.txt", "perftest", "perftest",
	  "RDMA_Write Latency", 1, 64, 507.53e-6 },
	{ "perftest-4.5-atomic_lat.txt", "perftest", "perftest",
	  "Atomic FETCH_AND_ADD Latency", 1, 8, 20.37e-6 },
	{ "perftest-4.5-send_bw.txt", "perftest", "perftest", "Send BW", 1, 4096,
	  4096 / (29.08 * 1048576) },
	{ "perftest-4.5-send_bw_both.txt", "perftest", "perftest", "Send Bidirectional BW",
	  1, 4096, 2 * 4096 / (34.89 * 1048576) },
	{ "perftest-4.5-write_bw_gbit.txt", "perftest", "perftest", "RDMA_Write BW", 1,
	  4096, 8 * 4096 / 0.38e9 },
	{ "rate.csv", "csv", "CSV", "", 3, 1024, 8 * 1024 / 640e6 },
	{ "time.csv", "csv", "CSV", "", 3, 1024, 12.8e-6 },
};

static void check_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		check_one(&table[i], NULL);
		check_one(&table[i], table[i].import);
	}
}

/* A megabit of NetPIPE 3 has 2^20 bits, of NetPong's -o 10^6. */
static void check_megabits(void **state)
{
	static const char ours[] = "# NPtcp\n   1000   800.000000 1.000000e-05\n";
	static const char theirs[] = "   1000 762.939453   0.00001000\n";
	struct np_error error = { .code = 0 };
	struct np_run run;

	(void)state;
	assert_int_equal(read_memory("a", ours, sizeof(ours) - 1, NULL, &run, &error), 0);
	assert_true(fabs(run.series[0].points[0].mbps - 800) < 1e-3);
	assert_null(strstr(np_facts_find(&run.notes, "units"), "2^20"));
	np_run_free(&run);
	assert_int_equal(read_memory("b", theirs, sizeof(theirs) - 1, NULL, &run, &error),
			 0);
	assert_true(fabs(run.series[0].points[0].mbps - 800) < 1e-3);
	assert_non_null(strstr(np_facts_find(&run.notes, "units"), "2^20"));
	np_run_free(&run);
}

#define HEADER "{\"kind\":\"header\",\"format\":2,\"op\":\"pingpong\",\"transmitter\":{}}\n"
#define ROW(bytes)                                                                         \
	"{\"kind\":\"row\",\"bytes\":" bytes                                               \
	",\"op\":\"pingpong\",\"mode\":\"reuse\",\"median_s\":1e-6,\"mbps\":1}\n"

#define OTHER "{\"kind\":\"header\",\"format\":2,\"op\":\"stream\",\"transmitter\":{}}\n"
#define HUGE                                                                               \
	"{\"kind\":\"row\",\"bytes\":1,\"op\":\"pingpong\",\"mode\":\"reuse\","            \
	"\"median_s\":1e303}\n"

static const struct malformed wrong[] = {
	{ NULL, "", "x: the file is empty", 0 },
	{ NULL, "hello\n", "x: cannot tell the format", 0 },
	{ NULL, HEADER ROW("1") "{\"kind\":\n", "x:3: ", 1 },
	{ NULL, HEADER ROW("1") ROW("2") "{\"kind\":\"row\"", "x:4: ", 2 },
	{ NULL, HEADER ROW("1") "\n", "x:3: an empty line", 1 },
	{ NULL, HEADER ROW("-1"), "x:2: bytes, op, mode or median_s", 0 },
	{ NULL, HEADER ROW("1") "[1]\n", "x:3: ", 1 },
	{ NULL, ROW("1"), "x:1: a line before the first header", 0 },
	{ NULL, "{\"kind\":\"header\",\"format\":1}\n", "x:1: format 1", 0 },
	{ NULL, HEADER, "x:1: the file has no measurement", 0 },
	{ "netpipe", "1 0.8 0.00001\n2 x 0.1\n", "x:2: 'x' is not a number: Mbit/s", 1 },
	{ "netpipe", "1 nan 0.1\n", "x:1: 'nan' is not a number: Mbit/s", 0 },
	{ "netpipe5", "1 1 1 1 8\n1 2 3\n", "x:2: 3 columns, where there should be 5", 1 },
	{ "osu", "# OSU MPI Latency Test\n# Size Latency (us)\n1 1.0\n2 zz\n",
	  "x:4: 'zz' is not a number", 1 },
	{ "osu", "# OSU MPI Latency Test\n# Size Latency (us)\n1\n",
	  "x:3: 1 columns, where there should be 2", 0 },
	{ "imb", "# Benchmarking PingPong\n#bytes #repetitions t[usec]\n-5 1 2\n",
	  "x:3: '-5' is not a number", 0 },
	{ "perftest", "#bytes #iterations t_min[usec] t_max[usec] t_typical[usec]\n1 2 3\n",
	  "x:2: 3 columns", 0 },
	{ "csv", "bytes,MB/s\n1,2\n1,2,3\n", "x:3: 3 columns, where there should be 2", 1 },
	{ "csv", "size,MB/s\n", "x:1: no column is named \"bytes\"", 0 },
	{ "csv", "bytes,speed\n", "x:1: no column is named after a unit", 0 },
	{ "csv", "bytes,s\n1,1\n2,1e303\n", "x:3: a time of", 1 },
	{ "csv", "bytes,s\n1,1e-300\n", "x:2: a time of", 0 },
	{ "csv", "bytes,s\n1,0\n2,0\n",
	  "x:3: the file has no measurement, and 2 times of 0", 0 },
	{ NULL, HEADER ROW("1") OTHER, "x:3: a header of another program or", 1 },
	{ NULL, HEADER HUGE, "x:2: bytes, op, mode or median_s", 0 },
	{ "csv", "bytes,s\n\"1,2\n", "x:2: a quotation mark", 0 },
};

static void check_malformed(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		check_wrong(&wrong[i]);
}

/* What differs in more than size is not one curve. */
static void check_experiments(void **state)
{
	struct np_run run;

	(void)state;
	read_text(
		"# Benchmarking Bcast\n# #processes = 2\n#bytes #repetitions t_avg[usec]\n"
		"1 1 2\n\n# Benchmarking Bcast\n# #processes = 4\n"
		"#bytes #repetitions t_avg[usec]\n1 1 4\n",
		"imb", &run);
	assert_int_equal(run.series_count, 2);
	assert_string_equal(run.series[0].variant, "2 processes");
	assert_string_equal(run.series[1].variant, "4 processes");
	np_run_free(&run);
	read_text("file,variant,bytes,s\na,poll,1,1\na,poll,2,1\nb,poll,1,2\nb,poll,2,2\n",
		  "csv", &run);
	assert_int_equal(run.series_count, 2);
	assert_string_equal(run.series[0].variant, "a, poll");
	assert_string_equal(run.series[1].variant, "b, poll");
	assert_int_equal(run.series[1].count, 2);
	np_run_free(&run);
	read_text("file,variant,bytes,s\na,poll,1,1\na,poll,2,1\n", "csv", &run);
	assert_int_equal(run.series_count, 1);
	assert_string_equal(run.series[0].variant, "poll");
	np_run_free(&run);
}

/* A file that went through another system. */
static void check_carriage_returns(void **state)
{
	struct np_run run;

	(void)state;
	read_text("  Send Latency Test\r\n Dual-port : OFF\r\n\r\n #bytes #iterations"
		  " t_min[usec] t_max[usec] t_typical[usec] t_avg[usec]\r\n"
		  " 2 1000 1 3 2.5 2.6\r\n",
		  NULL, &run);
	assert_string_equal(run.format, "perftest");
	assert_string_equal(run.series[0].op, "Send Latency");
	assert_true(fabs(run.series[0].points[0].median_s - 2.5e-6) < 1e-15);
	np_run_free(&run);
	read_text("\xef\xbb\xbf# a comment\r\nbytes,us\r\n1,2\r\n", NULL, &run);
	assert_string_equal(run.format, "CSV");
	assert_int_equal(run.series[0].count, 1);
	np_run_free(&run);
}

/* Times of 0 are no figures, and that they were there is said. */
static void check_zero_times(void **state)
{
	struct np_run run;

	(void)state;
	read_text("bytes,s\n1,0\n2,1\n", "csv", &run);
	assert_int_equal(run.series[0].count, 1);
	assert_string_equal(np_facts_find(&run.notes, "left out"), "1 time of 0");
	np_run_free(&run);
}

static void check_zero_byte(void **state)
{
	static const char text[] = "bytes,s\n1,1\n2,\0003\n";
	struct np_error error = { .code = 0 };
	struct np_run run;

	(void)state;
	assert_int_not_equal(read_memory("x", text, sizeof(text) - 1, "csv", &run, &error),
			     0);
	assert_string_equal(error.text, "x:3: a zero byte");
	np_run_free(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_values),
		cmocka_unit_test(check_megabits),
		cmocka_unit_test(check_malformed),
		cmocka_unit_test(check_experiments),
		cmocka_unit_test(check_zero_times),
		cmocka_unit_test(check_zero_byte),
		cmocka_unit_test(check_carriage_returns),
	};

	return cmocka_run_group_tests_name("import", tests, NULL, NULL);
}
