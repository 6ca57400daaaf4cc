#!/bin/bash
# Stands in for the unit tests where cmocka is missing, so that a report tells
# that they did not run.
. "$NP_SRCDIR/tests/lib/tap.sh"
tap_skip_all "unit tests need cmocka; on Debian: apt install libcmocka-dev"
