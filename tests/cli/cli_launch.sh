#!/bin/bash
# Both ends from one command, the other one at another host: by ssh, and by another
# way in.  Whichever dies first, nothing is left behind.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
. "$NP_SRCDIR/tests/hosts/hosts.sh" || exit 99
need NPtcp
PATH=$PATH:/usr/sbin:/sbin
far=$NP_BUILDDIR/NPtcp
# A way in to this host.
printf '#!/bin/sh\nshift\nexec "$@"\n' >"$work/way" && chmod +x "$work/way"
HERE="--rsh $work/way --remote-program $far -h 127.0.0.1"

# ---- Usage ------------------------------------------------------------------
refused "--rsh without --remote" 2 "--rsh needs --remote" NPtcp --rsh env
refused "--remote and --serve" 2 "excludes" NPtcp --remote here --serve
refused "a host that looks like an option" 2 "is no host" NPtcp --remote -oProxyCommand=true
refused "words for a shell" 2 "a shell may interpret" \
	NPtcp --remote here --remote-options '--bind 1;true'
refused "--launched by hand" 2 "--launched is for programs that" NPtcp --launched

# ---- The way in -------------------------------------------------------------
measures "another way in" "1 64 4096" NPtcp --remote here $HERE $SMALL
measures "with options of the far end" "64" NPtcp --remote here $HERE --sizes 64 \
	--time-budget 0.2 --remote-options "--bind none"
run NPtcp --remote here $HERE --sizes 64 --time-budget 0.2 --remote-options "--wait poll"
tap_check "one that is the client's is named" eval '[ "$code" -eq 0 ] &&
	grep -q "^NPtcp: here: --wait has no effect here: the client decides" "$err"'
measures "several runs" "64" NPtcp --remote here $HERE --sizes 64 --time-budget 0.4 \
	--runs 2
run NPtcp --remote here $HERE $SMALL --json "$work/header.json"
tap_check "the header tells of both ends" eval '[ "$code" -eq 0 ] &&
	head -n 1 "$work/header.json" | grep -q "\"remote\":\"here\"" &&
	[ "$(head -n 1 "$work/header.json" | grep -o "\"kernel\":" | wc -l)" -eq 2 ]'
refused "a way in that is not there" 4 "cannot run 'no-such-way'" \
	NPtcp --remote here --rsh no-such-way $SMALL
refused "a program that is not there" 4 "cannot start NPtcp at here: .*no-such-program" \
	NPtcp --remote here --rsh "$work/way" --remote-program no-such-program $SMALL
refused "a way in that leads nowhere" 4 \
	"cannot start NPtcp at here: exit status 1" \
	NPtcp --remote here --rsh false $SMALL
printf '#!/bin/sh\necho "$@" >%s/words\nexit 1\n' "$work" >"$work/tells" && chmod +x "$work/tells"
run NPtcp --remote here --rsh "$work/tells -x" $SMALL
tap_check "the host is appended to a way in without %h" grep -q '^-x here NPtcp ' "$work/words"
run NPtcp --remote here --rsh "$work/tells %h -x" $SMALL
tap_check "and stands where %h was" grep -q '^here -x NPtcp ' "$work/words"
# What NetPIPE 3.7 says to long options.
cat >"$work/netpipe" <<'END'
#!/bin/sh
echo "NPtcp: invalid option -- '-'" >&2
printf '\n NETPIPE USAGE \n\n'
exit 244
END
chmod +x "$work/netpipe"
refused "NetPIPE's program of the same name" 4 \
	"another program of that name, .*--remote-program" \
	NPtcp --remote here --rsh "$work/way" --remote-program "$work/netpipe" $SMALL
printf '#!/bin/sh\necho "Welcome to here"\nshift\nexec "$@"\n' >"$work/greets" && chmod +x "$work/greets"
measures "a login shell that greets" "1 64 4096" \
	NPtcp --remote here --rsh "$work/greets" --remote-program "$far" -h 127.0.0.1 $SMALL
printf 'one 127.0.0.1\nother 127.0.0.1\n' >"$work/two"
run NPfleet --hosts "$work/two" --rsh "$work/greets" --remote-program "$far" \
	tcp --sizes 64 --time-budget 0.2
tap_check "and greets both processes of a pair" eval '[ "$code" -eq 0 ] || ! show_run'
refused "a program that only greets" 4 "is not NPtcp: it printed 'Welcome to here'" \
	NPtcp --remote here --rsh "$work/greets" --remote-program true $SMALL
refused "an unknown option of the far end" 4 "cannot start NPtcp at here: .*--no-such" \
	NPtcp --remote here $HERE --remote-options --no-such $SMALL
refused "what the far end refuses is said once" 2 "at the peer: .* no core 99" \
	NPtcp --remote here $HERE --remote-options "--bind 99" $SMALL

version=$("$far" --version | sed -n '1s/.* //p')
# Its first digit alone: the linker may keep other texts in the end of this one.
other=9${version#?}
LC_ALL=C sed "s/$(printf '%s' "$version" | sed 's/\./\\./g')/$other/g" "$far" >"$work/newer"
LC_ALL=C sed "s/launched/lainched/g" "$far" >"$work/older"
chmod +x "$work/newer" "$work/older"
refused "another version" 4 "here has NPtcp $other, and this is NPtcp $version" \
	NPtcp --remote here --rsh "$work/way" --remote-program "$work/newer" $SMALL
refused "a version from before --remote" 4 "another version, .*--launched" \
	NPtcp --remote here --rsh "$work/way" --remote-program "$work/older" $SMALL

# A stranger who finds the port has no token for it.
start taken NPtcp --remote here $HERE --sizes 64 --time-budget 60 --precision 0
taken=$pid
far_pid()
{
	sed 's/ /\n/g' "/proc/$1/task/$1/children" 2>/dev/null | grep .
}
until_true 20 eval '[ -n "$(far_pid $taken)" ]'
tap_check "the token is in no command line" eval \
	'! tr "\0" "\n" <"/proc/$(far_pid $taken)/cmdline" | grep -Eq "[0-9a-f]{32}"'
kill "$taken"
finish "$taken"

# ---- Who dies first ---------------------------------------------------------
# strike WHO SIGNAL CODE WORDS
strike()
{
	local case=$1.$2 victim
	start "$case" NPtcp --remote here $HERE $SMALL --time-budget 60 --precision 0 \
		--json "$work/$case.json"
	local near=$pid
	until_true 60 visits 12 "$work/$case.json" || { cat "$work/$case.err"; return 1; }
	[ "$1" = near ] && victim=$near || victim=$(far_pid "$near")
	local its_far
	its_far=$(far_pid "$near")
	kill -"$2" "$victim"
	if [ "$1 $2" = "near STOP" ]; then
		until_true 30 ended "$its_far" || { echo "the far end stays"; return 1; }
		kill -CONT "$near"
	fi
	finish "$near" 60
	[ "$code" -eq "$3" ] || { echo "ended with $code, not $3"; return 1; }
	until_true 20 ended "$its_far" || { echo "the far end stays"; return 1; }
	[ -z "$4" ] && return
	one_line "$work/$case.err" NPtcp "$4" || { cat "$work/$case.err"; return 1; }
	has_lines "$work/$case.json" header visit row findings
}
# Side by side, since most of their time is waiting.
strikes=("near:INT:130:stopped by SIGINT" "near:TERM:143:stopped by SIGTERM"
	"near:KILL:137:" "near:STOP:4:at the peer: the peer has not answered"
	"far:INT:4:at the peer: stopped by SIGINT" "far:TERM:4:at the peer: stopped by SIGTERM"
	"far:KILL:4:connection to the peer lost" "far:STOP:4:the peer has not answered for 5 s")
for entry in "${strikes[@]}"; do
	IFS=: read -r who signal wanted words <<<"$entry"
	(
		trap - EXIT
		set -m
		strike "$who" "$signal" "$wanted" "$words" >"$work/$who.$signal.log" 2>&1
		echo $? >"$work/$who.$signal.result"
	) &
done
wait
for entry in "${strikes[@]}"; do
	IFS=: read -r who signal wanted words <<<"$entry"
	[ ! -s "$work/$who.$signal.log" ] || tap_comment "$(cat "$work/$who.$signal.log")"
	tap_result "$(cat "$work/$who.$signal.result")" "$signal to the $who end"
done

# ---- ssh --------------------------------------------------------------------
sshd=$(command -v sshd)
serve_ssh()
{
	local i
	ssh-keygen -q -t ed25519 -N '' -f "$work/host" && ssh-keygen -q -t ed25519 -N '' -f \
		"$work/user" || return
	# It asks for a folder of its own as root, and looks who may write above.
	mkdir -p /run/sshd 2>/dev/null
	ssh_port=$((20000 + RANDOM % 20000))
	cat >"$work/sshd_config" <<-END
		Port $ssh_port
		ListenAddress 127.0.0.1
		ListenAddress ::1
		HostKey $work/host
		AuthorizedKeysFile $work/user.pub
		StrictModes no
		UsePAM no
		PidFile $work/sshd.pid
	END
	"$sshd" -f "$work/sshd_config" -E "$work/sshd.log" || return
	until_true 20 [ -s "$work/sshd.pid" ]
	# It is the slower to begin the busier this host is.
	SOON="--connect-timeout 60"
	SSH="ssh -T -F none -p $ssh_port -i $work/user -o StrictHostKeyChecking=accept-new"
	SSH="$SSH -o UserKnownHostsFile=$work/known -o BatchMode=yes -o LogLevel=ERROR %h"
}
if [ -z "$sshd" ] || ! command -v ssh >/dev/null; then
	tap_skip "by ssh" "no sshd"
elif ! serve_ssh; then
	tap_comment "$(cat "$work/sshd.log" 2>/dev/null)"
	tap_skip "by ssh" "sshd does not start for this user"
else
	me=$(id -un)
	measures "by ssh" "1 64 4096" NPtcp --remote 127.0.0.1 --rsh "$SSH" $SOON \
		--remote-program "$far" $SMALL
	measures "by ssh, user@host" "64" NPtcp --remote "$me@localhost" --rsh "$SSH" $SOON \
		--remote-program "$far" --sizes 64 --time-budget 0.2
	measures "by ssh, IPv6" "64" NPtcp --remote "$me@::1" --rsh "$SSH" $SOON \
		--remote-program "$far" --sizes 64 --time-budget 0.2
	refused "by ssh, no program" 4 "cannot start NPtcp at 127.0.0.1: .*no-such-program" \
		NPtcp --remote 127.0.0.1 --rsh "$SSH" $SOON --remote-program no-such-program $SMALL
	refused "by ssh, no such user" 4 "cannot start NPtcp at no-such-user@127.0.0.1: " \
		NPtcp --remote no-such-user@127.0.0.1 --rsh "$SSH" $SOON $SMALL
	case=ssh
	start ssh NPtcp --remote 127.0.0.1 --rsh "$SSH" $SOON --remote-program "$far" $SMALL \
		--time-budget 60 --precision 0 --json "$work/ssh.json"
	near=$pid
	until_true 60 visits 12 "$work/ssh.json"
	kill -KILL "$near"
	finish "$near"
	far_ends()
	{
		! pgrep -f "$far --launched" >/dev/null
	}
	tap_check "by ssh, killed here, it ends there" until_true 20 far_ends
	start ssh2 NPtcp --remote 127.0.0.1 --rsh "$SSH" $SOON --remote-program "$far" $SMALL \
		--time-budget 60 --precision 0 --json "$work/ssh2.json"
	near=$pid
	until_true 60 visits 12 "$work/ssh2.json"
	kill -KILL "$(far_pid "$near")"
	finish "$near"
	tap_check "where ssh is killed, both end" eval '[ "$code" -eq 4 ] &&
		until_true 20 far_ends && has_lines "$work/ssh2.json" header visit row findings'
	kill "$(cat "$work/sshd.pid")"
fi

# ---- All pairs of hosts that say nothing --------------------------------------
printf 'h1 127.0.0.1\nh2 127.0.0.1\n' >"$work/hosts"
cat >"$work/silent" <<-END
	#!/bin/bash
	case "\$*" in *--host=*) exec sleep 1000 ;; *) exec $NP_BUILDDIR/NPtcp "\$@" ;; esac
END
chmod +x "$work/silent"
pairs=(NPfleet --rsh "env H=%h" --remote-program "$work/silent")
refused "a transmitter that says nothing" 4 "h1: NPtcp at h1 did not start within 8 s" \
	"${pairs[@]}" --hosts "$work/hosts" tcp --sizes 64 --time-budget 0.2
refused "--max-run-time bounds all pairs" 1 "the pairs take longer than 2 s: --max-run-time" \
	"${pairs[@]}" --hosts "$work/hosts" --max-run-time 2 tcp --sizes 64 --time-budget 0.2
seq 4097 | sed 's/^/h/' >"$work/many"
refused "more hosts than a run takes" 2 "has more than 4096 hosts" "${pairs[@]}" --hosts "$work/many" tcp
cli_done
