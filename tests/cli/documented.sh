#!/bin/bash
# Every command that README.md, CONTRIBUTING.md, doc/, the manual pages and "netpong examples"
# show is run as it stands there, between two hosts where it names one; documented.pl finds
# them, so that a new one is run without being named here.  (first_steps.sh has doc/first-steps.md.)
#
# Programs, launchers and ssh come from a folder of ours: a program then measures for a part of a
# second, finds the server that the page starts, or else one without options, and ssh enters the
# other host.  Targets of make are looked up, and not made.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
. "$NP_SRCDIR/tests/hosts/hosts.sh" || exit 99
need NPtcp NPshm NPsim NPreport NPfleet netpong
[ "${NP_SANITIZERS:-no}" = no ] || tap_skip_all "built with sanitizers"
enter_hosts
make_hosts 2
for i in 1 2; do ip -n h$i address add 127.0.0.2/8 dev lo; done

# What cannot run here: words of a command, and why.  One that no page has fails.
cannot=(
	"netpong record.*COMMAND|needs a program to record: cli_record.sh"
	"nft add|changes the firewall of the host"
	"^srun|needs Slurm: slurm_job.sh"
	"mpiexec -n 64|is of 64 ranks"
	"^ompi=|mpiexec[.]openmpi|--allow-run-as-root|needs an NPmpi of Open MPI"
	"mpiexec.* --?hosts?|runs between hosts: mpi_hosts.sh"
	"--tls rc|NPofi .*verbs|NPibv --list|odp-implicit|(regions|qps) 4096|needs an adapter"
	"core:4|is of four cores"
	"--pages 2m|needs huge pages"
)

# ---- What stands in place of the programs ------------------------------------------
bin=$work/bin here=$work/here
mkdir "$bin" "$here"
cat >"$bin/NPtcp" <<'SHIM'
#!/bin/bash
# A program for a part of a second.
name=${0##*/}
words=" $* "
real=("$NP_BUILDDIR/$name")
if [ "$name" = netpong ]; then
	real+=("$1")
	shift
	case ${real[1]} in
	tcp | ibv | ucx | ofi | shm | mpi | sim) name=NP${real[1]} ;;
	fleet) name=NPfleet ;;
	report) exec "$NP_BUILDDIR/NPreport" "$@" ;;
	*) exec "${real[@]}" "$@" ;;
	esac
fi
case $words in
*" --launched "* | *" --list-devices "* | *" --fleet "*) exec "${real[@]}" "$@" ;;
esac
more=(--time-budget 0.1)
case $words in *" --runs "*) more+=(--runs 2) ;; esac
case $words in
*" --sizes "* | *" --replay "* | *" --why "* | *" --capacity "* | *" --expect "*) ;;
*) more+=(-l 64 -u 64) ;;
esac
case $words in
*" -s "* | *" --pool "*) ;;
*" -I "* | *" --nocache "* | *" --why "* | *" --capacity "* | *" --buffers "*) more+=(--pool 8M --passes 1) ;;
esac
case $words in *" --memory "*) export LD_LIBRARY_PATH=$NP_GPU NP_FAKE_GPU_LOG=/dev/null ;; esac
server=()
[ ! -s "$NP_SERVERS/$name" ] || mapfile -t server <"$NP_SERVERS/$name"
case $name$words in
NPibv*)
	# Over the device in memory, whose program is both processes.
	all=("$@") && set --
	for ((i = 0; i < ${#all[@]}; i++)); do
		case ${all[i]} in
		-h) i=$((i + 1)) ;;
		--local) ;;
		*) set -- "$@" "${all[i]}" ;;
		esac
	done
	export NP_FAKE_PORT=$((20000 + RANDOM % 12000))
	exec "$NP_BUILDDIR/tests/verbs/fake_program" "$@" "${more[@]}"
	;;
*" -h "*)
	log=$(mktemp)
	ip netns exec h1 timeout 60 "$NP_BUILDDIR/$name" "${server[@]}" >"$log" &
	for ((i = 0; i < 200; i++)); do
		! grep -q "waits at port" "$log" || break
		sleep 0.05
	done
	"${real[@]}" "$@" "${more[@]}"
	code=$?
	kill %1 2>/dev/null
	wait
	exit $code
	;;
esac
exec "${real[@]}" "$@" "${more[@]}"
SHIM
cat >"$bin/ssh" <<'SHIM'
#!/bin/bash
while [[ $1 = -* ]]; do
	case $1 in -o) shift ;; esac
	shift
done
case $1 in h2) host=h2 ;; *) host=h1 ;; esac
shift
exec ip netns exec $host bash -c "$*"
SHIM
chmod +x "$bin"/*
for name in NPibv NPucx NPofi NPshm NPmpi NPsim NPfleet netpong; do
	[ ! -x "$NP_BUILDDIR/$name" ] || cp "$bin/NPtcp" "$bin/$name"
done
ln -s "$NP_BUILDDIR/NPreport" "$bin/NPreport"
read -r -a launcher <<<"${NP_JOB_COMMAND:-mpiexec -n 2}"
# Eight ranks that poll take four times the processor of four.
printf '%s\n' '#!/bin/bash' '[ "$1 $2" != "-n 8" ] || set -- -n 4 "${@:3}"' \
	"exec $(command -v "${launcher[0]}") \"\$@\"" | tee "$bin/mpiexec" >"$bin/mpirun"
chmod +x "$bin/mpi"*
for name in mpi tcp; do ln -s "$bin/NP$name" "$here/NP$name"; done
. "$NP_SRCDIR/tests/lib/fake_gpu.sh"
export NP_BUILDDIR NP_GPU=$work/gpu NP_SERVERS=$work/servers HOME=$here
sed 's/.*/& HOST host a peer/' <<<"$(address 1)" >"$work/names"
mount --bind "$work/names" /etc/hosts || tap_skip_all "no mount for names of hosts"

# Files that a page names and none of its commands writes.
printf 'h1 %s\nh2 %s\n' "$(address 1)" "$(address 2)" | tee "$here/hosts" >"$here/hosts.txt"
printf 'h1 one\nh2 two\n' >"$here/racks"
mkdir "$here/doc"
ln -s "$NP_SRCDIR/doc/mpich-rc_verbs.jsonl" "$here/doc"
cp "$NP_SRCDIR/tests/data/import/osu_latency.txt" "$here"
"$NP_BUILDDIR/NPsim" -I --quick --seed 1 --json "$here/shm.jsonl" >"$work/sim.out" ||
	tap_bail "NPsim has made no file"
# Programs that doc/record.md records.
ln -s "$NP_BUILDDIR"/examples/halo_* "$here"
for name in {tcp,ucx,mpi}-1.jsonl {mpi,record,replay}.jsonl mpi2.json FILE; do cp "$here/shm.jsonl" "$here/$name"; done

# ---- The commands -------------------------------------------------------------------
"$NP_BUILDDIR/netpong" examples >"$work/examples"
(cd "$NP_SRCDIR" && perl tests/cli/documented.pl README.md CONTRIBUTING.md $(ls doc/*.md |
	grep -v first-steps) man/*.mdoc "$work/examples") >"$work/commands" ||
	tap_bail "no commands"

why_not() # COMMAND: the reason, of one that cannot run here
{
	local pattern
	for pattern in "${cannot[@]}"; do
		if grep -Eq -e "${pattern%|*}" <<<"$1"; then
			echo "$pattern" >>"$work/not"
			echo "${pattern##*|}"
			return
		fi
	done
	return 1
}

# What is made: the target or the script exists.
made() # COMMAND
{
	local word found=1
	for word in ${1%%#*}; do
		case $word in
		*=* | -* | *\") ;;
		./quickstart | ./bootstrap | ./configure | tests/* | ../tests/* | ./*)
			[ -e "$NP_SRCDIR/${word#../}" ] || [ -e "$NP_BUILDDIR/$word" ] ||
				{ echo "there is no $word"; return 1; }
			found=0 ;;
		make | bash | perl) ;;
		*) ! grep -q "^$word:" "$NP_BUILDDIR/Makefile" || found=0 ;;
		esac
	done
	return $found
}

runs() # COMMAND
{
	(cd "$here" && PATH=$bin:$PATH on 2 timeout -k 5 "$LIMIT" bash -e -c "$1") \
		>"$out" 2>"$err" </dev/null
	code=$?
	case $code$1 in
	0* | 3*doctor | [36]*--expect* | [36]*--compare*) return ;;
	esac
	show_run
	return 1
}

# A server's command is that of the clients which follow on its page.
is_server() # HOST COMMAND
{
	local first
	[ "$1" != a ] || return 0
	first=${2/#netpong /NP}
	case ${first%% *} in NPtcp | NPibv | NPucx | NPofi) ;; *) return 1 ;; esac
	! grep -Eq -e '-h |--(local|remote|list-devices|dry-run)' <<<"$2"
}

mkdir "$work/servers"
page='' server=''
declare -A done=()
while IFS=$'\t' read -r where host command; do
	command=${command//$'\x01'/$'\n'}
	name="${where##*/}: ${command//$'\n'*/ ...}"
	if [ "${where%:*}" != "$page" ]; then
		[ -z "$server" ] || tap_result 1 "$server: no client uses it"
		page=${where%:*} server=''
		rm -f "$work/servers/"*
	fi
	[ -z "${done[$host$command]:-}" ] || continue
	if reason=$(why_not "$command"); then
		tap_skip "$name" "$reason"
	elif is_server "$host" "$command"; then
		server=$name
		command=${command/#netpong /NP}
		eval "words=(${command/\~/$here})"
		printf '%s\n' "${words[@]:1}" | sed '/^$/d' >"$work/servers/${words[0]}"
		continue
	elif [[ $command = @(make|bash|perl|./|[A-Z_]*=*make|tests/|NP_SRCDIR)* ]]; then
		tap_check "$name" made "$command"
	else
		tap_check "$name" runs "$command"
		# It had that server; further clients have one without options.
		case $command in *-h\ *) server='' && rm -f "$work/servers/"* ;; esac
	fi
	done[$host$command]=yes
done <"$work/commands"

listed()
{
	local pattern
	[ "$(sort -u "$work/not" | wc -l)" -eq "${#cannot[@]}" ] && return
	for pattern in "${cannot[@]}"; do
		grep -qxF -e "$pattern" "$work/not" || echo "no page has ${pattern%|*}"
	done
	return 1
}
tap_check "what cannot run here is documented" listed
tap_check "pages have commands" [ "$tap_count" -ge 150 ]
cli_done
