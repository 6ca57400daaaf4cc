/*
 * reception.h - guests at a port who have not yet shown who they are: the
 * waiting side of a link, one step at a time, without ever blocking.
 */
#ifndef NP_RECEPTION_H
#define NP_RECEPTION_H

#include <poll.h>

#include "boot/link.h"
#include "boot/link_hello.h"

/* Guests that are heard at the same time.  When more come, who has said nothing
 * for longest has to go, so that strangers who dawdle keep nobody out. */
enum { NP_GUESTS_MAX = 64 };

/* Room for np_reception_watch(): every guest and the listening socket. */
enum { NP_RECEPTION_FDS = NP_GUESTS_MAX + 1 };

/* A whole NP_FRAME_PROOF. */
enum { NP_PROOF_FRAME = 8 + NP_PROOF_LENGTH };

/* Somebody who has connected and not yet finished saying hello. */
struct np_guest {
	int fd;
	uint64_t deadline_ns;
	size_t received;
	unsigned char hello[NP_HELLO_LENGTH];
	/* Where a key has to be proved: the question, and the frame that answers. */
	bool challenged;
	unsigned char nonce[NP_NONCE_LENGTH];
	unsigned char proof[NP_PROOF_FRAME];
	size_t proved; /* bytes of it that have come */
	struct sockaddr_storage address;
};

struct np_reception {
	struct np_guest guests[NP_GUESTS_MAX];
	size_t count;
};

/* Fills fds with what there is to wait for, at most NP_RECEPTION_FDS entries,
 * and returns how many.  listener may be -1. */
size_t np_reception_watch(const struct np_reception *reception, int listener,
			  struct pollfd *fds);

/*
 * After poll() on what np_reception_watch() filled in, and also when its time
 * was up: hears who has spoken, lets in who is new, shows out who is not
 * wanted or has said nothing for seconds.  Returns 1 and the guest who fits,
 * welcomed, whose socket is the caller's; 0 if there is none yet; or -errno
 * with a text if no descriptor is left.
 */
int np_reception_hear(struct np_reception *reception, int listener,
		      const struct pollfd *fds, const struct np_link_wait *wait,
		      struct np_guest *fits, struct np_error *error);

/* Lets in all who have knocked, as far as there is room: before the listening
 * socket is closed. */
void np_reception_drain(struct np_reception *reception, int listener,
			const struct np_link_wait *wait);

/* Takes over a socket that was connected elsewhere. */
void np_reception_add(struct np_reception *reception, const struct np_guest *guest);

/* Shows everybody out. */
void np_reception_close(struct np_reception *reception);

#endif
