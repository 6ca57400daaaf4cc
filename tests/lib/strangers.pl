#!/usr/bin/perl
# strangers.pl HOST PORT COUNT [SEED] - COUNT connections of people who do not
# belong here: silent, rude, half-way right, fuzzed.  With NP_HELLO (64 bytes in
# hexadecimal) some of them know how a right hello looks.
#
# Prints how many it made.  Ends with 1 if nobody listens.
use strict;
use warnings;
use IO::Socket::IP;
use Socket qw(SOL_SOCKET SO_LINGER);

my ($host, $port, $count, $seed) = @ARGV;
srand($seed // 1);
$SIG{PIPE} = 'IGNORE';
my $hello = pack 'H*', $ENV{NP_HELLO} // '';
my @open;    # a few stay for a while
my $made = 0;

sub noise { join '', map { chr int rand 256 } 1 .. shift }

sub fuzzed
{
	my $text = $hello ne '' ? $hello : "NetPong\n" . noise(56);
	for (1 .. 1 + int rand 4) {
		substr($text, int rand length $text, 1) = chr int rand 256;
	}
	return $text;
}

my @kinds = (
	sub { '' },
	sub { "GET / HTTP/1.1\r\nHost: here\r\n\r\n" },
	sub { "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" . noise(200) },
	sub { "SSH-2.0-OpenSSH_9.2\r\n" },
	sub { noise(1 + int rand 300) },
	sub { "NetPong\n" . noise(int rand 56) },
	\&fuzzed,
	sub { substr fuzzed(), 0, 8 + int rand 56 },
	sub { $hello . noise(40) },
	sub { $hello . "NP\n\0\x20\0\0\0" . noise(32) },
	sub { $hello },
	sub { "\0" x 4096 },
);

# Between two runs the port is closed for a moment.
sub knock
{
	for (1 .. 40) {
		my $guest = IO::Socket::IP->new(PeerHost => $host, PeerPort => $port,
			Timeout => 10);
		return $guest if $guest;
		select undef, undef, undef, 0.05;
	}
	return;
}

for (1 .. $count) {
	my $guest = knock() or last;
	$made++;
	my $text = $kinds[int rand @kinds]->();
	syswrite $guest, $text if $text ne '';
	my $end = rand;
	if ($end < 0.1) {
		push @open, $guest;
		shift @open if @open > 20;
		next;
	}
	# Some leave in peace, some without.
	setsockopt $guest, SOL_SOCKET, SO_LINGER, pack('ii', 1, 0) if $end < 0.5;
	close $guest;
}
print "$made\n";
exit($made == 0 && $count > 0);
