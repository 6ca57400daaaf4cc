#!/usr/bin/perl
# liar.pl PROGRAM CHECKER FOLDER JOBS [NAME] - runs whose client or server lies once.
#
# A case is a server, a client, and a relay between them that reads the frames of
# doc/protocol.md and changes one: so each lie is told in the middle of an honest run.
# CHECKER FILE is to find the result file valid.  A line for each case on standard
# output: "ok" or "bad", its name, and what came of it, separated by tabs.  JOBS cases run
# at a time; with NAME, those whose names begin so.
use strict;
use warnings;
use IO::Select;
use IO::Socket::IP;
use POSIX qw(:sys_wait_h);
use Socket qw(IPPROTO_TCP TCP_NODELAY);
use Time::HiRes qw(time);

my ($program, $checker, $folder, $jobs, $only) = @ARGV;
# Seconds: from the lie to the end of both, and of an honest run until the lie.
# Ten times what they take on a busy machine, where sanitizers look for leaks, too.
my $DEADLINE = ($ENV{NP_SANITIZERS} // 'no') eq 'no' ? 20 : 60;
my $PATIENCE = 80;
my @ENDINGS = (0, 1, 2, 4, 5);    # of netpong(7), but signals and verdicts
$SIG{PIPE} = 'IGNORE';

# ---- Frames of doc/protocol.md ---------------------------------------------------------
my %FRAME = (WELCOME => 1, REFUSAL => 2, PLAN => 3, COMMAND => 4, REPLY => 5, EXCHANGE => 6,
	HEARTBEAT => 7, GOODBYE => 8, CHALLENGE => 9, BUSY => 11);
my %COMMAND = (OPEN => 1, MAP => 3, UNMAP => 4, ARM => 5, DISARM => 6, CORE => 7,
	BLOCK => 8, PROBE => 10, END => 11);
# Positions of the numbers of a command.
my %NUMBER = (kind => 0, length => 1, mode => 3, messages => 6, batches => 7,
	timeout => 8, variant => 10, axis => 11, buffers => 12, pages => 15, regions => 16,
	align => 17, offset => 18, wait => 20);

sub frame { pack 'a2vVa*', 'NP', $_[0], length $_[1], $_[1] }
sub reply { pack 'VVZ*a*', $_[0], $_[1], $_[2], $_[3] // '' }

# ---- Lies: from the payload of a frame, the bytes that are sent in its place ----------

sub says { my $new = shift; sub { frame($_[0], $new) } }
sub as { my $kind = $FRAME{$_[0]}; sub { frame($kind, $_[1]) } }
sub raw { my $bytes = shift; sub { $bytes } }
sub short { sub { frame($_[0], substr $_[1], 0, 3) } }
sub longer { my $by = shift; sub { frame($_[0], $_[1] . "\0" x $by) } }
sub huge { sub { pack 'a2vV', 'NP', $_[0], 0xffffffff } }
sub twice { sub { frame(@_) . frame(@_) } }
sub number
{
	my ($name, $value) = @_;
	sub {
		my ($kind, $payload) = @_;
		substr($payload, 8 * $NUMBER{$name}, 8) = pack 'Q<', $value;
		frame($kind, $payload);
	}
}
# A fact of a reply, or an option of a plan: replaced, or added.
sub fact
{
	my ($name, $value) = @_;
	sub {
		my ($kind, $payload) = @_;
		# A number keeps its unit and source.
		my $number = $value =~ /^-?[0-9]+$/;
		$payload =~ s/(^|[\n\0])$name=[^\t\n]*(\t[^\n]*)?\n/
			"$1$name=$value" . ($number && defined $2 ? $2 : '') . "\n"/e or
			$payload .= "$name=$value\n";
		frame($kind, $payload);
	}
}
# The hello has no frame.
sub hello { my ($at, $bytes) = @_; sub { substr($_[1], $at, length $bytes) = $bytes; $_[1] } }

# Characters that direct a terminal: a control of C1, and one that reverses what follows.
my $TERMINAL = "\xc2\x9b2J\xe2\x80\xaeno";
my $SILENT = 'silent';      # nothing more on this link, in this direction
my $SLOW = 'slow';          # a byte a second
my $LEAVE = 'goodbye';      # GOODBYE without an error on the other link, and goes on

# ---- The table: liar, link, frame (and command), lie, status of the one lied to --------
# "waits" is a server that goes on listening, and serves an honest client then.  More than one status: separated by spaces.
# A seventh element is what the one lied to prints.
my @cases = (
	['client', 'control', 'hello', 'another protocol', hello(8, pack 'V', 99), 'waits'],
	['client', 'control', 'hello', 'no such link', hello(12, pack 'V', 77), 'waits'],
	['client', 'control', 'hello', 'another program', hello(32, "NPxyz\0"), 'waits'],
	['client', 'control', 'hello', 'commands to a terminal', hello(32, "\e[2J\x9b\0"),
		'waits'],
	['client', 'control', 'hello', 'slow', $SLOW, 'waits'],
	['client', 'control', 'hello', 'silent', $SILENT, 'waits'],
	# Dropped after three seconds, and opened again.
	['client', 'watch', 'hello', 'silent', $SILENT, 0],
	['client', 'watch', 'hello', 'of another run', hello(16, 'x' x 16), 'waits'],
	['server', 'control', 'WELCOME', 'another kind', as('REPLY'), 4],
	['server', 'control', 'WELCOME', 'huge', huge(), 4],
	['server', 'control', 'WELCOME', 'silent', $SILENT, 4],
	['server', 'control', 'WELCOME', 'a refusal for a terminal',
		raw(frame($FRAME{REFUSAL}, "\e[2J$TERMINAL no\n")), 4],
	['server', 'watch', 'WELCOME', 'silent', $SILENT, 4],
);
for my $who ('client', 'server') {
	my $waits = $who eq 'client' ? 'waits' : 4;
	push @cases, (
		[$who, 'control', 'EXCHANGE', 'short', short(), $waits],
		[$who, 'control', 'EXCHANGE', 'another kind', as('HEARTBEAT'), $waits],
		[$who, 'control', 'EXCHANGE', 'silent', $SILENT, $waits],
		[$who, 'control', 'EXCHANGE', 'goodbye', $LEAVE, "$waits 4"],
		# The cores, after the plan.
		[$who, 'control', 'EXCHANGE 2', 'long', longer(8), 4],
		[$who, 'control', 'EXCHANGE 2', 'silent', $SILENT, 4],
		# Of the module, in OPEN; then the barrier of a block.
		[$who, 'control', 'EXCHANGE OPEN', 'long', longer(65536), 4],
		[$who, 'control', 'EXCHANGE OPEN', 'silent', $SILENT, 4],
		[$who, 'control', 'EXCHANGE BLOCK', 'long', longer(5), 4],
		[$who, 'control', 'EXCHANGE BLOCK', 'slow', $SLOW, 4],
		[$who, 'control', 'EXCHANGE BLOCK', 'goodbye', $LEAVE, 4],
		[$who, 'watch', 'HEARTBEAT 2', 'short', short(), 4],
		[$who, 'watch', 'HEARTBEAT 2', 'another kind', as('PLAN'), 4],
		[$who, 'watch', 'HEARTBEAT 2', 'huge', huge(), 4],
		[$who, 'watch', 'HEARTBEAT 2', 'silent', $SILENT, 4],
		[$who, 'watch', 'HEARTBEAT 2', 'slow', $SLOW, 4],
		[$who, 'watch', 'HEARTBEAT 2', 'a goodbye of two bytes',
			raw(frame($FRAME{GOODBYE}, "\0\0")), 4],
		[$who, 'watch', 'HEARTBEAT 2', 'an error for a terminal',
			raw(frame($FRAME{GOODBYE}, reply(0x80000000, 99, "\e[2J$TERMINAL"))), 4],
		[$who, 'watch', 'HEARTBEAT 2', 'a reason that comes back',
			raw(frame($FRAME{GOODBYE}, reply(5, 4, 'at the peer: no'))), 4],
		[$who, 'watch', 'HEARTBEAT 2', 'a text without end',
			raw(frame($FRAME{GOODBYE}, pack('VV', 5, 4) . 'x' x 900000)), 4],
	);
}
push @cases, (
	['client', 'control', 'PLAN', 'another kind', as('COMMAND'), 'waits'],
	['client', 'control', 'PLAN', 'huge', huge(), 'waits'],
	['client', 'control', 'PLAN', 'silent', $SILENT, 'waits'],
	['client', 'control', 'PLAN', 'slow', $SLOW, 'waits'],
	['client', 'control', 'PLAN', 'goodbye', $LEAVE, 'waits 4'],
	['client', 'control', 'PLAN', 'no option', says("no-such=1\n"), 'waits'],
	['client', 'control', 'PLAN', 'no line', says("sizes"), 'waits'],
	['client', 'control', 'PLAN', 'a name for a terminal', says("$TERMINAL=1\n"), 'waits'],
	['client', 'control', 'PLAN', 'a value for a terminal', fact('sizes', $TERMINAL), 'waits'],
	['client', 'control', 'PLAN', 'a local option', fact('token-file', '/etc/passwd'), 'waits'],
	['client', 'control', 'PLAN', 'no value', fact('pool', '100T'), 'waits'],
	['client', 'control', 'PLAN', 'negative', fact('passes', '-1'), 'waits'],
	['client', 'control', 'PLAN', 'NaN', fact('time-budget', 'nan'), 'waits'],
	['client', 'control', 'PLAN', 'sizes beyond all', fact('sizes', '64,99999999T'), 'waits'],
	['client', 'control', 'PLAN', 'twice', twice(), 4],
	['server', 'control', 'REPLY PLAN', 'short', short(), 4],
	['server', 'control', 'REPLY PLAN', 'another kind', as('COMMAND'), 4],
	['server', 'control', 'REPLY PLAN', 'silent', $SILENT, 4],
	['server', 'control', 'REPLY PLAN', 'slow', $SLOW, 4],
	['server', 'control', 'REPLY PLAN', 'goodbye', $LEAVE, 4],
	['server', 'control', 'REPLY PLAN', 'twice', twice(), 4],
	['server', 'control', 'REPLY PLAN', 'no errno', says(reply(0xffffffff, 4, 'no')), 4],
	['server', 'control', 'REPLY PLAN', 'its data are damaged', says(reply(5, 5, 'no')), 5],
	['server', 'control', 'REPLY PLAN', 'an error of 900000 bytes',
		says(pack('VV', 5, 4) . 'x' x 900000), 4],
	['server', 'control', 'REPLY PLAN', 'a host for a terminal', fact('host', $TERMINAL), 0],
	['server', 'control', 'REPLY PLAN', 'a kernel for a terminal',
		fact('kernel', $TERMINAL), 0],
	['server', 'control', 'REPLY PLAN', 'a fact for a terminal',
		fact('warning_terminal', $TERMINAL), 0],
	['server', 'control', 'REPLY PLAN', 'no UTF-8', fact('kernel', "\xff\xfe \xc0\x80"), 0],
	['server', 'control', 'REPLY PLAN', 'a megabyte of facts',
		raw(frame($FRAME{REPLY}, pack('VV', 0, 0) . "\0" .
			join('', map { "f$_=1\n" } 1 .. 90000))), 0],
	['server', 'control', 'REPLY PLAN', 'a number for a terminal',
		fact('cache_l2_bytes', $TERMINAL), 4],
	['server', 'control', 'REPLY PLAN', 'memory below zero',
		fact('memory_available_bytes', -1), 4],
	['server', 'control', 'REPLY PLAN', 'memory of 2^64 - 1',
		fact('memory_available_bytes', '18446744073709551615'), 4],
	['server', 'control', 'REPLY PLAN', 'NaN', fact('cache_last_level_bytes', 'nan'), 4],
	['server', 'control', 'REPLY PLAN', 'a cache of 2^63',
		fact('cache_last_level_bytes', '9223372036854775808'), 4],
	['server', 'control', 'REPLY PLAN', 'a cache without a size',
		fact('cache_last_level_bytes', 'not reported'), 0],
	# The pool of a plan without --pool, of which --max-memory prints how large it is: 4 TiB
	# by that cache, some GiB by the largest of today.
	['server', 'control', 'REPLY PLAN', 'a cache of 1 TiB', sub {
		my ($kind, $payload) = @_;
		$payload = substr fact('memory_available_bytes', 1 << 55)->($kind, $payload), 8;
		fact('cache_last_level_bytes', 1 << 40)->($kind, $payload);
	}, 2, qr/takes \d{1,10} bytes/],
	['server', 'control', 'REPLY PLAN', 'no memory', fact('memory_available_bytes', 1), 2],
);
for my $case (['OPEN', 'length', 1 << 20], ['MAP', 'length', 0], ['MAP', 'length', 1 << 62],
	['MAP', 'regions', 1 << 24], ['MAP', 'align', 3], ['MAP', 'pages', 77],
	['MAP', 'offset', 1 << 40], ['ARM', 'length', 1 << 40], ['ARM', 'length', 0],
	['ARM', 'variant', 9], ['ARM', 'wait', 1], ['PROBE', 'length', 1 << 50],
	['BLOCK', 'mode', 99], ['BLOCK', 'messages', 0], ['BLOCK', 'messages', 1 << 62],
	['BLOCK', 'batches', 1 << 50], ['BLOCK', 'timeout', 0], ['BLOCK', 'axis', 99],
	['BLOCK', 'axis', 1], ['UNMAP', 'kind', 1], ['DISARM', 'kind', 3],
	['OPEN', 'kind', 0], ['OPEN', 'kind', 99], ['OPEN', 'kind', 1 << 32],
	['OPEN', 'kind', 2], ['OPEN', 'kind', 3], ['OPEN', 'kind', 5], ['OPEN', 'kind', 6],
	['OPEN', 'kind', 8], ['OPEN', 'kind', 9], ['OPEN', 'kind', 10], ['MAP', 'kind', 8],
	['MAP', 'kind', 4], ['ARM', 'kind', 8], ['ARM', 'kind', 9], ['BLOCK', 'kind', 9],
	['BLOCK', 'kind', 2], ['BLOCK', 'kind', 4], ['BLOCK', 'kind', 10]) {
	my ($command, $name, $value) = @$case;
	# What a command has no use for does no harm.
	push @cases, ['client', 'control', "COMMAND $command", "$name $value",
		number($name, $value), "$command $name" =~ /OPEN length|ARM wait/ ? 0 : 4];
}
push @cases, (
	['client', 'control', 'COMMAND OPEN', 'short', short(), 4],
	['client', 'control', 'COMMAND OPEN', 'long', longer(8), 4],
	['client', 'control', 'COMMAND OPEN', 'another kind', as('REPLY'), 4],
	['client', 'control', 'COMMAND OPEN', 'ends the run', number('kind', 11), 0],
	['client', 'control', 'COMMAND OPEN', 'twice', twice(), 4],
	['client', 'control', 'COMMAND OPEN', 'silent', $SILENT, 4],
	['client', 'control', 'COMMAND MAP', 'slow', $SLOW, 4],
	['client', 'control', 'COMMAND BLOCK', 'goodbye', $LEAVE, 4],
	['client', 'control', 'COMMAND BLOCK', 'fewer messages', number('batches', 1), '0 4'],
	['client', 'control', 'COMMAND BLOCK', 'more messages', number('messages', 1 << 20), 4],
	['client', 'data', 'hello', 'of another run', hello(16, 'x' x 16), 4],
	['client', 'data', 'hello', 'silent', $SILENT, 0],
);
for my $command ('OPEN', 'MAP', 'PROBE', 'BLOCK', 'END') {
	push @cases, (
		['server', 'control', "REPLY $command", 'short', short(), 4],
		['server', 'control', "REPLY $command", 'another kind', as('EXCHANGE'), 4],
		['server', 'control', "REPLY $command", 'silent', $SILENT, 4],
		['server', 'control', "REPLY $command", 'slow', $SLOW, 4],
		# After END it may.
		['server', 'control', "REPLY $command", 'goodbye', $LEAVE,
			$command eq 'END' ? 0 : 4],
	);
}
push @cases, (
	['server', 'control', 'REPLY MAP', 'NaN', fact('huge_share', 'nan'), 4],
	['server', 'control', 'REPLY MAP', 'twice as much', fact('huge_share', 2), 4],
	['server', 'control', 'REPLY PROBE', 'NaN', fact('rotate_ns', 'nan'), 4],
	['server', 'control', 'REPLY PROBE', 'infinite', fact('reuse_ns', 'inf'), 4],
	['server', 'control', 'REPLY PROBE', 'negative', fact('cache_ns', '-1'), 4],
	['server', 'control', 'REPLY PROBE', 'no such verdict', fact('verdict', 99), 4],
	['server', 'control', 'REPLY BLOCK', 'a negative count', fact('migrations', '-1'), 4],
	['server', 'control', 'REPLY BLOCK', 'a huge count',
		fact('migrations', '18446744073709551615'), 4],
	['server', 'control', 'REPLY OPEN', 'a fact for a terminal',
		fact('receive_buffer', $TERMINAL), 0],
	['server', 'control', 'REPLY BLOCK', 'no name', fact('A b', '1'), 4],
	['server', 'data', 'WELCOME', 'silent', $SILENT, 4],
	['server', 'data', 'WELCOME', 'another kind', as('BUSY'), 4],
);

# ---- The relay ------------------------------------------------------------------------

my %LINK = (1 => 'control', 2 => 'watch', 3 => 'data');
my ($case, $told, %seen, $command);

sub is_the_one
{
	my ($who, $link, $name) = @_;
	my ($liar, $its_link, $wanted) = @$case;
	return 0 if defined $told || $who ne $liar || $link ne $its_link;
	my ($frame, $which) = split ' ', $wanted;
	return 0 if $frame ne $name;
	return $command eq $which if defined $which && $which =~ /[A-Z]/;
	return ++$seen{$name} == ($which // 1);
}

# Puts what comes from one side into what goes to the other, but for the lie.
sub pass
{
	my ($line, $name, $kind, $payload) = @_;
	my $whole = $name eq 'hello' ? $payload : frame($kind, $payload);
	if (is_the_one($line->{who}, $line->{link}, $name)) {
		my $lie = $case->[4];
		$told = time;
		if ($lie eq $SILENT) {
			$line->{silent} = 1;
		} elsif ($lie eq $SLOW) {
			$line->{slow} = time;
		} elsif ($lie eq $LEAVE) {
			my $watch = $line->{links}{watch}{$line->{who}};
			$watch->{out} .= frame($FRAME{GOODBYE}, reply(0, 0, '')) if $watch;
		} else {
			$whole = $lie->($kind, $payload);
		}
	}
	$line->{out} .= $whole unless $line->{silent};
}

sub read_frames
{
	my ($line) = @_;
	if ($line->{who} eq 'client' && !$line->{greeted}) {
		return if length $line->{in} < 64;
		my $hello = substr $line->{in}, 0, 64, '';
		my $link = $LINK{unpack 'x12V', $hello} // 'control';
		$line->{greeted} = 1;
		$_->{link} = $link for $line, $line->{back};
		$line->{links}{$link} = { client => $line, server => $line->{back} };
		pass($line, 'hello', 0, $hello);
	}
	# After its welcome a data link has no frames.
	my $raw = $line->{link} eq 'data' && ($line->{who} eq 'client' || $line->{welcomed});
	while (!$raw && length $line->{in} >= 8) {
		my ($kind, $length) = unpack 'x2vV', $line->{in};
		return if length $line->{in} < 8 + $length;
		my $payload = substr $line->{in}, 0, 8 + $length, '';
		$payload = substr $payload, 8;
		my ($name) = grep { $FRAME{$_} == $kind } keys %FRAME;
		$command = 'PLAN' if $kind == $FRAME{PLAN};
		if ($kind == $FRAME{COMMAND}) {
			my $number = unpack 'Q<', $payload;
			($command) = grep { $COMMAND{$_} == $number } keys %COMMAND;
			$command //= 'none';
		}
		pass($line, $name // 'none', $kind, $payload);
		if ($line->{link} eq 'data') {
			$line->{welcomed} = $raw = 1;
		}
	}
	if ($raw && !$line->{silent}) {
		$line->{out} .= $line->{in};
		$line->{in} = '';
	}
}

# Returns false when the line is over.
sub write_out
{
	my ($line) = @_;
	my $length = length $line->{out};
	if (defined $line->{slow}) {
		return 1 if time < $line->{slow} || !$length;
		$line->{slow} = time + 1;
		$length = 1;
	}
	return 1 unless $length;
	my $put = syswrite $line->{to}, $line->{out}, $length;
	return $!{EAGAIN} unless defined $put;
	substr($line->{out}, 0, $put) = '';
	return 1;
}

sub connect_both
{
	my ($listener, $port, $links, $all) = @_;
	my $client = $listener->accept or return;
	my $server = IO::Socket::IP->new(PeerHost => '127.0.0.1', PeerPort => $port) or return;
	my @lines;
	for ([client => $client, $server], [server => $server, $client]) {
		my ($who, $from, $to) = @$_;
		setsockopt $from, IPPROTO_TCP, TCP_NODELAY, 1;
		$from->blocking(0);
		push @lines, { who => $who, from => $from, to => $to, in => '', out => '',
			links => $links, link => 'control' };
	}
	@$_{'back'} = $lines[$_ == $lines[0] ? 1 : 0] for @lines;
	$all->add($client, $server);
	return @lines;
}

sub start
{
	my ($name, @words) = @_;
	unlink "$name.out", "$name.err";
	my $pid = fork // die "fork: $!";
	return $pid if $pid;
	open STDIN, '<', '/dev/null';
	open STDOUT, '>', "$name.out";
	open STDERR, '>', "$name.err";
	exec @words or exit 99;
}

sub contents { open my $file, '<:raw', $_[0] or return ''; local $/; <$file> // '' }

sub port_of
{
	my ($name) = @_;
	for (1 .. 400) {
		return $1 if contents("$name.out") =~ /waits at port (\d+)/;
		select undef, undef, undef, 0.05;
	}
	die "the server does not wait: " . contents("$name.err");
}

# Seconds since what is bounded began: the lie, or the honest run before it.
sub is_late { my $began = shift; time - ($told // $began) > (defined $told ? $DEADLINE : $PATIENCE) }

# Ends with 0 if the server serves it.
sub start_honest
{
	my ($name, $port) = @_;
	return start("$name.honest", $program, '-h', '127.0.0.1', '-P', $port,
		'--connect-timeout', $DEADLINE, '--sizes', 64, '--time-budget', 0.1);
}

# Whether a server may go on listening when the client has ended.
sub may_wait { $case->[5] =~ /waits/ || ($case->[0] eq 'server' && $command eq 'none') }

# Relays until all processes have ended; a server that waits on gets an honest client.
sub relay
{
	my ($listener, $port, $name, $pids, $status) = @_;
	my ($all, %lines, %links) = (IO::Select->new($listener));
	my $began = time;
	while (keys %$pids && !is_late($began)) {
		for my $socket ($all->can_read(0.02)) {
			if ($socket == $listener) {
				$lines{$_->{from}} = $_ for connect_both($listener, $port, \%links, $all);
				next;
			}
			my $line = $lines{$socket} or next;
			my $length = sysread $socket, $line->{in}, 65536, length $line->{in};
			if ($length) {
				read_frames($line);
			} elsif (defined $length || !$!{EAGAIN}) {
				$all->remove($socket);
				$line->{over} = 1;
			}
		}
		for my $line (values %lines) {
			my $done = !write_out($line) || ($line->{over} && ($line->{out} eq '' ||
				defined $line->{slow}));
			next unless $done && !$line->{shut}++;
			shutdown $line->{to}, 1;
		}
		for my $who (keys %$pids) {
			next if waitpid($pids->{$who}, WNOHANG) <= 0;
			$status->{$who} = WIFSIGNALED($?) ? 128 + WTERMSIG($?) : WEXITSTATUS($?);
			delete $pids->{$who};
			$pids->{honest} = start_honest($name, $port)
				if $who eq 'client' && $pids->{server} && may_wait();
		}
	}
}

# Length of a run: heartbeats come until its end; memory is unmapped behind a whole pass,
# for which a time budget may not suffice on a busy machine.
sub length_of
{
	my ($frame) = @_;
	return $frame =~ /UNMAP/ ? ('--quick', '--passes', 2) :
		('--time-budget', $frame =~ /BEAT/ ? 20 : 0.2);
}

sub run_case
{
	my ($number) = @_;
	my $name = "$folder/$number";
	my (%pids, %status);
	my $listener = IO::Socket::IP->new(LocalHost => '127.0.0.1', LocalPort => 0, Listen => 16)
		or die "cannot listen: $@";
	($told, $command, %seen) = (undef, 'none');
	# Before that lie is a whole pass, on a busy machine.
	my $most = ($case->[2] =~ /UNMAP/ ? $PATIENCE : $DEADLINE) - 2;
	$pids{server} = start("$name.server", $program, '-P', 0, '--max-run-time', $most);
	my $port = port_of("$name.server");
	$pids{client} = start("$name.client", $program, '-h', '127.0.0.1', '-P',
		$listener->sockport, '--connect-timeout', 0, '-I', $case->[6] ? ('--max-memory', '64M') : ('--pool', '1M'),
		'--sizes', '64,4K', '--precision', 0,
		$case->[6] ? ('--time-budget', 600) : length_of($case->[2]),
		'--json', "$name.json", '--force');
	my $begin = time;
	relay($listener, $port, $name, \%pids, \%status);
	my $seconds = time - ($told // $begin);
	my @wrong;
	for my $who (keys %pids) {
		kill 'KILL', $pids{$who};
		waitpid $pids{$who}, 0;
		$status{$who} = 'hangs';
	}
	$status{server} = 'waits' if "$status{server} " . ($status{honest} // '') eq '0 0';
	my $victim = $case->[0] eq 'client' ? 'server' : 'client';
	push @wrong, 'the lie was not told' unless defined $told;
	push @wrong, "the $victim should end with $case->[5]"
		unless grep { $_ eq $status{$victim} } split ' ', $case->[5];
	for my $who ('client', 'server') {
		push @wrong, "the $who ends with $status{$who}"
			unless $status{$who} eq 'waits' || grep { $_ eq $status{$who} } @ENDINGS;
		my $text = contents("$name.$who.out") . contents("$name.$who.err");
		push @wrong, "control characters of the $who"
			if $text =~ /[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]/;
		push @wrong, "a reason of the $who names the peer twice"
			if $text =~ /at the peer: at the peer:/;
		push @wrong, "a sanitizer speaks in the $who" if $text =~ /Sanitizer|runtime error:/;
	}
	push @wrong, 'the result file is not valid'
		if -s "$name.json" && system("$checker $name.json >$name.check 2>&1") != 0;
	my $last = (split /\n/, contents("$name.$victim.err"))[-1] // '';
	push @wrong, "the $victim should print $case->[6]"
		if defined $case->[6] && contents("$name.$victim.err") !~ $case->[6];
	my $text = sprintf "%s\t%s %s, %s: %s\tclient %s, server %s, %.1f s: %s\n",
		@wrong ? 'bad' : 'ok', @$case[0 .. 3], @status{'client', 'server'}, $seconds,
		join '; ', @wrong, $last =~ s/[^ -~]/?/gr;
	open my $file, '>', "$name.line" or die;
	print $file $text;
	close $file;
	exit 0;
}

my %running;
# Those that wait for a deadline begin first.
sub waits { my $lie = $cases[$_[0]][4]; $lie eq $SILENT || $lie eq $SLOW ? 1 : 0 }
my @chosen = grep { !defined $only || index(join(' ', @{$cases[$_]}[0 .. 3]), $only) == 0 }
	0 .. $#cases;
for my $number (sort { waits($b) <=> waits($a) } @chosen) {
	delete $running{+waitpid -1, 0} while keys %running >= $jobs;
	my $pid = fork // die "fork: $!";
	if (!$pid) {
		$case = $cases[$number];
		run_case($number);
	}
	$running{$pid} = 1;
}
delete $running{+waitpid -1, 0} while keys %running;
for my $number (@chosen) {
	print contents("$folder/$number.line") ||
		"bad\t" . join(' ', @{$cases[$number]}[0 .. 3]) . "\tthe test broke\n";
}
