# lies.pl - the table of liar.pl: liars, frames of doc/protocol.md, and what is wrong in
# each.
use strict;
use warnings;

our %FRAME = (WELCOME => 1, REFUSAL => 2, PLAN => 3, COMMAND => 4, REPLY => 5, EXCHANGE => 6,
	HEARTBEAT => 7, GOODBYE => 8, CHALLENGE => 9, BUSY => 11);
our %COMMAND = (OPEN => 1, MAP => 3, UNMAP => 4, ARM => 5, DISARM => 6, CORE => 7,
	BLOCK => 8, PROBE => 10, END => 11);
# Positions of the numbers of a command.
our %NUMBER = (kind => 0, length => 1, mode => 3, messages => 6, batches => 7,
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
our $TERMINAL = "\xc2\x9b2J\xe2\x80\xaeno";
our $SILENT = 'silent';      # nothing more on this link, in this direction
our $SLOW = 'slow';          # a byte a second
our $LEAVE = 'goodbye';      # GOODBYE without an error on the other link, and goes on

# ---- The table: liar, link, frame (and command), lie, status of the one lied to --------
# "waits" is a server that goes on listening, and serves an honest client then.  More than one status: separated by spaces.
our @cases = (
	['client', 'control', 'hello', 'another protocol', hello(8, pack 'V', 99), 'waits'],
	['client', 'control', 'hello', 'no such link', hello(12, pack 'V', 77), 'waits'],
	['client', 'control', 'hello', 'another program', hello(32, "NPxyz\0"), 'waits'],
	['client', 'control', 'hello', 'commands to a terminal', hello(32, "\e[2J\x9b\0"),
		'waits'],
	['client', 'control', 'hello', 'slow', $SLOW, 'waits'],
	['client', 'control', 'hello', 'silent', $SILENT, 'waits'],
	['client', 'watch', 'hello', 'silent', $SILENT, 'waits'],
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
	['client', 'control', 'PLAN', 'no option', says("no-such=1\n"), 4],
	['client', 'control', 'PLAN', 'no line', says("sizes"), 4],
	['client', 'control', 'PLAN', 'a name for a terminal', says("$TERMINAL=1\n"), 4],
	['client', 'control', 'PLAN', 'a value for a terminal', fact('sizes', $TERMINAL), 2],
	['client', 'control', 'PLAN', 'a local option', fact('token-file', '/etc/passwd'), 4],
	['client', 'control', 'PLAN', 'no value', fact('pool', '100T'), 4],
	['client', 'control', 'PLAN', 'negative', fact('passes', '-1'), 4],
	['client', 'control', 'PLAN', 'NaN', fact('time-budget', 'nan'), 4],
	['client', 'control', 'PLAN', 'sizes beyond all', fact('sizes', '64,99999999T'), 2],
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
	['client', 'data', 'hello', 'silent', $SILENT, 4],
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
	['server', 'control', 'REPLY OPEN', 'a fact for a terminal',
		fact('receive_buffer', $TERMINAL), 0],
	['server', 'control', 'REPLY BLOCK', 'no name', fact('A b', '1'), 4],
	['server', 'data', 'WELCOME', 'silent', $SILENT, 4],
	['server', 'data', 'WELCOME', 'another kind', as('BUSY'), 4],
);

1;
