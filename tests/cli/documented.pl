#!/usr/bin/perl
# documented.pl - the commands that pages show: FILE..., of Markdown, mdoc(7) or plain text.
# Prints for each "FILE:LINE", the host where it is typed (a, b or nothing) and the command,
# separated by tabs; a line break within a command is \x01.
#
# Commands are blocks of lines set apart, of which those with a prompt count where one has a
# prompt; `code` of a table or of a sentence with three words at least; and what stands below an
# item of netpong(7)'s table of other tools.
use strict;
use warnings;

my $program = qr/(?:\.\/)?(?:NP[a-z]+|netpong|mpiexec[.\w]*|mpirun|srun|nft|jq)/;
# What follows a program is neither its output ("NPtcp 0.4.0", "NPtcp: ", "NPtcp  64  36.1")
# nor a sentence.
my $command = qr/(?:[A-Z_]+=\S+ )*$program(?=$|\s+(?!\d|\|)\S)/;
my $build = qr/(?:[A-Z_]+=\S+ )*(?:make|bash|perl|\.\/[a-z]\S*|tests\/\S+)(?= |$)/;
my $file;

sub out {
	my ($line, $host, $text) = @_;
	$text =~ s/\n/\x01/g;
	print "$file:$line\t", $host || "-", "\t$text\n";
}

sub unfinished {
	my ($text) = @_;
	return $text =~ /\\$/ || ($text =~ tr/"//) % 2 || ($text =~ tr/'//) % 2;
}

# The lines of a block: each command with a prompt, or all of it as one script, which a
# command, a loop or an assignment begins.
sub block {
	my ($from, @lines) = @_;
	if (grep { /^[ab]?\$ / } @lines) {
		for (my $i = 0; $i < @lines; $i++) {
			next unless $lines[$i] =~ s/^([ab]?)\$ //;
			my ($host, $at, $text) = ($1, $i, $lines[$i]);
			$text .= "\n" . ($lines[++$i] =~ s/^> ?//r)
				while $i < $#lines && (unfinished($text) || $lines[$i + 1] =~ /^> /);
			out($from + $at, $host, $text) if $text =~ /^(?:$command|$build|for )/;
		}
	} elsif ($lines[0] =~ /^(?:$command|export |for |[a-z]+=)/ && grep { /^ *$command/ } @lines) {
		# Commands that need no other line are taken one at a time.
		if (grep { /^(?:for|export|[a-z]+=)/ } @lines) {
			out($from, "", join("\n", @lines));
			return;
		}
		for (my $i = 0; $i < @lines; $i++) {
			my ($at, $text) = ($i, $lines[$i]);
			$text .= "\n" . $lines[++$i] while $i < $#lines && unfinished($text);
			out($from + $at, "", $text);
		}
	} else {
		/^($build)/ and out($from, "", $_) for @lines;
	}
}

for (@ARGV) {
	$file = $_;
	open(my $in, "<", $file) or die "$file: $!\n";
	my @lines = <$in>;
	chomp @lines;
	my (@held, $from);
	my $mdoc = $file =~ /\.mdoc$/;
	my $displayed = 0;
	for (my $i = 0; $i <= @lines; $i++) {
		my $line = $lines[$i] // "";
		my $apart;
		if ($mdoc) {
			if ($line =~ /^\.Bd/) { $displayed = 1; next; }
			$displayed = 0 if $line =~ /^\.Ed/;
			$apart = $displayed ? $line : $line =~ /^\.Dl (.*)/ ? $1 : undef;
			$apart =~ s/\\e$/\\/ if defined $apart;
			out($i + 1, "", $line) if $line =~ /^$command/ && $lines[$i - 1] =~ /^\.It (?!.*::)/;
		} else {
			$apart = $1 if $line =~ /^    (.*)/ && (@held || $i == 0 || $lines[$i - 1] !~ /\S/ ||
				$file =~ /examples/);
		}
		if (defined $apart) {
			$from = $i + 1 unless @held;
			push @held, $apart;
			next;
		}
		block($from, @held) if @held;
		@held = ();
		next if $mdoc;
		while ($line =~ /`((?:$command) [^`]*)`/g) {
			my $text = $1;
			out($i + 1, "", $text) if $text =~ /^NPreport/ ? $text =~ /\.jsonl|FILE/ : $text =~ / .* |doctor/;
		}
	}
}
