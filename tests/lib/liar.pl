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
use FindBin;
use IO::Select;
use IO::Socket::IP;
use POSIX qw(:sys_wait_h);
use Socket qw(IPPROTO_TCP TCP_NODELAY);
use Time::HiRes qw(time);

my ($program, $checker, $folder, $jobs, $only) = @ARGV;
# Seconds: from the lie to the end of both, and of an honest run until the lie.
# Sanitizers look for leaks before a process ends.
my $DEADLINE = ($ENV{NP_SANITIZERS} // 'no') eq 'no' ? 10 : 20;
my $PATIENCE = 40;
my @ENDINGS = (0, 1, 2, 4, 5);    # of netpong(7), but signals and verdicts
$SIG{PIPE} = 'IGNORE';

# The table, and what it is made of.
require "$FindBin::Bin/lies.pl";
our (%FRAME, %COMMAND, @cases, $SILENT, $SLOW, $LEAVE);

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

# Seconds of a run: heartbeats come until its end, memory is unmapped after a whole pass.
sub budget
{
	my ($frame) = @_;
	return $frame =~ /BEAT/ ? 20 : $frame =~ /UNMAP/ ? 4 : 0.2;
}

sub run_case
{
	my ($number) = @_;
	my $name = "$folder/$number";
	my (%pids, %status);
	my $listener = IO::Socket::IP->new(LocalHost => '127.0.0.1', LocalPort => 0, Listen => 16)
		or die "cannot listen: $@";
	($told, $command, %seen) = (undef, 'none');
	$pids{server} = start("$name.server", $program, '-P', 0, '--max-run-time', $DEADLINE - 2);
	my $port = port_of("$name.server");
	$pids{client} = start("$name.client", $program, '-h', '127.0.0.1', '-P',
		$listener->sockport, '--connect-timeout', 0, '-I', '--pool', '1M', '--sizes',
		'64,4K', '--precision', 0, '--time-budget', budget($case->[2]),
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
