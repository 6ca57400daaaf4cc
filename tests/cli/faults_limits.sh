# faults_limits.sh - faults of what a run is given: files, limits, and strangers at its port.
# Sourced by cli_faults.sh, which says what a fault is and who judges it.

# ---- Files and limits -------------------------------------------------------
files()
{
	mkdir "$work/full" "$work/readonly"
	mount -t tmpfs -o size=16k tmpfs "$work/full" && mount -t tmpfs -o ro tmpfs "$work/readonly" || {
		tap_skip "full and read-only disks" "no mount"
		return
	}
	begin && far
	ln -s "$work/full/json" "$case.json"
	rows_printed=yes
	strike near -h "$HERE" -P "$port" $LONG --json "$work/full/json"
	judge "disk full under --json" 1 4 "cannot write the result file: No space"
	rows_printed=
	rm -f "$work/full/json"
	head -c 20000 /dev/zero >"$work/full/zeros" 2>/dev/null
	begin && far
	# The result file is complete; what fails is another.
	all_measured=yes
	strike near -h "$HERE" -P "$port" $SHORT -o "$work/full/out" --json "$case.json"
	judge "disk full under -o" 1 "0|4" "cannot write the output file: No space"
	begin && far
	strike near -h "$HERE" -P "$port" $SHORT --json "$work/readonly/json"
	judge "read-only disk under --json" 1 "4|stays" "Read-only"
	begin && far
	near_out=/dev/full
	strike near -h "$HERE" -P "$port" $SHORT --json "$case.json"
	near_out=''
	judge "standard output full" 1 0 "cannot write all of this to standard output"
	all_measured=''
	begin
	strike eval 'ip netns exec h2 "$NP_BUILDDIR/NPtcp" -P "$port" >/dev/full 2>"$case.far.err" </dev/null & far=$!'
	until_true 20 eval 'on 1 "$NP_BUILDDIR/NPtcp" -h "$HERE" -P "$port" --connect-timeout 0 \
		--sizes 64 --time-budget 0.2 >/dev/null 2>&1'
	judge "standard output of the server full" "—" 1 "cannot write all"
	head -c 20000 /dev/zero >"$work/full/zeros" 2>/dev/null
	begin && far --token-file "$work/full/token"
	strike true
	judge "disk full at the server, for its token" "—" 1 "token.*No space"
	begin && far --token-file "$work/readonly/token"
	strike true
	judge "read-only disk at the server, for its token" "—" 1 "token.*Read-only"
	begin
	ip netns exec h2 "$NP_BUILDDIR/NPtcp" -P "$port" --serve >"$case.far.out" 2>/dev/full \
		</dev/null &
	far=$!
	until_true 20 grep -q "waits at port" "$case.far.out"
	crowd 3 20 5
	strike near -h "$HERE" -P "$port" $SHORT --json "$case.json"
	judge "--serve: its standard error is a full disk" 0 stays ""
	begin && far
	mkdir "$case.json"
	strike near -h "$HERE" -P "$port" $SHORT --json "$case.json"
	judge "the result file is a folder" 2 stays "is a folder, not a regular file"
	begin
	strike near -h "$HERE" -P "$port" --token-file "$work/none" $SHORT
	judge "no such token file" 2 "—" "cannot read .*: No such file"
}

limits()
{
	local limit
	# Standard input, output and error are three; and no locked memory, for anybody.
	for limit in "n 4" "n 5" "n 6" "n 8" "n 9" "n 10" "l 0" "v 40000" "c 0"; do
		begin && far
		struck=$(now)
		ip netns exec h1 bash -c "ulimit -$limit; "'exec "$@"' limited "$NP_BUILDDIR/NPtcp" \
			-h "$HERE" -P "$port" $SHORT --json "$case.json" >"$case.near.out" \
			2>"$case.near.err" </dev/null &
		near=$!
		judge "ulimit -$limit at the transmitter" "0|1|4" "0|4|stays" ""
		begin
		struck=$(now)
		ip netns exec h2 bash -c "ulimit -$limit; "'exec "$@"' limited "$NP_BUILDDIR/NPtcp" \
			-P "$port" >"$case.far.out" 2>"$case.far.err" </dev/null &
		far=$!
		until_true 20 eval 'grep -q "waits at" "$case.far.out" || ended "$far"'
		near -h "$HERE" -P "$port" --connect-timeout 0 $SHORT --json "$case.json"
		serves_none=yes
		judge "ulimit -$limit at the server" "0|4" "0|1|stays" ""
		serves_none=
	done
	begin && far --max-memory 1M
	strike near -h "$HERE" -P "$port" --sizes 4M --time-budget 0.3
	judge "a plan above --max-memory" 2 2 "max-memory allows"
	begin && far
	strike near -h "$HERE" -P "$port" --sizes 64 -I --pool 100T
	judge "a pool that no host has" 2 "2|4|stays" "--pool"
}

# ---- Strangers --------------------------------------------------------------
strangers()
{
	local version protocol
	version=$("$NP_BUILDDIR/NPtcp" --version | sed -n '1s/.* //p')
	protocol=$(sed -n 's/.*NP_PROTOCOL = \([0-9]*\).*/\1/p' "$NP_SRCDIR/src/boot/link_handshake.h")
	NP_HELLO=$(perl -e 'print unpack "H*", pack "a8VVa16a16a16", "NetPong\n", @ARGV[0, 1],
		"t" x 16, @ARGV[2, 3]' "$protocol" 1 NPtcp "$version")
	export NP_HELLO
	umask 077
	printf '00112233445566778899aabbccddeeff\n' >"$work/token"
	printf '00112233445566778899aabbccddeefe\n' >"$work/wrong"
	umask 022
	far_token=$work/token
	begin && far --token-file "$work/token"
	strike near -h "$HERE" -P "$port" $SHORT
	judge "token missing" 4 stays "requires a token"
	begin && far --token-file "$work/token"
	strike near -h "$HERE" -P "$port" --token-file "$work/wrong" $SHORT
	judge "token wrong" 4 stays "its token is wrong"
	replay
	far_token=''
	begin && far
	strike near -h "$HERE" -P "$port" --token-file "$work/token" $SHORT
	judge "an open end where one with the token should be" 4 stays "does not have the token"
	begin && far --allow 10.77.0.3/32
	strike near -h "$HERE" -P "$port" --connect-timeout 0 $SHORT
	serve_from=3
	judge "address not in --allow" 4 stays "closed the connection"
	serve_from=1
	begin && far
	strike crowd 3 1000 3
	near -h "$HERE" -P "$port" $SHORT --json "$case.json"
	judge "a run after 1000 unauthenticated connections with fuzzed handshakes" 0 0 ""
	begin && far
	near -h "$HERE" -P "$port" $LONG --time-budget 3 --json "$case.json"
	until_true 60 visits 3 "$case.json"
	strike crowd 3 300 4
	judge "300 unauthenticated connections during a run" 0 0 ""
	silent 200
	listeners
}

crowd() # HOST COUNT SEED
{
	on "$1" perl "$NP_SRCDIR/tests/lib/strangers.pl" "$HERE" "$port" "$2" "$3" >/dev/null
}

# What was said with the right token, said again.
replay()
{
	begin && far --token-file "$work/token" --serve
	ip netns exec h3 perl "$NP_SRCDIR/tests/lib/between.pl" "$(address 3)" "$port" "$HERE" "$port" never \
		"$case" 2>/dev/null &
	halt=$!
	until_true 20 [ -e "$case.ready" ]
	on 1 "$NP_BUILDDIR/NPtcp" -h "$(address 3)" -P "$port" --token-file "$work/token" \
		--sizes 64 --time-budget 0.2 >/dev/null 2>&1
	struck=$(now)
	on 3 perl -MIO::Socket::IP -e '
		my $peer = IO::Socket::IP->new(PeerHost => $ARGV[0], PeerPort => $ARGV[1]) or die;
		open my $said, "<:raw", $ARGV[2] or die;
		local $/;
		syswrite $peer, scalar <$said>;
		$peer->shutdown(1);
		print scalar <$peer>' "$HERE" "$port" "$case.said" >"$case.heard" 2>/dev/null
	good=1
	tr -d '\0' <"$case.heard" | grep -aq "its token is wrong" && good=0
	[ -s "$case.said" ] || good=1
	tap_result "$good" "token replayed"
	printf '| token replayed | — | waits on | its token is wrong | %s | — |\n' \
		"$(awk -v a="$struck" -v b="$(now)" 'BEGIN { printf "%.1f", (b - a) / 1e9 }')" >>"$table"
	kill "$halt" "$far" 2>/dev/null
	until_true 20 ended "$far"
}

silent() # COUNT
{
	begin && far
	ip netns exec h3 perl -MIO::Socket::IP -e '
		my @all = map { IO::Socket::IP->new(PeerHost => $ARGV[0], PeerPort => $ARGV[1],
			Timeout => 5) } 1 .. $ARGV[2];
		open my $mark, ">", $ARGV[3]; close $mark; sleep 30' "$HERE" "$port" "$1" "$case.silent" &
	local quiet=$!
	until_true 20 [ -e "$case.silent" ]
	strike near -h "$HERE" -P "$port" $SHORT --json "$case.json"
	judge "a run past $1 who connect and say nothing" 0 0 ""
	kill "$quiet" 2>/dev/null
}

# What listens is no NetPong.
listeners()
{
	local entry name words perl server
	for entry in "says nothing:did not answer within:" \
		"speaks HTTP:not NetPong:print \$guest qq(HTTP/1.1 400 Bad Request\r\n\r\n);" \
		"hangs up:closed the connection:close pop @all;" \
		"welcomes and says no more:the peer:syswrite \$guest, qq(NP\x01) . chr(0) x 5;" \
		"announces 4 GB:not NetPong:syswrite \$guest, qq(NP\x01\x00\xff\xff\xff\xff);" \
		"says noise:\(not NetPong\|the peer\):syswrite \$guest, pack q(C*), map { rand 256 } 0 .. 99;" \
		"refuses in commands to a terminal:the peer refused. ?\[2J no ?2J?$:syswrite \$guest, qq(NP\x02) . pack(q(xV a*), 12, qq(\e[2J no \x9b2J\xff));" \
		"welcomes, then noise:the peer:syswrite \$guest, qq(NP\x01) . chr(0) x 5 . pack(q(C*), map { rand 256 } 0 .. 99);"; do
		IFS=: read -r name words perl <<<"$entry"
		begin
		ip netns exec h2 perl -MIO::Socket::IP -e '
			$SIG{PIPE} = "IGNORE"; $| = 1; my @all;
			my $server = IO::Socket::IP->new(LocalHost => $ARGV[0], LocalPort => $ARGV[1],
				Listen => 5, ReuseAddr => 1) or die;
			open my $mark, ">", $ARGV[2]; close $mark;
			while (my $guest = $server->accept) { push @all, $guest; '"$perl"' }' \
			"$HERE" "$port" "$case.ready" 2>/dev/null &
		server=$!
		until_true 20 [ -e "$case.ready" ]
		strike near -h "$HERE" -P "$port" --connect-timeout 1 $SHORT
		judge "what listens $name" 4 "—" "$words"
		kill "$server" 2>/dev/null
	done
}
