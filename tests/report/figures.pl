#!/usr/bin/perl
# figures.pl NPREPORT DATA [FILE...] - reads the files of tests/data/figures.tsv, or those
# named, with NPREPORT and compares what it exports and what it says with the table.
#
# Of each file a line: its name, figures right, refused (not exported, and a message names the
# file) and false, and what is not as the table has it.  Ends with 1 if there is such a file.
use strict;
use warnings FATAL => 'all';
use File::Temp qw(tempdir);
use FindBin;
use lib $FindBin::Bin;
use figures;

my ($program, $data, @files) = @ARGV;
my $table = figures::table("$data/figures.tsv");
my $work = tempdir(CLEANUP => 1);
@files = sort keys %$table if !@files;
my ($failed, @sum) = (0, 0, 0, 0);
printf "%-38s %6s %8s %6s\n", 'file', 'right', 'refused', 'false';
for my $file (@files) {
	my $entry = $table->{$file} // csv("$data/$file");
	my ($rows, $messages, $status) = read_file("$data/$file");
	my @counts = (0, 0, 0);
	my @wrong = check($entry, $rows, $messages, $status, \@counts);
	printf "%-38s %6d %8d %6d%s\n", $file, @counts, join '', map { "  $_;" } @wrong;
	$sum[$_] += $counts[$_] for 0 .. 2;
	$failed++ if @wrong;
}
printf "%-38s %6d %8d %6d  %d of %d files not as expected\n", 'all', @sum, $failed, scalar @files;
exit($failed > 0);

# Rows, messages and status of one file.
sub read_file
{
	my ($path) = @_;
	my $status = system("'$program' --export csv '$path' >$work/csv 2>$work/text");
	open my $in, '<', "$work/text" or die;
	my $messages = join '', <$in>;
	# A file's name has words of its own.
	$messages =~ s/\Q$path\E/FILE/g;
	my $rows = figures::export("$work/csv");
	$status = $status & 127 ? 128 + ($status & 127) : $status >> 8;
	return ([map { @$_ } values %$rows], $messages, $status);
}

# A table of two columns and one unit has all of its figures: bytes,UNIT.
sub csv
{
	my ($path) = @_;
	my (@figures, $unit);
	open my $in, '<', $path or die "$path: $!\n";
	while (<$in>) {
		next if /^#/ || !/\S/;
		s/\s+$//;
		my @cells = split /,/;
		if (!$unit) {
			($unit) = $cells[1] =~ m!([^\s()]+)\)?$!;
			next;
		}
		my $rate = $unit !~ m!^[mun]?s$!;
		push @figures, figures::figure('-', $rate ? 'rate' : 'time', $unit, @cells[0, 1]);
	}
	return { figures => \@figures, rules => [] };
}

# What is not as the table has it, and figures right, refused and false.
sub check
{
	my ($entry, $rows, $messages, $status, $counts) = @_;
	my @wrong;
	push @wrong, "status $status" if $status > 1;
	for my $row (@$rows) {
		my @false = figures::judge($row, $entry->{figures});
		$counts->[@false ? 2 : 0]++;
		push @wrong, "$row->{op}|$row->{variant} $row->{bytes} B: " . join ', ', @false if @false;
	}
	my @lost = grep { !$_->{seen} } @{$entry->{figures}};
	# A figure in two units, or one that repetitions replace, is one row.
	my %seen;
	$seen{"$_->{curve} $_->{bytes}"}++ for grep { $_->{seen} } @{$entry->{figures}};
	my %gone;
	for (grep { $_->{metric} =~ /^(time|rate)$/ && !$_->{spare} } @lost) {
		my $key = "$_->{curve} $_->{bytes}";
		# Nothing was to be carried a second of an empty message.
		next if $seen{$key} || $_->{bytes} == 0 && $_->{metric} eq 'rate';
		push @wrong, "no $_->{text} $_->{unit} at $_->{bytes} B of $_->{curve}" if $_->{needed};
		$gone{$key} = 1;
	}
	my $said = $messages =~ /^NPreport: [^\n]*\S/m;
	$counts->[1] += keys %gone;
	push @wrong, 'figures missing without a word' if %gone && !$said;
	for my $rule (@{$entry->{rules}}) {
		my ($name, $pattern) = @$rule;
		if ($name eq 'none') {
			push @wrong, 'rows of a file without figures' if @$rows;
			push @wrong, 'nothing said' if !$said;
			push @wrong, 'status 0 without rows' if $status == 0;
			$counts->[1]++;
		} elsif ($name eq 'says') {
			push @wrong, "no message of '$pattern'" if $messages !~ /$pattern/i;
		} elsif ($name eq 'saysnot') {
			push @wrong, "a message of '$pattern'" if $messages =~ /$pattern/i;
		} elsif ($name eq 'repeats') {
			my %sizes;
			push @{$sizes{$_->{bytes}}}, $_ for @$rows;
			push @wrong, 'tables of one name without a word' if
				$messages !~ /\d+ tables|repetition|same name/i && grep { @$_ == 1 } values %sizes;
		} elsif ($name eq 'rows') {
			push @wrong, sprintf '%d rows of %d', scalar @$rows, $pattern if @$rows < $pattern;
		} else {
			die "rule $name\n";
		}
	}
	return @wrong[0 .. ($#wrong < 3 ? $#wrong : 3)];
}
