/*
 * list.c - output instead of a run: the devices of this host (--list-devices), by names
 * that the module's options accept, and text that options of the module request.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/program.h"

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
			     "there is no device on this host");
	if (rc == 0)
		print_facts(&facts);
	np_facts_free(&facts);
	return rc;
}

int np_tell(const struct np_program *program, bool *told, struct np_error *error)
{
	const struct np_model_hooks *model = program->module->model;
	char *text = model != NULL && model->tell != NULL ?
			     model->tell(program->module_options, error) :
			     NULL;

	*told = text != NULL;
	if (text == NULL)
		return error->code;
	fputs(text, stdout);
	free(text);
	return 0;
}
