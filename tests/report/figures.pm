# figures.pm - the table tests/data/figures.tsv, an export of NPreport, and whether a row of
# the export is a figure of the table.
package figures;
use strict;
use warnings FATAL => 'all';

# Seconds of a unit of time; bits a second of a unit of rate.
my %seconds = (s => 1, ms => 1e-3, us => 1e-6, ns => 1e-9, 'us/2' => 0.5e-6, 'ms/2' => 0.5e-3);
my %bits = ('bit/s' => 1, 'kbit/s' => 1e3, 'Mbit/s' => 1e6, 'Gbit/s' => 1e9, 'Mibit/s' => 2 ** 20,
	'kB/s' => 8e3, 'MB/s' => 8e6, 'GB/s' => 8e9, 'TB/s' => 8e12, 'MiB/s' => 8 * 2 ** 20,
	'GiB/s' => 8 * 2 ** 30);
# A rate that a program divided out of a rounded time: IMB prints both.
my $rounded = 1e-3;
my $exact = 1e-6;

# Half a unit of the last digit as printed, relative; doubles that an export rounds.
sub digits
{
	my ($text) = @_;
	my ($places) = $text =~ /\.(\d+)/;
	return $exact if $text == 0;
	return $exact + 0.5 * 10 ** -length($places // '') / abs $text;
}

# The table: file -> { figures => [...], rules => [...] }.
sub table
{
	my ($path) = @_;
	my (%files, $file);
	open my $in, '<', $path or die "$path: $!\n";
	while (<$in>) {
		chomp;
		next if /^#/ || $_ eq '';
		my @cells = split /\t/;
		$file = $files{$cells[0]} //= { figures => [], rules => [] };
		if (@cells < 5) {
			push @{$file->{rules}}, [@cells[1 .. $#cells]];
			next;
		}
		die "$path:$.: unit $cells[3]\n"
			unless $seconds{$cells[3]} || $bits{$cells[3]} || $cells[3] =~ m!^(msg|trans)/s$!;
		for (split / /, $cells[4]) {
			my ($bytes, $value) = /^(\d+)=(.+)$/ or die "$path:$.: $_\n";
			push @{$file->{figures}}, figure(@cells[1 .. 3], $bytes, $value);
		}
	}
	return \%files;
}

# A figure in seconds and in bits a second, as far as the unit gives them.
sub figure
{
	my ($curve, $metric, $unit, $bytes, $value) = @_;
	my $mark = $metric =~ s/([?*])$// ? $1 : '';
	my %figure = (curve => $curve, bytes => $bytes, text => $value, unit => $unit,
		needed => $mark eq '', spare => $mark eq '*', metric => $metric, near => digits($value));
	if ($unit eq 'trans/s') {
		$figure{seconds} = 1 / (2 * $value);
	} elsif ($unit eq 'msg/s') {
		$figure{rate} = 8 * $bytes * $value;
		$figure{seconds} = 1 / $value;
	} elsif ($seconds{$unit}) {
		$figure{seconds} = $value * $seconds{$unit};
	} else {
		$figure{rate} = $value * $bits{$unit};
		$figure{near} += $rounded if !$figure{needed};
		$figure{seconds} = 8 * $bytes / $figure{rate} if $value > 0;
	}
	return \%figure;
}

# Rows of an export as CSV, by file: [{ op, mode, variant, bytes, ... }].
sub export
{
	my ($path) = @_;
	my (%rows, @names);
	open my $in, '<', $path or die "$path: $!\n";
	while (<$in>) {
		chomp;
		my @cells;
		push @cells, defined $1 ? $1 =~ s/""/"/gr : $2
			while /\G(?:"((?:[^"]|"")*)"|([^,"]*))(?:,|$)/g && @cells < 40;
		if (!@names) {
			@names = @cells;
			next;
		}
		my %row;
		@row{@names} = @cells;
		push @{$rows{$row{file}}}, \%row;
	}
	return \%rows;
}

# Whether operation, mode and variant of a row are the curve of a figure.
sub same_curve
{
	my ($row, $curve) = @_;
	return 1 if $curve eq '-';
	my $name = join ' ', map { $_ // '' } @$row{qw(op mode variant)};
	for (split /,/, $curve) {
		my $pattern = $_;
		return 0 if $pattern =~ s/^!// ? $name =~ /$pattern/i : $name !~ /$pattern/i;
	}
	return 1;
}

sub near
{
	my ($value, $expected, $tolerance) = @_;
	return $expected == 0 ? $value == 0 : abs($value / $expected - 1) <= $tolerance;
}

# Messages at once of an operation with traffic both ways.
sub both_ways
{
	return $_[0]{op} =~ /bi-?dir|bibw|biband/i ? (1, 2) : (1);
}

# What a row has that is none of the figures: a list of words, empty if all is right.  The
# figures that it matches are counted in their {seen}.
sub judge
{
	my ($row, $figures) = @_;
	my @mine = grep { $_->{bytes} == $row->{bytes} && same_curve($row, $_->{curve}) } @$figures;
	my @ways = both_ways($row);
	my @wrong;
	my ($time, $rate) = ($row->{median_s}, $row->{mbps});
	my @hit;
	for my $figure (grep { $_->{metric} =~ /^(time|rate)$/ } @mine) {
		my $good;
		if ($figure->{metric} eq 'time') {
			$good = near($time, $figure->{seconds}, $figure->{near});
		} else {
			# A time out of a rate, by the number of messages at once.
			$good = grep { defined $figure->{seconds} &&
				near($time, $_ * $figure->{seconds}, $figure->{near}) } @ways;
			$figure->{seen}++ if $rate ne '' && defined $figure->{rate} &&
				near($rate * 1e6, $figure->{rate}, $figure->{near});
		}
		push @hit, $figure if $good;
	}
	push @wrong, "$time s" unless @hit;
	$_->{seen}++ for @hit;
	if ($rate ne '' && $row->{bytes} > 0) {
		my @rates = grep { $_->{metric} eq 'rate' && defined $_->{rate} } @mine;
		my $good = @rates ? grep { near($rate * 1e6, $_->{rate}, $_->{near}) } @rates
			: grep { near($rate * 1e6, $_ * 8 * $row->{bytes} / $time, $exact) } @ways;
		push @wrong, "$rate Mbit/s" unless $good;
	}
	for my $metric (qw(mean min p50 p90 p99 p999)) {
		my $value = $row->{"${metric}_s"};
		next if !defined $value || $value eq '';
		push @wrong, "$metric $value s" unless
			grep { $_->{metric} eq $metric && near($value, $_->{seconds}, $_->{near}) } @mine;
	}
	return @wrong;
}

1;
