/*
 * kernel_files.c - small files of /proc and /sys.
 */
#include "machine/kernel_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_below(const char *root, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));

static FILE *open_below(const char *root, const char *format, va_list arguments)
{
	char path[NP_KERNEL_PATH];
	const int begin = snprintf(path, sizeof(path), "%s", root);

	if (begin < 0 || begin >= NP_KERNEL_PATH)
		return NULL;
	const int rest =
		vsnprintf(path + begin, sizeof(path) - (size_t)begin, format, arguments);
	return rest < 0 || rest >= NP_KERNEL_PATH - begin ? NULL : fopen(path, "re");
}

static bool take_line(FILE *file, char *line, size_t size)
{
	bool found = false;

	if (file == NULL)
		return false;
	if (fgets(line, (int)size, file) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		found = line[0] != '\0';
	}
	fclose(file);
	return found;
}

bool np_kernel_line(const char *root, char *line, size_t size, const char *path, ...)
{
	va_list arguments;

	va_start(arguments, path);
	FILE *file = open_below(root, path, arguments);
	va_end(arguments);
	return take_line(file, line, size);
}

bool np_kernel_number(const char *root, unsigned long long *number, const char *path, ...)
{
	char line[64], *end;
	va_list arguments;

	va_start(arguments, path);
	FILE *file = open_below(root, path, arguments);
	va_end(arguments);
	if (!take_line(file, line, sizeof(line)) || *line < '0' || *line > '9')
		return false;
	errno = 0;
	*number = strtoull(line, &end, 10);
	return errno == 0 && *end == '\0';
}

bool np_kernel_value(const char *root, const char *key, char *value, size_t size,
		     const char *path, ...)
{
	char line[512];
	bool found = false;
	va_list arguments;

	va_start(arguments, path);
	FILE *file = open_below(root, path, arguments);
	va_end(arguments);
	if (file == NULL)
		return false;
	while (!found && fgets(line, sizeof(line), file) != NULL) {
		if (strncmp(line, key, strlen(key)) != 0)
			continue;
		char *at = line + strlen(key);

		at += strspn(at, " \t:");
		at[strcspn(at, "\n")] = '\0';
		snprintf(value, size, "%s", at);
		found = true;
	}
	fclose(file);
	return found;
}

size_t np_kernel_each(const char *root, const char *path, const char *begin,
		      void (*each)(void *context, const char *name), void *context)
{
	char folder[NP_KERNEL_PATH];
	struct dirent **entries;
	size_t count = 0;

	snprintf(folder, sizeof(folder), "%s%s", root, path);
	const int found = scandir(folder, &entries, NULL, versionsort);
	if (found < 0)
		return 0;
	for (int i = 0; i < found; i++) {
		const char *name = entries[i]->d_name;

		if (name[0] != '.' && strncmp(name, begin, strlen(begin)) == 0) {
			each(context, name);
			count++;
		}
		free(entries[i]);
	}
	free(entries);
	return count;
}
