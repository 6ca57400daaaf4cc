/*
 * reception.c - tell a peer from a stranger.
 */
#include "boot/reception.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "boot/frame.h"
#include "boot/token.h"

/* For the 64 bytes of a hello, and the proof. */
enum { HELLO_TIMEOUT_MS = 3000 };

static void __attribute__((format(printf, 3, 4)))
tell(const struct np_link_wait *wait, const struct np_guest *guest, const char *format, ...)
{
	char address[64], text[200], line[300];
	va_list arguments;

	if (wait->notes == NULL)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	np_link_address_text((const struct sockaddr *)&guest->address, address,
			     sizeof(address));
	snprintf(line, sizeof(line), "dropped a connection from %s: %s", address, text);
	wait->notes->note(wait->notes->context, line);
}

static void forget(struct np_reception *reception, size_t index)
{
	reception->guests[index] = reception->guests[--reception->count];
}

static void show_out(struct np_reception *reception, size_t index)
{
	close(reception->guests[index].fd);
	forget(reception, index);
}

/* Who has to go when the room is full: of those who have said least, the one
 * who came first. */
static size_t least_wanted(const struct np_reception *reception)
{
	size_t worst = 0;

	for (size_t i = 1; i < reception->count; i++) {
		const struct np_guest *guest = &reception->guests[i];
		const struct np_guest *other = &reception->guests[worst];

		if (guest->received < other->received ||
		    (guest->received == other->received &&
		     guest->deadline_ns < other->deadline_ns))
			worst = i;
	}
	return worst;
}

void np_reception_add(struct np_reception *reception, const struct np_guest *guest)
{
	if (reception->count == NP_GUESTS_MAX)
		show_out(reception, least_wanted(reception));
	reception->guests[reception->count] = *guest;
	reception->guests[reception->count].deadline_ns =
		np_clock_ns() + HELLO_TIMEOUT_MS * 1000000ull;
	reception->count++;
}

static int let_in(struct np_reception *reception, int listener,
		  const struct np_link_wait *wait)
{
	struct np_guest guest = { .received = 0 };
	socklen_t length = sizeof(guest.address);

	guest.fd =
		accept4(listener, (struct sockaddr *)&guest.address, &length, SOCK_CLOEXEC);
	if (guest.fd < 0)
		return errno == EMFILE || errno == ENFILE ? -errno : 0;
	/* The listening socket does not block, what it accepts shall. */
	fcntl(guest.fd, F_SETFL, fcntl(guest.fd, F_GETFL) & ~O_NONBLOCK);
	if (!np_allow_has(wait->allow, &guest.address)) {
		tell(wait, &guest, "its address is not in --allow");
		close(guest.fd);
		return 0;
	}
	if (reception->count == NP_GUESTS_MAX)
		tell(wait, &reception->guests[least_wanted(reception)],
		     "it said nothing while others came");
	np_reception_add(reception, &guest);
	return 0;
}

static void refuse(const struct np_guest *guest, const struct np_link_wait *wait,
		   enum np_frame_kind kind, const char *reason)
{
	np_frame_send(guest->fd, kind, reason, strlen(reason));
	tell(wait, guest, "%s", reason);
}

/* The guest is the one: 1.  Its welcome shows that this end knows the key, too. */
static int welcome(const struct np_guest *guest, const struct np_link_wait *wait)
{
	unsigned char proof[NP_PROOF_LENGTH];
	const bool keyed = wait->key != NULL;

	if (keyed)
		np_hello_prove(wait->key, 1, guest->nonce, guest->hello, proof);
	if (np_frame_send(guest->fd, NP_FRAME_WELCOME, proof, keyed ? sizeof(proof) : 0) !=
	    0)
		return -1;
	if (np_hello_kind(guest->hello) == NP_LINK_CONTROL)
		memcpy(wait->token, np_hello_token(guest->hello), NP_TOKEN_LENGTH);
	return 1;
}

static int challenge(struct np_guest *guest)
{
	guest->challenged = true;
	if (getrandom(guest->nonce, sizeof(guest->nonce), 0) !=
	    (ssize_t)sizeof(guest->nonce))
		return -1;
	return np_frame_send(guest->fd, NP_FRAME_CHALLENGE, guest->nonce,
			     sizeof(guest->nonce)) == 0 ?
		       0 :
		       -1;
}

/* Once the hello is whole, and again when it has been proved: another guest may
 * have been first meanwhile. */
static int judge_hello(struct np_guest *guest, const struct np_link_wait *wait)
{
	char reason[160];

	switch (np_hello_check(guest->hello, wait, reason, sizeof(reason))) {
	case NP_HELLO_FITS:
		if (wait->key != NULL && !guest->challenged)
			return challenge(guest);
		return welcome(guest, wait);
	case NP_HELLO_BUSY:
		/* Not told of: it may try again ten times a second, as it should. */
		np_frame_send(guest->fd, NP_FRAME_BUSY, reason, strlen(reason));
		return -1;
	case NP_HELLO_REFUSED:
		refuse(guest, wait, NP_FRAME_REFUSAL, reason);
		return -1;
	default:
		tell(wait, guest, "it does not speak this protocol");
		return -1;
	}
}

static int judge_proof(struct np_guest *guest, const struct np_link_wait *wait)
{
	unsigned char right[NP_PROOF_FRAME] = { 'N', 'P', NP_FRAME_PROOF };

	np_put_u32(right + 4, NP_PROOF_LENGTH);
	np_hello_prove(wait->key, 0, guest->nonce, guest->hello, right + 8);
	if (np_token_same(guest->proof, right, sizeof(right)))
		return judge_hello(guest, wait);
	refuse(guest, wait, NP_FRAME_REFUSAL, "its token is wrong");
	return -1;
}

/* Reads what a guest has to say.  Returns 1 if it is the one, 0 to keep it,
 * -1 to show it out. */
static int listen_to(struct np_guest *guest, const struct np_link_wait *wait)
{
	unsigned char *at = guest->challenged ? guest->proof : guest->hello;
	size_t *have = guest->challenged ? &guest->proved : &guest->received;
	const size_t wanted =
		guest->challenged ? sizeof(guest->proof) : sizeof(guest->hello);
	const ssize_t received = recv(guest->fd, at + *have, wanted - *have, MSG_DONTWAIT);

	if (received < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	if (received == 0) {
		tell(wait, guest,
		     guest->challenged ? "it has no token" : "it closed without a word");
		return -1;
	}
	*have += (size_t)received;
	/* A stranger is known by its first bytes; no need to wait for all. */
	if (!np_hello_begins(guest->hello, guest->received)) {
		tell(wait, guest, "it does not speak this protocol");
		return -1;
	}
	if (*have < wanted)
		return 0;
	return guest->challenged ? judge_proof(guest, wait) : judge_hello(guest, wait);
}

static void drop_silent(struct np_reception *reception, const struct np_link_wait *wait)
{
	for (size_t i = reception->count; i-- > 0;) {
		if (np_clock_ns() >= reception->guests[i].deadline_ns) {
			tell(wait, &reception->guests[i], "it said nothing for %d s",
			     HELLO_TIMEOUT_MS / 1000);
			show_out(reception, i);
		}
	}
}

/* Hears every guest that has spoken.  Returns true and the right one. */
static bool hear_guests(struct np_reception *reception, const struct pollfd *ready,
			const struct np_link_wait *wait, struct np_guest *fits)
{
	for (size_t i = reception->count; i-- > 0;) {
		if (ready[i].revents == 0)
			continue;
		const int verdict = listen_to(&reception->guests[i], wait);
		if (verdict < 0) {
			show_out(reception, i);
		} else if (verdict > 0) {
			*fits = reception->guests[i];
			forget(reception, i);
			return true;
		}
	}
	return false;
}

void np_reception_drain(struct np_reception *reception, int listener,
			const struct np_link_wait *wait)
{
	struct pollfd knock = { .fd = listener, .events = POLLIN };

	while (reception->count < NP_GUESTS_MAX && poll(&knock, 1, 0) > 0) {
		if (let_in(reception, listener, wait) != 0)
			break;
	}
}

size_t np_reception_watch(const struct np_reception *reception, int listener,
			  struct pollfd *fds)
{
	for (size_t i = 0; i < reception->count; i++)
		fds[i] = (struct pollfd){ .fd = reception->guests[i].fd, .events = POLLIN };
	fds[reception->count] = (struct pollfd){ .fd = listener, .events = POLLIN };
	return reception->count + 1;
}

int np_reception_hear(struct np_reception *reception, int listener,
		      const struct pollfd *fds, const struct np_link_wait *wait,
		      struct np_guest *fits, struct np_error *error)
{
	const bool knock = fds[reception->count].revents != 0;

	if (hear_guests(reception, fds, wait, fits))
		return 1;
	drop_silent(reception, wait);
	const int rc = knock ? let_in(reception, listener, wait) : 0;
	return rc == 0 ? 0 : np_fail_errno(error, rc, "cannot accept the peer");
}

void np_reception_close(struct np_reception *reception)
{
	while (reception->count > 0)
		show_out(reception, reception->count - 1);
}
