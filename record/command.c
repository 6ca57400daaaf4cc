/*
 * command.c - runs a command with the libraries preloaded, and merges what these recorded.
 */
#include "record/command.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/files.h"
#include "record/merge.h"

static const char usage[] = "netpong record [-o FILE] -- COMMAND [ARGUMENT...]";

/* Splits the arguments.  Returns 0 or -errno. */
static int parse(char **arguments, const char **path, char ***command,
		 struct np_error *error)
{
	char **at = arguments + 1;

	*path = "record.jsonl";
	if (*at != NULL && strcmp(*at, "-o") == 0) {
		if (at[1] == NULL)
			return np_refuse(error, "record: -o needs a file: %s", usage);
		*path = at[1];
		at += 2;
	}
	if (*at != NULL && strcmp(*at, "--") == 0)
		at++;
	else if (*at != NULL && **at == '-')
		return np_refuse(error, "record: unknown option '%.40s': %s", *at, usage);
	if (*at == NULL)
		return np_refuse(error, "record: no command to run: %s", usage);
	if (strcmp(*path, "-") == 0)
		return np_refuse(error, "record: -o -: standard output is that of COMMAND; "
					"name a file");
	*command = at;
	return 0;
}

/* ---- The command ------------------------------------------------------------------------
 */
/* Finds COMMAND as execvp(3) does. */
static int find_command(const char *name, char *path, size_t size, struct np_error *error)
{
	const bool is_path = strchr(name, '/') != NULL;

	if (is_path)
		snprintf(path, size, "%s", name);
	if (is_path ? access(path, X_OK) == 0 : np_program_in_path(name, path, size))
		return 0;
	return np_refuse(error, "record: cannot run '%.200s': %s; check its path", name,
			 is_path ? strerror(errno) : "no such program in PATH");
}

/* Returns whether an ELF program has no dynamic loader. */
static bool is_static(int fd, const Elf64_Ehdr *header)
{
	Elf64_Phdr segment;

	for (unsigned i = 0; i < header->e_phnum; i++) {
		const off_t at = (off_t)(header->e_phoff + i * sizeof(segment));

		if (pread(fd, &segment, sizeof(segment), at) != sizeof(segment) ||
		    segment.p_type == PT_INTERP)
			return false;
	}
	return true;
}

/* Refuses programs into which no library can be preloaded. */
static int check_command(const char *path, struct np_error *error)
{
	Elf64_Ehdr header;
	struct stat status = { .st_mode = 0 };
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const bool is_elf = fd >= 0 && fstat(fd, &status) == 0 &&
			    read(fd, &header, sizeof(header)) == sizeof(header) &&
			    memcmp(header.e_ident, ELFMAG, SELFMAG) == 0;
	const bool same_class = is_elf && header.e_ident[EI_CLASS] == ELFCLASS64;
	const bool without_loader = same_class && is_static(fd, &header);
	const bool gains =
		((status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid()) ||
		((status.st_mode & S_ISGID) != 0 && status.st_gid != getegid()) ||
		(geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0);

	if (fd >= 0)
		close(fd);
	if (gains)
		return np_refuse(
			error,
			"record: '%.200s' is setuid or has capabilities: no library "
			"is preloaded into it; record a copy without",
			path);
	if (is_elf && !same_class)
		return np_refuse(error, "record: '%.200s' is no 64-bit program: build one",
				 path);
	if (without_loader)
		return np_refuse(error,
				 "record: '%.200s' is statically linked: no library can be "
				 "preloaded; link it dynamically",
				 path);
	return 0;
}

/* ---- The run ----------------------------------------------------------------------------
 */
/* Executes COMMAND in the child, with LD_PRELOAD and the folder set. */
static void become(const char *libraries, const char *folder, char **command,
		   const sigset_t *signals)
{
	char preload[4 * PATH_MAX];
	const char *others = getenv("LD_PRELOAD");

	snprintf(preload, sizeof(preload), "%s%s%s", libraries, others != NULL ? ":" : "",
		 others != NULL ? others : "");
	setenv("LD_PRELOAD", preload, 1);
	setenv(NP_RECORD_FOLDER, folder, 1);
	sigprocmask(SIG_SETMASK, signals, NULL);
	execvp(command[0], command);
	_exit(127);
}

/* Waits for the child and forwards SIGTERM and SIGHUP.  A terminal sends SIGINT and SIGQUIT
 * to the child itself. */
static int wait_for(pid_t child, const sigset_t *signals)
{
	int status = 0;

	while (waitpid(child, &status, WNOHANG) == 0) {
		siginfo_t info;
		const int number = sigwaitinfo(signals, &info);

		if (number == SIGTERM || number == SIGHUP)
			kill(child, number);
	}
	return status;
}

static int run_command(const char *libraries, const char *folder, char **command,
		       int *status, struct np_error *error)
{
	sigset_t signals, before;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGQUIT);
	sigprocmask(SIG_BLOCK, &signals, &before);
	const pid_t child = fork();
	if (child < 0)
		return np_fail_errno(error, errno, "record: cannot start '%.200s'",
				     command[0]);
	if (child == 0)
		become(libraries, folder, command, &before);
	*status = wait_for(child, &signals);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return 0;
}

/* Writes "MPI:SOCKETS", the paths of the libraries beside netpong or installed. */
static int find_libraries(char *libraries, size_t size, struct np_error *error)
{
	static const char *const names[] = { "libnetpong-record-mpi.so",
					     "libnetpong-record-sockets.so" };
	char path[PATH_MAX], name[80];

	libraries[0] = '\0';
	for (size_t i = 0; i < 2; i++) {
		const size_t length = strlen(libraries);

		/* Path in the build folder. */
		snprintf(name, sizeof(name), "record/%s", names[i]);
		if (!np_program_find(name, "", path, sizeof(path)) &&
		    !np_program_find(names[i], NP_LIBEXEC, path, sizeof(path)))
			return np_fail(error, NP_ERROR_FAILED, ENOENT,
				       "record: there is no %s beside netpong or in %s; "
				       "install it",
				       names[i], NP_LIBEXEC);
		if (strpbrk(path, " :") != NULL)
			return np_refuse(error,
					 "record: '%.200s' has a space or colon, which "
					 "LD_PRELOAD cannot have; move it",
					 path);
		snprintf(libraries + length, size - length, "%s%s", i != 0 ? ":" : "",
			 path);
	}
	return 0;
}

/* ---- The file ---------------------------------------------------------------------------
 */
/* Makes the folder for the files of the processes beside FILE, where all hosts of a job
 * write. */
static int make_folder(const char *path, char *folder, size_t size, struct np_error *error)
{
	char beside[PATH_MAX - 32], whole[PATH_MAX];
	const char *slash = strrchr(path, '/');

	snprintf(beside, sizeof(beside), "%.*s",
		 slash != NULL ? (int)(slash - path) + 1 : 1, slash != NULL ? path : ".");
	if (realpath(beside, whole) == NULL)
		return np_fail_errno(error, errno, "record: no folder '%.200s'", beside);
	snprintf(folder, size, "%.*s/%.100s.parts.XXXXXX", PATH_MAX - 128, whole,
		 slash != NULL ? slash + 1 : path);
	if (mkdtemp(folder) == NULL)
		return np_fail_errno(error, errno,
				     "record: cannot make a folder in '%.200s'", whole);
	return 0;
}

static void remove_folder(const char *folder)
{
	char path[PATH_MAX + 300];
	DIR *directory = opendir(folder);
	const struct dirent *entry;

	while (directory != NULL && (entry = readdir(directory)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		unlink(path);
	}
	if (directory != NULL)
		closedir(directory);
	rmdir(folder);
}

static int write_file(const char *path, const struct np_record_job *job, char **command,
		      int status, time_t started, struct np_error *error)
{
	char *kept = NULL, text[32];
	FILE *file = NULL;
	struct tm time;
	int rc = np_file_create_kept(path, false, &kept, &file, error);

	free(kept);
	if (rc != 0)
		return rc;
	if (strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&started, &time)) ==
	    0)
		text[0] = '\0';
	rc = np_record_write(file, job, command, status, text, error);
	const int closed = np_file_close(file, path, error);
	return rc != 0 ? rc : closed;
}

/* Merges the files of the processes, and writes FILE if a call was recorded. */
static int finish(const char *folder, const char *path, char **command, int status,
		  time_t started, struct np_error *error)
{
	struct np_record_job job;
	int rc = np_record_merge(folder, &job, error);

	if (rc == 0 && job.sum.calls != 0)
		rc = write_file(path, &job, command, status, started, error);
	else if (rc == 0 && job.foreign[0] != '\0')
		rc = np_fail(
			error, NP_ERROR_FAILED, ENOTSUP,
			"record: '%s' is neither MPICH nor Open MPI: nothing was recorded; "
			"build the program with one of these",
			job.foreign);
	else if (rc == 0)
		rc = np_fail(
			error, NP_ERROR_FAILED, ENODATA,
			"record: no call of MPI or on a TCP socket was seen in '%.200s': "
			"no file was written; see netpong(1)",
			command[0]);
	np_record_free(&job);
	return rc;
}

int np_record_command(char **arguments, int *status, struct np_error *error)
{
	const char *path = NULL;
	char **command = arguments, found[PATH_MAX], folder[PATH_MAX],
	     libraries[2 * PATH_MAX];
	const time_t started = time(NULL);
	int ended = 0, rc = parse(arguments, &path, &command, error);

	if (rc == 0)
		rc = find_command(command[0], found, sizeof(found), error);
	if (rc == 0)
		rc = check_command(found, error);
	if (rc == 0)
		rc = np_file_check_writable(path, false, error);
	if (rc == 0)
		rc = find_libraries(libraries, sizeof(libraries), error);
	if (rc == 0)
		rc = make_folder(path, folder, sizeof(folder), error);
	if (rc != 0)
		return rc;
	rc = run_command(libraries, folder, command, &ended, error);
	if (rc == 0) {
		*status = WIFSIGNALED(ended) ? 128 + WTERMSIG(ended) : WEXITSTATUS(ended);
		rc = finish(folder, path, command, *status, started, error);
	}
	remove_folder(folder);
	if (rc == 0 && WIFSIGNALED(ended))
		rc = np_fail(
			error, NP_ERROR_FAILED, EINTR,
			"record: '%.200s' ended by signal %d (%s): '%.100s' has what it "
			"did until then",
			command[0], WTERMSIG(ended), strsignal(WTERMSIG(ended)), path);
	return rc;
}
