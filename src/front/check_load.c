/*
 * check_load.c - examines the load: the busiest processes during a fifth of a second.
 *
 * The load average would include the minute before.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "front/doctor.h"
#include "machine/host.h"
#include "machine/kernel_files.h"

enum {
	LOOK_MS = 200,
	NAMED = 3,   /* processes named in the finding */
	MOST = 8192, /* processes read */
	BUSY = 5     /* percent of all processors, from which the load is to be changed */
};

/* CPU time of a process, in ticks since its start. */
struct process {
	long pid;
	unsigned long long ticks;
	char name[32];
};

struct processes {
	const char *root;
	size_t count;
	struct process list[MOST];
};

/* Returns the text behind `count` fields, with the blanks before the next. */
static const char *skip_fields(const char *text, unsigned count)
{
	for (; count != 0; count--) {
		text += strspn(text, " ");
		text += strcspn(text, " ");
	}
	return text;
}

/* Reads "PID (NAME) STATE ..." of proc_pid_stat(5); a name may have blanks and brackets. */
static void take_process(void *context, const char *name)
{
	struct processes *processes = context;
	char line[1024], *rest;

	if (processes->count == MOST || name[0] < '0' || name[0] > '9' ||
	    !np_kernel_line(processes->root, line, sizeof(line), "/proc/%s/stat", name))
		return;
	const char *begin = strchr(line, '('), *end = strrchr(line, ')');
	if (begin == NULL || end == NULL || end < begin)
		return;
	struct process *process = &processes->list[processes->count++];
	process->pid = strtol(name, NULL, 10);
	/* The 14th and 15th field; the third follows the name. */
	process->ticks = strtoull(skip_fields(end + 1, 11), &rest, 10);
	process->ticks += strtoull(rest, NULL, 10);
	snprintf(process->name, sizeof(process->name), "%.*s", (int)(end - begin - 1),
		 begin + 1);
}

static bool look(const char *root, struct processes *processes, struct np_host_ticks *all)
{
	processes->root = root;
	processes->count = 0;
	np_kernel_each(root, "/proc", "", take_process, processes);
	return np_host_ticks(root, all);
}

/* Ticks of a process since the first look: 0 if it is new. */
static unsigned long long ticks_since(const struct processes *before,
				      const struct process *process)
{
	for (size_t i = 0; i < before->count; i++) {
		if (before->list[i].pid == process->pid)
			return process->ticks - before->list[i].ticks;
	}
	return 0;
}

static int compare_ticks(const void *a, const void *b)
{
	const struct process *one = a, *other = b;

	return (one->ticks < other->ticks) - (one->ticks > other->ticks);
}

/* Writes the busiest processes as "cc1 (4242), ld (4243)". */
static void name_busiest(const struct processes *before, struct processes *after,
			 char *text, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < after->count; i++)
		after->list[i].ticks = after->list[i].pid == (long)getpid() ?
					       0 :
					       ticks_since(before, &after->list[i]);
	qsort(after->list, after->count, sizeof(*after->list), compare_ticks);
	text[0] = '\0';
	for (size_t i = 0; i < after->count && i < NAMED && after->list[i].ticks != 0; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s (%ld)",
					 i != 0 ? ", " : "", after->list[i].name,
					 after->list[i].pid);
}

/* Reads all processes twice, LOOK_MS apart.  A copy of /proc has the second reading in its
 * folder "later". */
static bool look_twice(const struct np_doctor *doctor, struct processes *before,
		       struct processes *after, unsigned long long *percent)
{
	const struct timespec interval = { .tv_nsec = LOOK_MS * 1000000l };
	struct np_host_ticks first, second;
	char later[NP_KERNEL_PATH];

	snprintf(later, sizeof(later), "%s%s", doctor->root,
		 doctor->planted ? "/later" : "");
	if (!look(doctor->root, before, &first))
		return false;
	if (!doctor->planted)
		nanosleep(&interval, NULL);
	if (!look(later, after, &second) || second.total <= first.total)
		return false;
	*percent = (second.busy - first.busy) * 100 / (second.total - first.total);
	return true;
}

void np_check_load(struct np_doctor *doctor)
{
	struct processes *looks = calloc(2, sizeof(*looks));
	unsigned long long percent;
	char names[256];

	if (looks == NULL || !look_twice(doctor, &looks[0], &looks[1], &percent)) {
		np_doctor_say(doctor, NP_GRADE_UNKNOWN, "load", NULL,
			      "/proc/stat is not there or does not count");
	} else if (percent > BUSY) {
		name_busiest(&looks[0], &looks[1], names, sizeof(names));
		np_doctor_say(doctor, NP_GRADE_CHANGE, "load",
			      "stop it, or measure when it is done",
			      "the processors are %llu %% busy%s%s", percent,
			      names[0] != '\0' ? ": " : "", names);
	} else {
		np_doctor_say(doctor, NP_GRADE_OK, "load", NULL,
			      "the processors are %llu %% busy", percent);
	}
	free(looks);
}
