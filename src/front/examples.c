/*
 * examples.c - example commands, by question.
 *
 * tests/cli/netpong.sh checks every command against the options of its program.
 */
#include <stdio.h>

#include "front/front.h"

static const struct {
	const char *question;
	const char *commands[3]; /* NULL beyond the last */
} examples[] = {
	{ "Is this host fit to measure on?", { "netpong doctor" } },
	{ "What does a message between two hosts cost?",
	  { "netpong tcp                              # on host a, waits",
	    "netpong tcp -h a --json tcp.jsonl        # on host b" } },
	{ "The same, when only one terminal is at hand?", { "netpong tcp --remote a" } },
	{ "What does a message cost inside this host?",
	  { "netpong shm", "netpong tcp --local" } },
	{ "What if the application does not send the same buffer again?",
	  { "netpong tcp -h a -I" } },
	{ "Why are cold buffers slower?", { "netpong ibv -h a -I --why 64K" } },
	{ "How many buffers does the adapter or library keep up with?",
	  { "netpong ibv -h a --capacity 64K" } },
	{ "What is the bandwidth of a stream, and in both directions?",
	  { "netpong tcp -h a -s", "netpong tcp -h a -2" } },
	{ "What does MPI cost over the transport below it?",
	  { "mpiexec -n 2 --host a,b netpong mpi --json mpi.jsonl",
	    "netpong report mpi.jsonl tcp.jsonl" } },
	{ "Which link of a cluster is slow?",
	  { "netpong tcp --hostfile hosts --all-pairs --quick --json pairs.jsonl",
	    "netpong report pairs.jsonl --html pairs.html" } },
	{ "Has the new kernel, driver or cable made it slower?",
	  { "netpong tcp -h a --runs 5 --json before.jsonl",
	    "netpong tcp -h a --runs 5 --json after.jsonl",
	    "netpong report --compare before.jsonl after.jsonl" } },
	{ "What does a result file say, as a page and as a table?",
	  { "netpong report tcp.jsonl --html tcp.html",
	    "netpong report tcp.jsonl --export csv -o tcp.csv" } },
	{ "Would NetPong find an effect of this kind?", { "netpong sim -I --truth" } },
};

void np_front_examples(void)
{
	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		printf("%s%s\n", i != 0 ? "\n" : "", examples[i].question);
		for (size_t k = 0; k < 3 && examples[i].commands[k] != NULL; k++)
			printf("    %s\n", examples[i].commands[k]);
	}
}
