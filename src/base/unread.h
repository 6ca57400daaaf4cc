/*
 * unread.h - drain of standard output and error.
 */
#pragma once

/* Waits until the reader of standard output and error has emptied them, where these are
 * pipes; a second at most each.  A launcher may end before it has read the output of its
 * processes, as soon as one of them aborts the job or fails: MPICH's lost the error of
 * every sixteenth job on busy cores. */
void np_wait_until_read(void);
