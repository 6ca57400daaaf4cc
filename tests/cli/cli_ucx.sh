#!/bin/bash
# NPucx from the command line: every transfer over shared memory and TCP, what it refuses,
# and a peer that dies or has another UCX.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPucx
CHECK="--sizes 8,100000 --quick -i"

for transfer in am tag stream put get; do
	for completion in poll event; do
		for tls in posix tcp; do
			run NPucx --local -t $transfer -c $completion --tls $tls $CHECK
			tap_check "$transfer by $completion over $tls: every byte" checked 8 100000
		done
	done
done
for transfer in am tag put get; do
	measures "a stream of $transfer" "64 4096" NPucx --local -t $transfer -s --sizes 64,4K \
		--time-budget 0.05
done
measures "fresh buffers" "64" NPucx --local -I --buffers fresh --pool 8M --sizes 64 --time-budget 0.05

# Memory of UCX is in shared memory, which the processes reach by loads and stores.
for transfer in am put get; do
	run NPucx --local -t $transfer -c event --tls posix --allocate ucx $CHECK
	tap_check "$transfer in memory of UCX: every byte" checked 8 100000
done
measures "cold buffers in memory of UCX" "64 4096" NPucx --local -t get --tls posix \
	--allocate ucx -I --sizes 64,4K --pool 4M --time-budget 0.05 --json "$work/ucx.json"
tap_check "the header has who allocated it" grep -q '"allocated_by":"UCX"' "$work/ucx.json"
# A remote key of such memory is an address: ucp_rkey_ptr() says whether it is one.
reached_by_loads()
{
	cat >"$work/ptr.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <ucp/api/ucp.h>
ucs_status_t ucp_ep_rkey_unpack(ucp_ep_h peer, const void *key, ucp_rkey_h *made)
{
	ucs_status_t (*unpack)(ucp_ep_h, const void *, ucp_rkey_h *) =
		(ucs_status_t(*)(ucp_ep_h, const void *, ucp_rkey_h *))dlsym(
			RTLD_NEXT, "ucp_ep_rkey_unpack");
	const ucs_status_t status = unpack(peer, key, made);
	void *at = NULL;
	fprintf(stderr, "reach %d\n", (int)ucp_rkey_ptr(*made, 0, &at) == UCS_ERR_UNREACHABLE);
	return status;
}
END
	# shellcheck disable=SC2046 # words
	${CC:-cc} $(pkg-config --cflags ucx) -shared -fPIC -o "$work/ptr.so" "$work/ptr.c" -ldl ||
		return
	for who in ucx program; do
		LD_PRELOAD=$work/ptr.so "$NP_BUILDDIR/NPucx" --local -t get --tls posix,cma \
			--allocate $who --sizes 64 --time-budget 0.05 2>&1 | grep '^reach' | sort -u
	done >"$work/reach"
	[ "$(tr '\n' ' ' <"$work/reach")" = "reach 0 reach 1 " ] || { cat "$work/reach"; return 1; }
}
case ${NP_SANITIZERS:-no} in
no) tap_check "and reaches it by loads, where memory of the program is not reached so" reached_by_loads ;;
esac

facts()
{
	# Lines are wrapped.
	local text
	text=$(tr -s ' \n' ' ' <"$out")
	[[ $text =~ ucx_version=[0-9] && $text == *lane_0=posix/memory* &&
		$text =~ rndv_limit_bytes=[0-9]+" (ucp_ep_print_info tag_send)" ]] && return
	show_run
	return 1
}
run NPucx --local -v -t tag --tls posix --sizes 64 --time-budget 0.05
tap_check "the header has version, lanes and limits" facts

usage() # NAME WORDS ARGUMENT...
{
	local name=$1 words=$2
	shift 2
	refused "$name" 2 "$words" NPucx --local "$@"
}
usage "an unknown transport" "no transport 'carrier' .*: there are .*tcp" --tls tcp,carrier
usage "an unknown device" "no device 'mlx9_0:1' .*: there are .*lo" -D mlx9_0:1
usage "a protocol for tags" "--protocol.*active messages only" -t tag --protocol rndv
usage "a handler's reply to a tag" "--reply handler.*-t am" -t tag --reply handler
usage "a handler's reply in a stream" "--reply handler.*ping-pong" -s --reply handler
usage "a get in both directions" "-2.*one-sided" -t get -2
usage "a get that is acknowledged" "--window 1.*one-sided" -t get -s --window 1
usage "a put of no bytes" "-l 0.*-t am or tag" -t put -l 0
usage "a stream of no bytes" "-l 0.*-t am or tag" -t stream -l 0
usage "a window that is too long" "--window.*2048" -s --window 5000
usage "cold puts into fresh buffers" "--buffers fresh" -t put -I --buffers fresh
usage "fresh buffers of memory that UCX allocates" "--buffers fresh" --allocate ucx -I --buffers fresh
usage "huge pages of it" "--pages" --allocate ucx --pages 2m
usage "polled bytes of a put in it" "may write the polled last byte .* twice" -t put --allocate ucx
usage "a variable that UCX does not know" \
	"--variant x: UCX has no variable UCX_RNDV_THRSH: the nearest is UCX_RNDV_THRESH" \
	--variant base: --variant x:env:UCX_RNDV_THRSH=8K
usage "a variable that is like none" "no variable UCX_FOO=\?1*: the nearest is UCX_[A-Z]" \
	--variant base: --variant x:env:UCX_FOO=1
# Of a part of UCX that is a library of its own, and one that others inherit.
measures "variables that UCX knows" "64" NPucx --local --sizes 64 --time-budget 0.05 --runs 2 \
	--variant base: --variant x:env:UCX_RC_VERBS_TX_QUEUE_LEN=128,env:UCX_IB_TX_QUEUE_LEN=128
# The cache that rules what is timed is another one since 1.16.
nocache=UCX_RCACHE_ENABLE=n
pkg-config --atleast-version=1.16 ucx || nocache=UCX_IB_REG_METHODS=direct
tuned()
{
	[ "$code" -eq 0 ] && grep '"kind":"pair"' "$work/tune.json" | grep -q '"of":"nocache/base"' &&
		grep -q "| nocache:env:$nocache\"" "$work/tune.json" && return
	show_run
	return 1
}
run NPucx --local --tune --tls tcp --sizes 64 --runs 2 --time-budget 1.5 --json "$work/tune.json"
tap_check "--tune has runs without a cache of registrations" tuned
contexts()
{
	grep '"kind":"header"' "$work/v.json" | grep '"variants":\["posix","tcp"\]' |
		grep -q '"tcp.lane_0":"tcp/.*"tcp.rndv_limit_bytes":"[0-9]*' && return
	show_run
	return 1
}
run NPucx --local --sizes 64,4K --time-budget 1 --variant posix:tls=posix --variant \
	tcp:tls=tcp,transfer=tag --json "$work/v.json"
tap_check "a context of each variant" well_done 64 4096
tap_check "with the lanes and limits that each has" contexts
configured()
{
	local header
	header=$(grep '"kind":"header"' "$work/v.json")
	[ "$code" -eq 0 ] && [ "$(grep -c '"kind":"header"' "$work/v.json")" -eq 1 ] &&
		[[ $header == *'"small.ucx_rndv_thresh":"4K"'*'"small.rndv_limit_bytes":'* &&
			$header == *'"copy.ucx_zcopy_thresh":"16K"'* ]] && return
	show_run
	return 1
}
run NPucx --local -t tag --tls posix --sizes 64,32K --time-budget 1 --variant base: \
	--variant small:config=RNDV_THRESH=4096 --json "$work/v.json" --force \
	--variant "copy:config=UCX_ZCOPY_THRESH=16K;RNDV_THRESH=1M"
tap_check "settings of contexts that share a run are read back" configured
usage "a setting that UCX does not know" "variant x: UCX has no variable UCX_RNDV_THRSH: the nearest is UCX_RNDV_THRESH" \
	--variant base: --variant x:config=RNDV_THRSH=8K
usage "one that is none of a context" "--config: UCX_RC_VERBS_TX_QUEUE_LEN .*env:UCX_RC" \
	--config RC_VERBS_TX_QUEUE_LEN=64
usage "a value that is none" "--config: UCX takes no UCX_RNDV_THRESH=some" --config RNDV_THRESH=some
usage "a setting without a value" "'RNDV_THRESH' is not NAME=VALUE" --config RNDV_THRESH
usage "transports by a setting" "for UCX_TLS there is --tls" --config TLS=tcp
without()
{
	[ "$code" -eq 1 ] && grep -q "variant dc is left out: UCX can use none" "$err" &&
		grep -q "variant told is left out: UCX finds no way to the peer" "$err" &&
		grep -q "in every round: dc, told" "$err" && grep -q "tcp over posix" "$out" && return
	show_run
	return 1
}
run NPucx --local --sizes 64 --time-budget 1 --variant posix:tls=posix --variant dc:tls=dc \
	--variant told:tls=posix,error-mode=peer --variant tcp:tls=tcp
tap_check "but for those that cannot have one" without
refused "a group of transports of which there is none" 1 "none of transports dc on" \
	NPucx --local --tls dc
UCX_TLS=tcp UCX_NET_DEVICES=nope:1 refused "devices of the environment that there are not" 2 \
	"UCX_NET_DEVICES: UCX has no device 'nope:1' on this host: there are" NPucx --local $SMALL
refused "shared memory that should tell of a lost peer" 1 \
	"no way to the peer .*posix with --error-mode peer" \
	NPucx --local --tls posix --error-mode peer

tap_check "a peer that dies, TCP" lost_peer NPucx UCX --tls tcp
tap_check "a peer that dies, TCP, asleep" lost_peer NPucx UCX --tls tcp -c event -t tag
tap_check "a peer that dies, shared memory" lost_peer NPucx UCX --tls posix

# The server's library tells of another version, as one of another host would.
cat >"$work/version.c" <<'END'
void ucp_get_version(unsigned *major, unsigned *minor, unsigned *release);
void ucp_get_version(unsigned *major, unsigned *minor, unsigned *release)
{
	*major = 1;
	*minor = 99;
	*release = 0;
}
END
other_version()
{
	${CC:-cc} -shared -fPIC -o "$work/version.so" "$work/version.c" || return
	LD_PRELOAD=$work/version.so ASAN_OPTIONS=verify_asan_link_order=0 start_server NPucx || return
	run NPucx -h 127.0.0.1 -P "$port" --sizes 64 --time-budget 0.05
	kill "$server" 2>/dev/null
	local ended=$code
	finish "$server" 30
	code=$ended
	one_line "$err" NPucx "UCX 1\.[0-9]* and the peer has 1\.[0-9]*" &&
		[ "$code" -ne 0 ] && return
	show_run
	return 1
}
tap_check "two versions" other_version

# A UCX that takes a short message and sends it later, when it is called for the thousandth
# time, or asked to flush: none may be left there when a process calls it no more.
cat >"$work/late.c" <<'END'
#include <dlfcn.h>
#include <string.h>
#include <ucp/api/ucp.h>
static struct {
	ucp_ep_h ep;
	unsigned id, calls;
	size_t length;
	char header[64];
} held;
#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
static void release(void)
{
	const ucp_request_param_t param = { .op_attr_mask = 0 };
	__typeof__(&ucp_am_send_nbx) send =
		(__typeof__(&ucp_am_send_nbx))dlsym(RTLD_NEXT, "ucp_am_send_nbx");

	if (held.ep == NULL)
		return;
	/* UCX may read it until it has been sent. */
	static char headers[4096][64];
	static unsigned turn;
	char *header = memcpy(headers[turn++ % 4096], held.header, held.length);
	ucs_status_ptr_t request =
		send(held.ep, held.id, header, held.length, NULL, 0, &param);
	held.ep = NULL;
	if (UCS_PTR_IS_PTR(request))
		((void (*)(void *))dlsym(RTLD_DEFAULT, "ucp_request_free"))(request);
}
ucs_status_ptr_t ucp_am_send_nbx(ucp_ep_h ep, unsigned id, const void *header, size_t length,
				 const void *buffer, size_t count,
				 const ucp_request_param_t *param)
{
	REAL(ucp_am_send_nbx);
	release();
	if (count != 0 || length == 0 || length > sizeof(held.header))
		return real(ep, id, header, length, buffer, count, param);
	held.ep = ep;
	held.id = id;
	held.length = length;
	held.calls = 0;
	memcpy(held.header, header, length);
	return NULL;
}
unsigned ucp_worker_progress(ucp_worker_h worker)
{
	REAL(ucp_worker_progress);
	if (held.ep != NULL && ++held.calls == 1000)
		release();
	return real(worker);
}
ucs_status_ptr_t ucp_ep_flush_nbx(ucp_ep_h ep, const ucp_request_param_t *param)
{
	REAL(ucp_ep_flush_nbx);
	release();
	return real(ep, param);
}
END
# shellcheck disable=SC2046
if ${CC:-cc} -D_GNU_SOURCE -shared -fPIC $(pkg-config --cflags ucx) -o "$work/late.so" "$work/late.c"; then
	for how in "-t am" "-t tag -c event" "-t put" "-t am -s" "-t put -s" "-t get" -2; do
		export LD_PRELOAD=$work/late.so ASAN_OPTIONS=verify_asan_link_order=0
		run NPucx --local --tls tcp $how --sizes 64,4K --quick -i
		unset LD_PRELOAD ASAN_OPTIONS
		tap_check "no message is left in UCX: $how" checked 64 4096
	done
else
	tap_check "a UCX that sends late" false
fi
cli_done
