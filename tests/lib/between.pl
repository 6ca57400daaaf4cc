#!/usr/bin/perl
# between.pl ADDRESS PORT TO TO_PORT PHASE FILE - a relay that stands between the
# two ends of a run and reads the boot channel along (doc/protocol.md).  When the
# run has come to PHASE it holds everything back, makes FILE.reached, and goes on
# when FILE.go is there.
#
#     connect       somebody has connected
#     handshake     the hello of the watch link is there
#     plan          the plan
#     open          the command that opens and connects the module
#     registration  the one that maps and registers memory
#     first         the first timed block
#     middle        the fifteenth
#     last          the command that ends the run
#     never         nothing is held back
#
# With "never", what the transmitter says on the control link is kept in FILE.said.
use strict;
use warnings;
use IO::Select;
use IO::Socket::IP;

my ($address, $port, $to, $to_port, $phase, $file) = @ARGV;
my %command = (open => [1, 1], registration => [3, 1], first => [8, 1], middle => [8, 15],
	last => [11, 1]);
$SIG{PIPE} = 'IGNORE';
my $listener = IO::Socket::IP->new(LocalHost => $address, LocalPort => $port, Listen => 16,
	ReuseAddr => 1) or die "cannot listen: $@";
my $all = IO::Select->new($listener);
my (%other, %said, %control, %seen);
my $held = 0;

sub touch
{
	open my $mark, '>', $_[0] or die;
	close $mark;
}

sub hold
{
	return if $held++;
	touch "$file.reached";
	for (1 .. 2000) {
		last if -e "$file.go";
		select undef, undef, undef, 0.05;
	}
}

sub leave
{
	my @sockets = @_;    # they are deleted under way
	for my $socket (@sockets) {
		next unless defined $socket;
		$all->remove($socket);
		delete $other{$socket};
		delete $said{$socket};
		delete $control{$socket};
		close $socket;
	}
}

# Frames after the hello of 64 bytes; a command's kind is its first number.
sub read_along
{
	my ($from) = @_;
	my $text = \$said{$from};
	return unless length $$text >= 64;
	my $kind = unpack 'V', substr $$text, 12, 4;
	hold() if $kind == 2 && $phase eq 'handshake';
	return if $kind != 1;
	my $at = $control{$from} // 64;
	while (length($$text) >= $at + 8) {
		my ($what, $length) = unpack 'x2vV', substr $$text, $at, 8;
		last if length($$text) < $at + 8 + $length;
		hold() if $what == 3 && $phase eq 'plan';
		if ($what == 4 && $command{$phase}) {
			my ($wanted, $times) = @{$command{$phase}};
			my $number = unpack 'V', substr $$text, $at + 8, 4;
			hold() if $number == $wanted && ++$seen{$number} == $times;
		}
		$at += 8 + $length;
	}
	$control{$from} = $at;
	if ($phase eq 'never' && open my $copy, '>:raw', "$file.said") {
		print $copy $$text;
		close $copy;
	}
}

touch "$file.ready";
while (1) {
	for my $socket ($all->can_read) {
		if ($socket == $listener) {
			my $guest = $listener->accept or next;
			hold() if $phase eq 'connect';
			my $far = IO::Socket::IP->new(PeerHost => $to, PeerPort => $to_port,
				Timeout => 5);
			if (!$far) {
				close $guest;
				next;
			}
			@other{$guest, $far} = ($far, $guest);
			$said{$guest} = '';
			$all->add($guest, $far);
			next;
		}
		next unless $other{$socket};
		my $length = sysread $socket, my $bytes, 65536;
		if (!$length) {
			leave($socket, $other{$socket});
			next;
		}
		# Of data links nothing but the hello is kept.
		if (defined $said{$socket} && (length $said{$socket} < 64 ||
			defined $control{$socket} || unpack('x12V', $said{$socket}) == 1)) {
			$said{$socket} .= $bytes;
			read_along($socket);
		}
		my $done = 0;
		while ($other{$socket} && $done < length $bytes) {
			my $put = syswrite $other{$socket}, $bytes, length($bytes) - $done, $done;
			if (!defined $put) {
				leave($socket, $other{$socket});
				last;
			}
			$done += $put;
		}
	}
}
