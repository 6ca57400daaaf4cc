/*
 * help.c - output instead of a run: --help, --help-all and --version from the tables of
 * options; the devices of this host (--list-devices); text that options
 * of the module request.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "option/option.h"
#include "program/program.h"

/* Prints example commands with the question that each answers. */
static void print_starts(const struct np_module *module)
{
	const char *name = module->program;

	if (module->job != NULL)
		printf("  %s 2 %s\n      latency and bandwidth between two processes\n"
		       "  %s 2 %s --why 4K\n      what makes cold buffers slow at 4 KiB\n"
		       "  %s --launcher '%s 2' --runs 8\n"
		       "      the variation from one start of the job to the next\n",
		       module->job->launcher, name, module->job->launcher, name, name,
		       module->job->launcher);
	else if ((module->capabilities & NP_CAN_SPAN_HOSTS) != 0)
		printf("  %s --local             latency and bandwidth within this host\n"
		       "  %s --remote HOST -I    to HOST over ssh, with cold buffers too\n"
		       "  %s                     server: wait here for one client\n"
		       "  %s -h HOST --why 4K    client: why cold buffers are slow\n",
		       name, name, name, name);
	else
		printf("  %s                     latency and bandwidth\n"
		       "  %s -I                  the same, with cold buffers too\n"
		       "  %s --why 4K            what makes cold buffers slow at 4 KiB\n",
		       name, name, name);
}

static void print_usage(const struct np_module *module)
{
	printf("NetPong %s %s: %s\nUsage: %s%s%s [OPTION...]; for example\n",
	       PACKAGE_VERSION, module->program, module->summary,
	       module->job != NULL ? module->job->launcher : "",
	       module->job != NULL ? " 2 " : "", module->program);
	print_starts(module);
}

static void print_help(const struct np_program *program)
{
	const char *name = program->module->program;

	print_usage(program->module);
	np_options_help(stdout, program->sets, 2, true);
	printf("[default]; K, M, G: powers of 1024; %s --help-all: %zu options; man %s\n",
	       name, np_options_count(program->sets, 2), name);
}

static void print_help_all(const struct np_program *program)
{
	const struct np_option_set asides = { .table = np_option_asides };
	const char *name = program->module->program;

	print_usage(program->module);
	fputc('\n', stdout);
	np_options_help(stdout, program->sets, 2, false);
	printf("\nThis program\n");
	np_options_help(stdout, &asides, 1, false);
	printf("\nSizes and counts take K, M, G or T, powers of 1024; times take s, m or "
	       "h.\n"
	       "Exit status: 0 complete, 1 failed, 2 usage, 3 slower (--fail-on) or fail\n"
	       "(--expect), 4 peer lost or refused, 5 wrong data, 6 undecided (--expect),\n"
	       "130 or 143 stopped by a signal with partial results.\n"
	       "See %s(1), netpong(7).\n",
	       name);
}

static void print_version(const struct np_program *program)
{
	const struct np_module *module = program->module;
	char library[256] = "";

	if (module->library != NULL)
		module->library(library, sizeof(library));
	printf("%s (NetPong) %s\nprograms   %s\nlibraries  %s%s%s\n", module->program,
	       PACKAGE_VERSION, NP_SHIPPED_PROGRAMS, NP_LIBRARY_VERSIONS,
	       library[0] != '\0' ? ", " : "", library);
}

bool np_help_answer(const struct np_program *program, const struct np_command_line *line)
{
	if (line->help)
		print_help(program);
	else if (line->help_all)
		print_help_all(program);
	else if (line->version)
		print_version(program);
	else
		return false;
	return true;
}

static void print_facts(const struct np_facts *facts)
{
	size_t widest = 0;

	for (size_t i = 0; i < facts->count; i++) {
		const size_t width = strlen(facts->list[i].name);

		widest = width > widest ? width : widest;
	}
	for (size_t i = 0; i < facts->count; i++)
		printf("%-*s  %s\n", (int)widest, facts->list[i].name, facts->list[i].text);
}

int np_list_devices(const struct np_program *program, struct np_error *error)
{
	const struct np_device_hooks *device = program->module->device;
	struct np_facts facts = { .list = NULL };
	int rc = device->list(program->module_options, &facts, error);
	if (rc == 0 && facts.count == 0)
		rc = np_fail(error, NP_ERROR_FAILED, ENODEV,
			     "there is no device on this host: is its driver loaded, and "
			     "may this user open its files?");
	if (rc == 0)
		print_facts(&facts);
	np_facts_free(&facts);
	return rc;
}
