/*
 * test_import_tools.c - files of ucx_perftest, nccl-tests, fabtests, sockperf, iperf3 and
 * netperf: half round trips, means and medians are taken as they are meant, and what is
 * wrong has a line number.
 */
#include "import_case.h"

/* The seconds are made by hand from the line in the file. */
static const struct expected table[] = {
	{ "ucx_perftest-1.13.txt", "ucx_perftest", "ucx_perftest", "pingpong", 1, 64,
	  5.687e-6 },
	{ "ucx_perftest-1.13.txt", "ucx_perftest", "ucx_perftest", "stream", 1, 4096,
	  1 / 220921.0 },
	{ "ucx_perftest-1.13.txt", "ucx_perftest", "ucx_perftest", "get", 1, 64,
	  2569.023e-6 },
	{ "ucx_perftest-1.13-box.txt", "ucx_perftest", "ucx_perftest", "pingpong", 1, 64,
	  5.687e-6 },
	{ "nccl-2.18-all_reduce.txt", "nccl", "nccl-tests", "all_reduce", 8, 134217728,
	  5871.07e-6 },
	{ "nccl-sendrecv.txt", "nccl", "nccl-tests", "sendrecv", 1, 37748744, 11732e-6 },
	{ "rccl-all_reduce.txt", "nccl", "nccl-tests", "all_reduce", 3, 32, 44.49e-6 },
	{ "fabtests-rdm_pingpong.txt", "fabtests", "fabtests", "pingpong", 6, 1048576,
	  12259.84e-6 },
	{ "fabtests-pingpong_m.txt", "fabtests", "fabtests", "pingpong", 6, 1024,
	  72.794998e-6 },
	{ "fabtests-tagged_bw.txt", "fabtests", "fabtests", "stream", 6, 65536, 735.51e-6 },
	{ "fi_pingpong-1.17.txt", "fabtests", "fabtests", "pingpong", 6, 4096,
	  41658.05e-6 },
	{ "sockperf-3.7-ping_pong.txt", "sockperf", "sockperf", "pingpong", 2, 1024,
	  8.751e-6 },
	{ "sockperf-3.7-full_log.csv", "sockperf", "sockperf", "pingpong", 1, 64,
	  11.381e-6 },
	{ "sockperf-3.7-throughput.txt", "sockperf", "sockperf", "stream", 1, 1024,
	  1 / 280688.0 },
	{ "iperf3-3.12-tcp.json", "iperf3", "iperf3", "stream", 1, 65536,
	  8 * 65536 / 11102444084.3 },
	{ "iperf3-3.12-reverse.json", "iperf3", "iperf3", "stream", 1, 16384,
	  8 * 16384 / 4511851077.7 },
	{ "iperf3-3.12-udp.json", "iperf3", "iperf3", "stream", 1, 1400,
	  8 * 1400 / 182493514.7 },
	{ "iperf3-3.12-bidir.json", "iperf3", "iperf3", "stream", 1, 65536,
	  8 * 65536 / 2647468891.6 },
	{ "netperf-2.7-omni_rr.txt", "netperf", "netperf", "pingpong", 1, 64, 18e-6 / 2 },
	{ "netperf-2.7-tcp_rr.csv", "netperf", "netperf", "pingpong", 1, 1024, 18e-6 / 2 },
	{ "netperf-2.7-tcp_stream.csv", "netperf", "netperf", "stream", 1, 16384,
	  8 * 16384 / 3635.81e6 },
	{ "netperf-2.7-omni_send.txt", "netperf", "netperf", "stream", 1, 65536,
	  8 * 65536 / 3671.49e6 },
};

static void check_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		check_one(&table[i], NULL);
		check_one(&table[i], table[i].import);
	}
}

#define UCX                                                                                \
	"| Stage | # iterations | 50.0%ile | average | overall | average | overall |"      \
	" average | overall |\n"
#define NCCL                                                                               \
	"# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"
#define UNITS	 "# (B) (elements) (us) (GB/s) (GB/s) (us) (GB/s) (GB/s)\n"
#define FABTESTS "bytes iters total time MB/sec usec/xfer Mxfers/sec\n"
#define SOCKPERF "sockperf: ---> <MIN> observation = 3\n"

static const struct malformed wrong[] = {
	{ NULL, UCX "Final: 1000 1 2 2 3 3 4 4\n", "x:2: no message size before this", 0 },
	{ NULL, "ucx_perftest h -s 8 -t am_lat\n" UCX "Final: 1000 1 2\n", "x:3: 4 columns",
	  0 },
	{ NULL, "ucx_perftest h -s 8 -t am_lat\n" UCX "Final: 9 1 2 x 3 3 4 4\n",
	  "x:3: 'x' is not a number", 0 },
	{ NULL, NCCL "1024 256 float sum -1 5.1\n", "x:2: 6 columns, where there should",
	  0 },
	{ NULL, NCCL "1024 256 float sum -1 x 1 1 0 5.1 1 1 0\n",
	  "x:2: 'x' is not a number", 0 },
	{ NULL, FABTESTS "64 10 1.2k 1s\n", "x:2: 4 columns, where there should be 7", 0 },
	{ NULL, FABTESTS "64x 10 1.2k 1s 1 1 1\n", "x:2: '64x' is not a number of bytes",
	  0 },
	{ NULL, "- { xfer_size: 64, usec/xfer: 1 }\n",
	  "x:1: not bytes, iterations and total", 0 },
	{ NULL, SOCKPERF, "x:1: no message size before this: sockperf", 0 },
	{ NULL, "$ sockperf pp -m 14\nsockperf: ---> <MIN> observation = x\n",
	  "x:2: 'x' is not a number: <MIN>", 0 },
	{ NULL, "{\n\"version\": \"iperf 3.12\",\n", "x:2: not JSON, or not all of it", 0 },
	{ NULL, "{\"start\": {\"version\": \"iperf 3.12\"}, \"error\": \"no route\"}\n",
	  "x:1: iperf3 failed: no route", 0 },
	{ NULL, "{\"start\": {\"version\": \"iperf 3.12\"}, \"end\": {}}\n",
	  "x:1: no block size, or no rate", 0 },
	{ NULL, "THROUGHPUT=1\nTHROUGHPUT_UNITS=Trans/s\n", "x:2: no size of a message",
	  0 },
	{ NULL, "REQUEST_SIZE=1\nRESPONSE_SIZE=2\nRT_LATENCY=3\n",
	  "x:3: not one size of request and response", 0 },
	{ NULL, "RT_LATENCY=3\nREQUEST_SIZE=1\nRESPONSE_SIZE=1\nBURST_SIZE=4\n",
	  "x:4: a burst of 4 requests", 0 },
	{ NULL, "Throughput,Throughput Units\n1\n", "x:2: not one value", 0 },
	{ NULL, "P50_LATENCY=x\n", "x:1: 'x' is not a number: P50_LATENCY", 0 },
	/* Redundant columns: algbw is size over time, Mbytes/sec and MsgRate are, too. */
	{ NULL, NCCL UNITS "8000 2 float sum -1 1.00 8.00 8.00 0 1.00 4.00 4.00 0\n",
	  "x:3: the row contradicts itself: 8000 bytes, time 1.00, algbw 4.00", 1 },
	{ NULL, NCCL "0 0 float sum -1 1 0.00 0.00 0 1 0.00 0.00 0\n",
	  "x:2: the unit of time 1 is not stated", 0 },
	{ NULL,
	  "# Benchmarking PingPong\n#bytes #repetitions t[msec] Mbytes/sec\n1000 1 1.00 "
	  "1000.00\n",
	  "x:3: the row contradicts itself: 1000 bytes, t 1.00, Mbytes/sec 1000.00", 0 },
	{ NULL,
	  "# Benchmarking Bcast\n#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]\n"
	  "1 1 2 3 9\n2 1 2 3 2.5\n",
	  "x:3: the row contradicts itself: t_avg 9 is above t_max 3", 1 },
	{ NULL,
	  " Send BW Test\n#bytes #iterations BW peak[MB/sec] BW average[MB/sec] "
	  "MsgRate[Mpps]\n"
	  "1048576 1 1 100 0.000200\n",
	  "x:3: the row contradicts itself", 0 },
	{ NULL, "# OSU MPI Latency Test\n# Size Latency (hours)\n1 1\n",
	  "x:3: the file has no measurement; line 2: a column has no unit", 0 },
	{ NULL, "# OSU MPI Barrier Latency Test\n# Avg Latency(us)\n1.4\n",
	  "x:3: the file has no measurement; line 2: no column has sizes", 0 },
	{ NULL,
	  "# Benchmarking Multi-PingPong\nGroup #bytes #repetitions t[usec] Mbytes/sec\n"
	  "0: 0 0 1000 0.00\n",
	  "x:3: '0:' is not a number: Group", 0 },
	{ NULL,
	  "# OSU MPI Non-blocking Bcast Latency Test\n"
	  "# Size Overall(us) Compute(us) Pure Comm.(us) Overlap(%)\n2 9814.82 76.15\n",
	  "x:3: 3 columns, where there should be 5", 0 },
	/* A row of progress is not the result where the last row is torn. */
	{ NULL,
	  "ucx_perftest h -s 8 -t am_lat\n" UCX "9 1 2 2 3.8 3.8 500000 500000\n19 1\n",
	  "x:4: 2 columns, where there should be 9 (and 1 more)", 0 },
};

static void check_malformed(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		check_wrong(&wrong[i]);
}

/* The series of an operation and variant. */
static const struct np_series *find_series(const struct np_run *run, const char *op,
					   const char *variant)
{
	for (size_t i = 0; i < run->series_count; i++) {
		if (strcmp(run->series[i].op, op) == 0 &&
		    strcmp(run->series[i].variant, variant) == 0)
			return &run->series[i];
	}
	fail_msg("no series '%s', '%s'", op, variant);
	return NULL;
}

/* Percentiles and means are kept, and the least; netperf's of round trips are halved. */
static void check_percentiles(void **state)
{
	struct np_run run;

	(void)state;
	read_data("sockperf-3.7-ping_pong.txt", NULL, &run);
	const struct np_row *point = np_series_find(&run.series[0], 64);
	assert_non_null(point);
	assert_true(fabs(point->mean_s - 18.212e-6) < 1e-12);
	assert_true(fabs(point->min_s - 8.390e-6) < 1e-12);
	assert_true(fabs(point->p50_s - 11.486e-6) < 1e-12);
	assert_true(fabs(point->p90_s - 12.949e-6) < 1e-12);
	assert_true(fabs(point->p99_s - 49.869e-6) < 1e-12);
	assert_true(fabs(point->p999_s - 1765.916e-6) < 1e-12);
	np_run_free(&run);
	read_data("netperf-2.7-omni_rr.txt", NULL, &run);
	point = np_series_find(&run.series[0], 64);
	assert_non_null(point);
	assert_true(fabs(point->mean_s - 50.40e-6 / 2) < 1e-12);
	assert_true(fabs(point->p99_s - 985e-6 / 2) < 1e-12);
	find_series(&run, "pingpong", "TCP");
	np_run_free(&run);
	read_data("ucx_perftest-1.13.txt", NULL, &run);
	point = &find_series(&run, "pingpong", "tag")->points[0];
	assert_true(fabs(point->mean_s - 276.494e-6) < 1e-12);
	np_run_free(&run);
}

/* What differs in more than size has a variant that says so. */
static void check_variants(void **state)
{
	struct np_run run;

	(void)state;
	read_data("iperf3-3.12-bidir.json", NULL, &run);
	assert_int_equal(run.series_count, 2);
	find_series(&run, "stream", "TCP, 1 stream");
	find_series(&run, "stream", "TCP, 1 stream, reverse");
	np_run_free(&run);
	read_data("iperf3-3.12-reverse.json", NULL, &run);
	find_series(&run, "stream", "TCP, 2 streams, reverse");
	np_run_free(&run);
	read_data("rccl-all_reduce.txt", NULL, &run);
	assert_int_equal(run.series_count, 2);
	find_series(&run, "all_reduce", "2 ranks, out of place");
	find_series(&run, "all_reduce", "2 ranks, in place");
	assert_true(isnan(run.series[0].points[0].mbps));
	np_run_free(&run);
}

struct counted {
	const char *text;
	const char *name, *warning; /* its name and begin; NULL: none */
	size_t series, points;
	double seconds; /* of the last point of the last curve */
};

#define LATENCY "# OSU MPI Latency Test\n# Size Latency (us)\n"
#define IMB                                                                                \
	"# Benchmarking Alltoall\n#bytes #repetitions t_min[usec] t_max[usec] "            \
	"t_avg[usec]\n"

static const struct counted counted[] = {
	{ LATENCY "1 2\n", NULL, NULL, 1, 1, 2e-6 },
	{ LATENCY "1 2\n\nreal 12.81\n[node1:7] 1 more process\n2 3\n", "not understood",
	  "2 lines not understood, first line 5: real 12.81", 1, 2, 3e-6 },
	{ "1 2\n" LATENCY "1 2\n", "not understood", "1 line not understood, first line 1",
	  1, 1, 2e-6 },
	{ LATENCY "1 2\n" LATENCY, "not read",
	  "1 table not read, first line 5: a table without", 1, 1, 2e-6 },
	{ "# OSU MPI Latency Test\n" LATENCY "1 2\n", "not read",
	  "1 table not read, first line 1: a test without", 1, 1, 2e-6 },
	{ "# OSU MPI Latency Test\n# Size Latency (us) Mood\n1 2 3\n", "not read",
	  "1 table not read, first line 2: column Mood is not known", 1, 1, 2e-6 },
	{ "# OSU MPI Latency Test\n# Size Latency (us) Validation\n1 2 Pass\n2 3 Fail\n",
	  "void", "1 result void, first line 4: 2 bytes: Validation Fail", 1, 1, 2e-6 },
	{ IMB "1 9 1 3 2\n4194304 out-of-mem.; needed X=   8.001 GB\n", "void",
	  "1 result void, first line 4: 4194304 out-of-mem.", 1, 1, 2e-6 },
	{ NCCL "8000 2 float sum -1 1.00 8.00 8.00 0\n", "half rows",
	  "1 row without the second result, first line 2", 1, 1, 1e-6 },
	{ NCCL "8000 2 float 1 8.00 8.00 0 1 8.00 8.00 3\n", NULL, NULL, 0, 0, 0 },
	{ "[1,0]<stdout>:# OSU MPI Latency Test\n[1,0]<stdout>:# Size Latency (us)\n"
	  "[1,0]<stdout>:1 2\n",
	  NULL, NULL, 1, 1, 2e-6 },
	{ "op,mode,variant,bytes,s\nx,y,a{b|0},1,2\n", NULL, NULL, 1, 1, 2 },
	{ NULL, NULL, NULL, 0, 0, 0 },
};

/* What is not read is counted, and the first line is named. */
static void check_counted(void **state)
{
	(void)state;
	for (const struct counted *at = counted; at->text != NULL; at++) {
		struct np_error error = { .code = 0 };
		struct np_run run;

		read_memory("x", at->text, strlen(at->text), NULL, &run, &error);
		if (run.series_count != at->series)
			fail_msg("%zu curves of '%s'", run.series_count, at->text);
		const char *text =
			at->name != NULL ? np_facts_find(&run.warnings, at->name) : NULL;
		if (at->name == NULL && at->series != 0)
			assert_int_equal(run.warnings.count, 0);
		if (at->name != NULL &&
		    (text == NULL || strncmp(text, at->warning, strlen(at->warning)) != 0))
			fail_msg("'%s', not '%s'", text != NULL ? text : "", at->warning);
		if (at->series != 0) {
			const struct np_series *last = &run.series[run.series_count - 1];

			assert_int_equal(last->count, at->points);
			assert_true(
				fabs(last->points[last->count - 1].median_s / at->seconds -
				     1) < 1e-9);
		}
		np_run_free(&run);
	}
}

/* What stands between two tables is part of the name; a standard value only beside
 * another. */
static void check_names(void **state)
{
	struct np_run run;

	(void)state;
	read_text("# OSU MPI-CUDA Latency Test\n# Send Buffer on DEVICE (D) and Receive "
		  "Buffer "
		  "on HOST (H)\n# Datatype: MPI_CHAR.\n# Size Latency (us)\n1 2\n"
		  "# Datatype: MPI_INT.\n# Size Latency (us)\n1 3\n",
		  NULL, &run);
	find_series(&run, "pingpong", "CUDA, D H, MPI_CHAR");
	find_series(&run, "pingpong", "CUDA, D H, MPI_INT");
	np_run_free(&run);
	read_text(
		"# OSU MPI Latency Test\n# Datatype: MPI_CHAR.\n# Size Latency (us)\n1 2\n",
		NULL, &run);
	find_series(&run, "pingpong", "");
	np_run_free(&run);
	read_text(LATENCY "1 2\n" LATENCY "1 4\n", NULL, &run);
	assert_non_null(strstr(np_facts_find(&run.notes, "repetitions"), "up to 2 times"));
	np_run_free(&run);
}

/* iperf3 --json-stream, and the CSV of ucx_perftest -v. */
static void check_other_forms(void **state)
{
	struct np_run run;

	(void)state;
	read_text(
		"{\"event\":\"start\",\"data\":{\"version\":\"iperf 3.17\",\"test_start\":"
		"{\"blksize\":1000,\"num_streams\":1,\"protocol\":\"TCP\"}}}\n"
		"{\"event\":\"interval\",\"data\":{}}\n"
		"{\"event\":\"end\",\"data\":{\"sum_received\":{\"bits_per_second\":8e9}}}"
		"\n",
		NULL, &run);
	assert_string_equal(run.format, "iperf3");
	assert_true(fabs(run.series[0].points[0].median_s - 1e-6) < 1e-12);
	np_run_free(&run);
	read_text("$ ucx_perftest h -t am_lat -s 8 -v\n"
		  "iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,"
		  "avg_mr,overall_mr\n1000,7.747,9.872,9.872,0.77,0.77,101297,101297\n",
		  NULL, &run);
	assert_string_equal(run.format, "ucx_perftest");
	find_series(&run, "pingpong", "am");
	assert_true(fabs(run.series[0].points[0].median_s - 7.747e-6) < 1e-12);
	np_run_free(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_values),	     cmocka_unit_test(check_malformed),
		cmocka_unit_test(check_percentiles), cmocka_unit_test(check_variants),
		cmocka_unit_test(check_other_forms), cmocka_unit_test(check_counted),
		cmocka_unit_test(check_names),
	};

	return cmocka_run_group_tests_name("import of tools", tests, NULL, NULL);
}
