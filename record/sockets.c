/*
 * sockets.c - preloaded library: send, recv, write, read and their forms, on TCP sockets.
 *
 * A partial transfer and a next call that begins where it ended are one message.  The
 * buffer of a call with several parts is the largest.  Calls that fail, and the end of a
 * stream, are not counted.
 */
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "record/operations.h"
#include "record/recorder.h"

#define CALLER __builtin_return_address(0)

enum { DESCRIPTORS = 4096, UNKNOWN = 0, IS_TCP, IS_OTHER };

/* A message that the next call may continue. */
struct piece {
	const char *end; /* NULL: it was complete */
	const void *buffer;
	struct np_counted counted;
};

struct descriptor {
	uint8_t kind;
	struct piece last[2]; /* by direction */
};

struct next {
	ssize_t (*send)(int, const void *, size_t, int);
	ssize_t (*sendto)(int, const void *, size_t, int, const struct sockaddr *,
			  socklen_t);
	ssize_t (*write)(int, const void *, size_t);
	ssize_t (*writev)(int, const struct iovec *, int);
	ssize_t (*sendmsg)(int, const struct msghdr *, int);
	ssize_t (*recv)(int, void *, size_t, int);
	ssize_t (*recvfrom)(int, void *, size_t, int, struct sockaddr *, socklen_t *);
	ssize_t (*read)(int, void *, size_t);
	ssize_t (*readv)(int, const struct iovec *, int);
	ssize_t (*recvmsg)(int, struct msghdr *, int);
	int (*socket)(int, int, int);
	int (*accept)(int, struct sockaddr *, socklen_t *);
	int (*accept4)(int, struct sockaddr *, socklen_t *, int);
	int (*dup2)(int, int);
	int (*dup3)(int, int, int);
	int (*close)(int);
	int (*close_range)(unsigned, unsigned, int);
	int (*fclose)(FILE *);
	void (*chk_fail)(void);
};

struct sockets {
	struct next next;
	struct np_recorder *recorder;
	struct descriptor descriptors[DESCRIPTORS];
};

static struct sockets *state_of_process(void)
{
	static struct sockets state;

	return &state;
}

/* Writes the address of the next definition of a function. */
static void find(const char *name, void *pointer)
{
	void *const found = dlsym(RTLD_NEXT, name);

	memcpy(pointer, &found, sizeof(found));
}

/* State with the next definitions, looked up by the first call, which may precede the
 * constructor. */
static struct sockets *sockets(void)
{
	struct sockets *it = state_of_process();
	struct next *next = &it->next;

	if (next->fclose != NULL)
		return it;
	find("send", &next->send);
	find("sendto", &next->sendto);
	find("write", &next->write);
	find("writev", &next->writev);
	find("sendmsg", &next->sendmsg);
	find("recv", &next->recv);
	find("recvfrom", &next->recvfrom);
	find("read", &next->read);
	find("readv", &next->readv);
	find("recvmsg", &next->recvmsg);
	find("socket", &next->socket);
	find("accept", &next->accept);
	find("accept4", &next->accept4);
	find("dup2", &next->dup2);
	find("dup3", &next->dup3);
	find("close", &next->close);
	find("close_range", &next->close_range);
	find("__chk_fail", &next->chk_fail);
	find("fclose", &next->fclose);
	return it;
}

/* Forgets partial messages in the child of a fork: their cells are in the file of the
 * parent. */
static void forked(void)
{
	struct sockets *it = state_of_process();

	for (size_t i = 0; i < DESCRIPTORS; i++) {
		/* Unneeded stores would allocate pages that were never used. */
		struct piece *last = it->descriptors[i].last;

		if (last[0].end != NULL || last[1].end != NULL)
			last[0].end = last[1].end = NULL;
	}
	np_recorder_forked(it->recorder);
}

__attribute__((constructor)) static void begin(void)
{
	struct sockets *it = sockets();
	const char *folder = getenv(NP_RECORD_FOLDER);
	const int saved = errno;

	if (folder != NULL && folder[0] == '/')
		it->recorder = np_recorder_open(folder, "sockets");
	if (it->recorder != NULL)
		pthread_atfork(NULL, NULL, forked);
	errno = saved;
}

__attribute__((destructor)) static void end(void)
{
	np_recorder_ends(state_of_process()->recorder);
}

static uint8_t kind_of(int fd)
{
	int type = 0, protocol = 0;
	socklen_t size = sizeof(int);
	const int saved = errno;
	const bool is_tcp =
		getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 &&
		type == SOCK_STREAM &&
		getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &size) == 0 &&
		protocol == IPPROTO_TCP;

	errno = saved;
	return is_tcp ? IS_TCP : IS_OTHER;
}

static bool is_recorded(struct sockets *it, int fd)
{
	if (it->recorder == NULL || fd < 0)
		return false;
	if (fd >= DESCRIPTORS)
		return kind_of(fd) == IS_TCP;
	if (it->descriptors[fd].kind == UNKNOWN)
		it->descriptors[fd].kind = kind_of(fd);
	return it->descriptors[fd].kind == IS_TCP;
}

static void forget(struct sockets *it, int fd)
{
	if (fd >= 0 && fd < DESCRIPTORS && it->descriptors[fd].kind != UNKNOWN)
		it->descriptors[fd] = (struct descriptor){ .kind = UNKNOWN };
}

/* Bytes that a call transferred. */
struct transfer {
	int fd;
	enum np_operation operation;
	enum np_direction direction;
	const struct iovec *parts;
	size_t part_count;
	const void *site;
};

/* Address behind the transferred bytes; NULL: all parts were transferred. */
static const char *end_of(const struct transfer *transfer, size_t bytes)
{
	for (size_t i = 0; i < transfer->part_count; i++) {
		if (bytes < transfer->parts[i].iov_len)
			return (const char *)transfer->parts[i].iov_base + bytes;
		bytes -= transfer->parts[i].iov_len;
	}
	return NULL;
}

static const void *largest_of(const struct transfer *transfer)
{
	const struct iovec *largest = transfer->parts;

	for (size_t i = 1; i < transfer->part_count; i++) {
		if (transfer->parts[i].iov_len > largest->iov_len)
			largest = &transfer->parts[i];
	}
	return largest->iov_base;
}

/* Counts a transfer.  began: from np_begin().  Returns `done`. */
static ssize_t count(struct sockets *it, const struct transfer *transfer, uint64_t began,
		     ssize_t done)
{
	const uint64_t took = np_took(it->recorder, began);
	struct piece none = { .end = NULL };
	struct piece *last =
		transfer->fd < DESCRIPTORS ?
			&it->descriptors[transfer->fd].last[transfer->direction] :
			&none;

	if (done <= 0 || transfer->part_count == 0)
		return done;
	if (last->end != NULL && last->end == transfer->parts[0].iov_base) {
		np_recorder_extend(it->recorder, &last->counted, last->buffer,
				   (uint64_t)done, took);
	} else {
		last->buffer = largest_of(transfer);
		last->counted = np_recorder_count(
			it->recorder,
			&(const struct np_use){
				NP_KIND(transfer->operation, transfer->direction),
				last->buffer, (uint64_t)done, transfer->site, took });
	}
	last->end = end_of(transfer, (size_t)done);
	return done;
}

static ssize_t count_parts(struct sockets *it, int fd, enum np_operation operation,
			   const struct iovec *parts, size_t part_count, const void *site,
			   uint64_t began, ssize_t done)
{
	return count(it,
		     &(const struct transfer){
			     fd, operation, operation < NP_OP_RECV ? NP_SENT : NP_RECEIVED,
			     parts, part_count, site },
		     began, done);
}

static ssize_t count_one(struct sockets *it, int fd, enum np_operation operation,
			 const void *buffer, size_t length, const void *site,
			 uint64_t began, ssize_t done)
{
	const struct iovec part = { (void *)(uintptr_t)buffer, length };

	return count_parts(it, fd, operation, &part, 1, site, began, done);
}

/* ---- Transfers -------------------------------------------------------------------------
 */
ssize_t send(int fd, const void *buffer, size_t length, int flags)
{
	struct sockets *it = sockets();

	if (!is_recorded(it, fd))
		return it->next.send(fd, buffer, length, flags);
	const uint64_t began = np_begin(it->recorder);
	return count_one(it, fd, NP_OP_SEND, buffer, length, CALLER, began,
			 it->next.send(fd, buffer, length, flags));
}

ssize_t sendto(int fd, const void *buffer, size_t length, int flags,
	       const struct sockaddr *address, socklen_t size)
{
	struct sockets *it = sockets();

	if (!is_recorded(it, fd))
		return it->next.sendto(fd, buffer, length, flags, address, size);
	const uint64_t began = np_begin(it->recorder);
	return count_one(it, fd, NP_OP_SENDTO, buffer, length, CALLER, began,
			 it->next.sendto(fd, buffer, length, flags, address, size));
}

ssize_t write(int fd, const void *buffer, size_t length)
{
	struct sockets *it = sockets();

	if (!is_recorded(it, fd))
		return it->next.write(fd, buffer, length);
	const uint64_t began = np_begin(it->recorder);
	return count_one(it, fd, NP_OP_WRITE, buffer, length, CALLER, began,
			 it->next.write(fd, buffer, length));
}

ssize_t writev(int fd, const struct iovec *parts, int part_count)
{
	struct sockets *it = sockets();

	if (!is_recorded(it, fd))
		return it->next.writev(fd, parts, part_count);
	const uint64_t began = np_begin(it->recorder);
	return count_parts(it, fd, NP_OP_WRITEV, parts, (size_t)part_count, CALLER, began,
			   it->next.writev(fd, parts, part_count));
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	struct sockets *it = sockets();

	if (!is_recorded(it, fd))
		return it->next.sendmsg(fd, message, flags);
	const uint64_t began = np_begin(it->recorder);
	const ssize_t done = it->next.sendmsg(fd, message, flags);
	return done <= 0 ? done :
			   count_parts(it, fd, NP_OP_SENDMSG, message->msg_iov,
				       message->msg_iovlen, CALLER, began, done);
}

static ssize_t receive(int fd, void *buffer, size_t length, int flags, const void *site)
{
	struct sockets *it = sockets();

	if ((flags & MSG_PEEK) != 0 || !is_recorded(it, fd))
		return it->next.recv(fd, buffer, length, flags);
	const uint64_t began = np_begin(it->recorder);
	return count_one(it, fd, NP_OP_RECV, buffer, length, site, began,
			 it->next.recv(fd, buffer, length, flags));
}

ssize_t recv(int fd, void *buffer, size_t length, int flags)
{
	return receive(fd, buffer, length, flags, CALLER);
}

static ssize_t receive_from(int fd, void *buffer, size_t length, int flags,
			    struct sockaddr *address, socklen_t *size, const void *site)
{
	struct sockets *it = sockets();

	if ((flags & MSG_PEEK) != 0 || !is_recorded(it, fd))
		return it->next.recvfrom(fd, buffer, length, flags, address, size);
	const uint64_t began = np_begin(it->recorder);
	return count_one(it, fd, NP_OP_RECVFROM, buffer, length, site, began,
			 it->next.recvfrom(fd, buffer, length, flags, address, size));
}

ssize_t recvfrom(int fd, void *buffer, size_t length, int flags, struct sockaddr *address,
		 socklen_t *size)
{
	return receive_from(fd, buffer, length, flags, address, size, CALLER);
}

static ssize_t read_from(int fd, void *buffer, size_t length, const void *site)
{
	struct sockets *it = sockets();

	if (!is_recorded(it, fd))
		return it->next.read(fd, buffer, length);
	const uint64_t began = np_begin(it->recorder);
	return count_one(it, fd, NP_OP_READ, buffer, length, site, began,
			 it->next.read(fd, buffer, length));
}

ssize_t read(int fd, void *buffer, size_t length)
{
	return read_from(fd, buffer, length, CALLER);
}

ssize_t readv(int fd, const struct iovec *parts, int part_count)
{
	struct sockets *it = sockets();

	if (!is_recorded(it, fd))
		return it->next.readv(fd, parts, part_count);
	const uint64_t began = np_begin(it->recorder);
	return count_parts(it, fd, NP_OP_READV, parts, (size_t)part_count, CALLER, began,
			   it->next.readv(fd, parts, part_count));
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	struct sockets *it = sockets();

	if ((flags & MSG_PEEK) != 0 || !is_recorded(it, fd))
		return it->next.recvmsg(fd, message, flags);
	const uint64_t began = np_begin(it->recorder);
	const ssize_t done = it->next.recvmsg(fd, message, flags);
	return done <= 0 ? done :
			   count_parts(it, fd, NP_OP_RECVMSG, message->msg_iov,
				       message->msg_iovlen, CALLER, began, done);
}

/* ---- Calls of programs compiled with _FORTIFY_SOURCE -----------------------------------
 */
static void check_room(size_t length, size_t room)
{
	if (length > room)
		sockets()->next.chk_fail();
}

// NOLINTNEXTLINE(bugprone-reserved-identifier): the name in the C library
ssize_t __recv_chk(int fd, void *buffer, size_t length, size_t room, int flags)
{
	check_room(length, room);
	return receive(fd, buffer, length, flags, CALLER);
}

// NOLINTNEXTLINE(bugprone-reserved-identifier): the name in the C library
ssize_t __recvfrom_chk(int fd, void *buffer, size_t length, size_t room, int flags,
		       struct sockaddr *address, socklen_t *size)
{
	check_room(length, room);
	return receive_from(fd, buffer, length, flags, address, size, CALLER);
}

// NOLINTNEXTLINE(bugprone-reserved-identifier): the name in the C library
ssize_t __read_chk(int fd, void *buffer, size_t length, size_t room)
{
	check_room(length, room);
	return read_from(fd, buffer, length, CALLER);
}

/* ---- Descriptors that are reused -------------------------------------------------------
 */
static int made(struct sockets *it, int fd)
{
	forget(it, fd);
	return fd;
}

int socket(int domain, int type, int protocol)
{
	struct sockets *it = sockets();

	return made(it, it->next.socket(domain, type, protocol));
}

int accept(int fd, struct sockaddr *address, socklen_t *size)
{
	struct sockets *it = sockets();

	return made(it, it->next.accept(fd, address, size));
}

int accept4(int fd, struct sockaddr *address, socklen_t *size, int flags)
{
	struct sockets *it = sockets();

	return made(it, it->next.accept4(fd, address, size, flags));
}

int dup2(int from, int to)
{
	struct sockets *it = sockets();

	return made(it, it->next.dup2(from, to));
}

int dup3(int from, int to, int flags)
{
	struct sockets *it = sockets();

	return made(it, it->next.dup3(from, to, flags));
}

int close(int fd)
{
	struct sockets *it = sockets();

	forget(it, fd);
	return it->next.close(fd);
}

int close_range(unsigned first, unsigned last, int flags)
{
	struct sockets *it = sockets();

	for (unsigned fd = first; fd <= last && fd < DESCRIPTORS; fd++)
		forget(it, (int)fd);
	if (it->next.close_range != NULL)
		return it->next.close_range(first, last, flags);
	errno = ENOSYS;
	return -1;
}

int fclose(FILE *stream)
{
	struct sockets *it = sockets();
	const int saved = errno, fd = fileno(stream);

	errno = saved;
	forget(it, fd);
	return it->next.fclose(stream);
}
