/*
 * schema_print.c - the table of schema.c as a JSON Schema (draft 7) of one line.
 *
 * It says of a line what the table says; what schema_check.c knows beyond that, that
 * two fields are in order, has no words there.
 */
#include "schema.h"

#include <stdlib.h>
#include <string.h>

/* {"type":NAME}, or [NAME,"null"] where the field may be null. */
static json_t *of_type(const char *name, bool null)
{
	return null ? json_pack("{s:[ss]}", "type", name, "null") :
		      json_pack("{s:s}", "type", name);
}

static json_t *not_negative(const char *name, bool null)
{
	json_t *type = of_type(name, null);

	json_object_set_new(type, "minimum", json_integer(0));
	return type;
}

static json_t *array_of(json_t *items)
{
	return json_pack("{s:s,s:o}", "type", "array", "items", items);
}

static json_t *object_of(json_t *members)
{
	return json_pack("{s:s,s:o}", "type", "object", "additionalProperties", members);
}

static json_t *reference(const char *kind)
{
	return json_pack("{s:o}", "$ref", json_sprintf("#/definitions/%s", kind));
}

/* Words that blanks separate. */
static json_t *one_of(const char *words, bool null)
{
	json_t *list = json_array();

	while (*words != '\0') {
		const size_t length = strcspn(words, " ");

		json_array_append_new(list, json_stringn(words, length));
		words += length + (words[length] == ' ');
	}
	if (null)
		json_array_append_new(list, json_null());
	return json_pack("{s:o}", "enum", list);
}

/* No word has a character that means something in an expression. */
static json_t *some_of(const char *words)
{
	char any[256];
	size_t length = 0;

	for (; length < sizeof(any) - 1 && words[length] != '\0'; length++)
		any[length] = words[length] == ' ' ? '|' : words[length];
	any[length] = '\0';
	return json_pack("{s:s,s:o}", "type", "string", "pattern",
			 json_sprintf("^((%s)(,(%s))*)?$", any, any));
}

static json_t *field_schema(const struct np_field *field)
{
	const bool null = (field->how & NP_FIELD_NULL) != 0;

	switch (field->type) {
	case NP_FIELD_TEXT:
		return field->words != NULL ? one_of(field->words, null) :
					      of_type("string", null);
	case NP_FIELD_FLAGS:
		return some_of(field->words);
	case NP_FIELD_BOOL:
		return of_type("boolean", null);
	case NP_FIELD_WHOLE:
		return not_negative("integer", null);
	case NP_FIELD_NUMBER:
		return not_negative("number", null);
	case NP_FIELD_SIGNED:
		return of_type("number", null);
	case NP_FIELD_TEXTS:
		return array_of(of_type("string", false));
	case NP_FIELD_WHOLES:
		return array_of(not_negative("integer", false));
	case NP_FIELD_NUMBERS:
		return array_of(not_negative("number", false));
	case NP_FIELD_STRINGS:
		return object_of(of_type("string", false));
	case NP_FIELD_FACTS:
		return object_of(json_pack("{s:[oo]}", "anyOf", of_type("string", false),
					   reference("fact")));
	case NP_FIELD_COUNTS:
		return object_of(not_negative("integer", false));
	case NP_FIELD_OBJECTS:
		return array_of(reference(field->words));
	}
	return NULL;
}

static json_t *kind_schema(const struct np_kind *kind)
{
	json_t *required = json_array(), *fields = json_object(), *either = json_array();

	for (const struct np_field *field = kind->fields; field->name != NULL; field++) {
		const bool is_kind = strcmp(field->name, "kind") == 0;

		json_object_set_new(fields, field->name,
				    is_kind ? json_pack("{s:s}", "const", kind->name) :
					      field_schema(field));
		if ((field->how & NP_FIELD_EITHER) != 0)
			json_array_append_new(
				either, json_pack("{s:[s]}", "required", field->name));
		else if ((field->how & NP_FIELD_OPTIONAL) == 0)
			json_array_append_new(required, json_string(field->name));
	}
	json_t *schema =
		json_pack("{s:s,s:o,s:o,s:b}", "type", "object", "required", required,
			  "properties", fields, "additionalProperties", false);
	if (json_array_size(either) != 0)
		json_object_set(schema, "oneOf", either);
	json_decref(either);
	return schema;
}

json_t *np_schema_make(void)
{
	json_t *lines = json_array(), *branches = json_array(), *kinds = json_object();

	for (size_t i = 0; np_kind_at(i) != NULL; i++) {
		const struct np_kind *kind = np_kind_at(i);

		json_object_set_new(kinds, kind->name, kind_schema(kind));
		if (kind->stage < 0)
			continue;
		json_array_append_new(lines, json_string(kind->name));
		json_array_append_new(branches,
				      json_pack("{s:{s:{s:{s:s}}},s:o}", "if", "properties",
						"kind", "const", kind->name, "then",
						reference(kind->name)));
	}
	return json_pack("{s:s,s:s,s:s,s:s,s:[s],s:{s:{s:o}},s:o,s:o}", "$schema",
			 "http://json-schema.org/draft-07/schema#", "title",
			 "A line of a NetPong result file, format 2", "description",
			 "What each field means: netpong-results(5).", "type", "object",
			 "required", "kind", "properties", "kind", "enum", lines, "allOf",
			 branches, "definitions", kinds);
}

static void indent(FILE *file, int depth)
{
	fprintf(file, "\n%*s", 2 * depth, "");
}

void np_schema_print(FILE *file, json_t *value, int depth)
{
	enum { LINE = 100 };
	char *text = json_dumps(value, JSON_ENCODE_ANY);
	const char *name, *comma = "";
	json_t *member;
	size_t index;

	if (text == NULL || strlen(text) <= LINE || json_is_string(value)) {
		fputs(text != NULL ? text : "", file);
	} else if (json_is_object(value)) {
		fputc('{', file);
		json_object_foreach (value, name, member) {
			fputs(comma, file);
			indent(file, depth + 1);
			fprintf(file, "\"%s\": ", name);
			np_schema_print(file, member, depth + 1);
			comma = ",";
		}
		indent(file, depth);
		fputc('}', file);
	} else {
		fputc('[', file);
		json_array_foreach (value, index, member) {
			fputs(comma, file);
			indent(file, depth + 1);
			np_schema_print(file, member, depth + 1);
			comma = ",";
		}
		indent(file, depth);
		fputc(']', file);
	}
	free(text);
}
