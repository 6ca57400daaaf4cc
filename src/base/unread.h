/*
 * unread.h - output that its reader does not have yet.
 */
#pragma once

/* Waits until what this process wrote to its standard output and error has been read, where
 * these are pipes; for a second at most each.  A launcher may end before it has read what
 * its processes wrote, as soon as one of them aborts the job or fails: MPICH's lost the
 * error of every sixteenth job on busy cores. */
void np_wait_until_read(void);
