#!/bin/bash
# Every option of NPucx(1), those of the driver and of two hosts too.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
. "$NP_SRCDIR/tests/lib/options.sh" || exit 99
[ "${NP_SANITIZERS:-no}" = no ] || tap_skip_all "built with sanitizers"
program=NPucx
need $program
go()
{
	run NPucx --local "$@"
}
windowed=-s registered="--register pool" launched="" varied=tls=tcp without=""
shared_options

tap_check "-t, -c" sets "transfer=stream wait=event" -t stream -c event $brief
tap_check "--protocol" sets "protocol=rndv" --protocol rndv $brief
tap_check "--reply" sets "reply=handler" --reply handler $brief
tap_check "--register" sets "registered=pool" --register pool $brief
tap_check "--allocate" sets "allocated_by=UCX" --allocate ucx --tls posix -t get $brief
tap_check "--like" sets "allocated_by=UCX delivery=eager:.left.where.UCX.has.it error_mode=none" \
	--like ucx_perftest --tls tcp $brief
tap_check "--like, which leaves nothing to check" refuses "--like ucx_perftest: .*-i has nothing" \
	--like ucx_perftest -i
tap_check "--tls, -D" sets "error_mode=peer lane_0=tcp/.*" --tls tcp -D lo --error-mode peer $brief
tap_check "--config" sets "rndv_limit_bytes=4096" --config RNDV_THRESH=4K --tls posix -t tag $brief

lists()
{
	[ "$code" -eq 0 ] && grep -q "^lo  *--tls tcp" "$out" &&
		grep -q "^memory  *--tls .*posix" "$out" && return
	show_run
	return 1
}
go()
{
	run NPucx "$@"
}
given_to --list-devices
tap_check "devices are listed with their transports" lists

# A server of its own, and one that a way in to this host starts.
# shellcheck disable=SC2086 # words
by_server()
{
	local -a server_options=(--serve --bind-address 127.0.0.1)
	[ "$1" = open ] && server_options+=(--allow all) ||
		server_options+=(--token-file "$work/token" --allow 127.0.0.0/8)
	shift
	printf '%s\n' "${server_options[@]}" >>"$work/given"
	start_server NPucx "${server_options[@]}" &&
		sets "" -h 127.0.0.1 -P "$port" --connect-timeout 9 "$@" $brief
	local result=$?
	kill "$server"
	finish "$server" 30
	return $result
}
tap_check "-h, with a token" by_server token --token-file "$work/token" -4
tap_check "-h, of an open server" by_server open
given_to -h 127.0.0.1 -6 --sizes 64
tap_check "-6" failed_with NPucx 4 "Address family"
printf '#!/bin/sh\nshift\nexec "$@"\n' >"$work/way" && chmod +x "$work/way"
tap_check "--remote" sets "remote=here" --remote here -h 127.0.0.1 --rsh "$work/way" \
	--remote-program "$NP_BUILDDIR/NPucx" --remote-options "--bind none" $brief
printf '%s\n' --local >>"$work/given"
tap_check "no option is left out" all_given
cli_done
