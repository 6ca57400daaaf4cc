#!/bin/bash
# ibv_conform.sh [WORDS] - the verbs module against the contract, with all its settings or
# those whose names have WORDS in them.  For a machine that has the RDMA device rxe0.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/tap.sh" || exit 99
[ -x "$NP_BUILDDIR/NPibv" ] || tap_skip_all "NPibv is not in this build"
NP_REQUIRE=ibv exec "$NP_BUILDDIR/tests/conformance/conform.t" ibv "$@"
