#!/usr/bin/perl
# consistent.pl - contradictions between the statements of one run: of its screen, its JSON
# lines, and NPreport's text and page of these.
#
#   consistent.pl check NPREPORT JSON [SCREEN]     one run; SCREEN of --verbose --all-rows
#   consistent.pl draw BUILD COUNT SEED [SECONDS]  runs of NPsim with options that SEED draws
#   consistent.pl planted BUILD                    numbers of a run changed, one at a time
#
# Prints "FILE: RULE: what contradicts what" lines, and a count.  Exit status: 1 with a
# contradiction, or with a change that no rule finds.
use strict;
use warnings FATAL => 'all';
use File::Temp qw(tempdir);
use JSON::PP;
use POSIX ();
use Time::HiRes qw(time);

my $number = qr/-?\d+(?:\.\d+)?(?:e[-+]?\d+)?/;
my $bytes = qr/\d+(?:\.\d+)? (?:B|KiB|MiB|GiB)/;
my $effect = qr/$number % (?:slower|faster) \[$number, $number\]|${number}x slower \[$number, $number\]/;
my %scale = (B => 1, KiB => 1024, MiB => 2 ** 20, GiB => 2 ** 30, s => 1, ms => 1e-3,
	us => 1e-6, ns => 1e-9, 'bit/s' => 1e-6, 'kbit/s' => 1e-3, 'Mbit/s' => 1,
	'Gbit/s' => 1e3, 'Tbit/s' => 1e6);
my @found;

sub wrong
{
	my ($rule, $format, @values) = @_;
	push @found, "$rule: " . sprintf $format, @values;
}

# Value of "5.44 us" or "2 KiB" in seconds, Mbit/s or bytes.
sub value
{
	my ($text) = @_;
	my ($digits, $unit) = $text =~ /^($number)(?: (\S+))?$/ or die "no number: $text\n";
	return $digits * ($unit ? $scale{$unit} // die "unit of $text\n" : 1);
}

# Whether a printed number is a value within half a unit of its last digit; numbers with a
# unit have four digits, of which zeros at the end are dropped.
sub is_rounded
{
	my ($text, $value) = @_;
	return 0 if !defined $value;
	my ($digits, $unit) = $text =~ /^($number)(?: (\S+))?$/ or return 0;
	my ($places) = $digits =~ /\.(\d+)/;
	my $step = $unit && $digits != 0 ? 10 ** (POSIX::floor(log(abs $digits) / log 10) - 3) :
		10 ** -length($places // '');
	my $scale = $unit ? $scale{$unit} // 1 : 1;
	return abs($digits * $scale - $value) <= 0.501 * $step * $scale + 1e-9 * abs $value;
}

# Ratio, low and high of "3.4 % slower [2.6, 4.1]" or "2.69x slower [2.60, 2.77]".
sub ratio
{
	my ($text) = @_;
	my @numbers = $text =~ /($number)/g;
	return @numbers if $text =~ /x slower/;
	@numbers = map { $_ / 100 } @numbers;
	return map { 1 + $_ } @numbers if $text =~ /slower/;
	return (1 - $numbers[0], 1 - $numbers[2], 1 - $numbers[1]);
}

# Whether an effect as printed is this ratio with this interval.
sub is_effect
{
	my ($text, @values) = @_;
	my @printed = ratio($text);
	my ($places) = $text =~ /^$number\D|/ && $text =~ /^\d+\.(\d+)/;
	my $step = 10 ** -length($places // '') * ($text =~ /x slower/ ? 1 : 0.01);
	return !grep { abs($printed[$_] - $values[$_]) > 0.501 * $step * ($_ ? 2 : 1) } 0 .. 2;
}

# ---- What a run says ------------------------------------------------------------------

# Lines of a text by their title: continued lines and lines without a title are joined.
sub paragraphs
{
	my ($text, $indent) = @_;
	my (@list, $open);
	for (split /\n/, $text) {
		if (/^ {$indent}(?! )(.+)/ && $open) {
			$list[-1] .= " $1";
		} else {
			push @list, $_;
			$open = /\S/;
		}
	}
	return @list;
}

# Rows and pairs of a result file by curve and size; curves by the names that NPreport uses.
sub read_json
{
	my ($path) = @_;
	my %run = (rows => {}, pairs => {}, breaks => []);
	my %text = (reuse => 'one warm buffer', rotate => 'cold buffers', fresh => 'fresh buffers');
	my %short = (reuse => 'warm', rotate => 'cold');
	open my $in, '<', $path or die "$path: $!\n";
	while (<$in>) {
		if (/^\{"kind":"visit"/) {
			$run{passes} = $1 + 1 if !/"(?:sentinel|refine)":true/ && /"pass":(\d+)/ &&
				$1 >= ($run{passes} // 0);
			next;
		}
		next if /^\{"kind":"(?:probe|warm|superseded|connection)/;
		my $line = decode_json($_);
		my $kind = $line->{kind};
		if ($kind eq 'row' && !defined $line->{axis}) {
			my $name = ($text{$line->{mode}} // $line->{mode}) .
				($line->{variant} ? ", $line->{variant}" : '');
			$run{rows}{$name}{$line->{bytes}} = $line if $line->{mode} ne 'control';
		} elsif ($kind eq 'pair') {
			my $of = join '/', map { $short{$_} // $_ } split m!/!, $line->{of};
			my $of_modes = $line->{of} =~ m!^(?:rotate|fresh|reuse|touched|same)/!;
			my $name = $of . ($of_modes ? '' : ', ' . ($text{$line->{mode} // ''} // '')) .
				($line->{variant} && $of_modes ? ", $line->{variant}" : '');
			$run{pairs}{$name}{$line->{bytes}} = $line;
		} elsif ($kind eq 'break') {
			push @{$run{breaks}}, $line;
		} else {
			$run{$kind} = $line;
		}
	}
	return \%run;
}

# ---- Rules of the result file by itself -----------------------------------------------

sub verdict_fits
{
	my ($what, $verdict, $ratio, $low, $high, $margin) = @_;
	return if !defined $low;
	wrong('inside', '%s: %.4f outside [%.4f, %.4f]', $what, $ratio, $low, $high)
		if $ratio < $low - 1e-9 || $ratio > $high + 1e-9;
	return if !defined $verdict;
	my $fits = $verdict eq 'slower' ? $low > 1 :
		$verdict eq 'faster' ? $high < 1 :
		$verdict eq 'same' ? $low >= 1 / (1 + $margin) - 1e-9 && $high <= 1 + $margin + 1e-9 : 1;
	wrong('verdict', '%s: %s with [%.4f, %.4f]', $what, $verdict, $low, $high) if !$fits;
}

sub check_rows
{
	my ($run) = @_;
	for my $name (sort keys %{$run->{rows}}) {
		for my $row (values %{$run->{rows}{$name}}) {
			my ($median, $low, $high) = @$row{qw(median_s ci_low_s ci_high_s)};
			wrong('inside', '%s, %d B: %g outside [%g, %g]', $name, $row->{bytes}, $median,
				$low, $high) if defined $low && ($median < $low || $median > $high);
			wrong('least', '%s, %d B: least %g above the median %g', $name, $row->{bytes},
				$row->{min_s}, $median) if $row->{min_s} > $median * (1 + 1e-9);
		}
	}
}

sub check_pairs
{
	my ($run) = @_;
	my $margin = $run->{header}{options}{'same-within'} / 100;
	for my $name (sort keys %{$run->{pairs}}) {
		verdict_fits("$name, $_->{bytes} B", @$_{qw(verdict ratio ratio_low ratio_high)}, $margin)
			for values %{$run->{pairs}{$name}};
	}
	for my $cost (@{$run->{findings}{costs} // []}) {
		my ($name) = grep { my ($any) = values %{$run->{pairs}{$_}}; $any->{of} eq $cost->{of} &&
			($any->{variant} // '') eq ($cost->{variant} // '') } keys %{$run->{pairs}};
		my $pairs = $run->{pairs}{$name // ''} or next;
		my %count;
		$count{$_->{verdict} // ''}++ for values %$pairs;
		for my $verdict (qw(slower faster same unclear)) {
			wrong('count', '%s: %s at %d of the pairs, %d counted', $name, $verdict,
				$count{$verdict} // 0, $cost->{$verdict})
				if $cost->{$verdict} != ($count{$verdict} // 0);
		}
		check_range($name, $pairs, $_, $margin) for @{$cost->{ranges}};
	}
}

# A range and its sizes.
sub check_range
{
	my ($name, $pairs, $range, $margin) = @_;
	my @within = grep { defined $_->{ratio_low} && $_->{bytes} >= $range->{smallest_bytes} &&
		$_->{bytes} <= $range->{largest_bytes} } values %$pairs;
	my $what = "$name, $range->{smallest_bytes} to $range->{largest_bytes} B";
	my $verdict = $range->{verdict} // '';
	wrong('count', '%s: %d sizes, not %d', $what, scalar @within, $range->{sizes})
		if @within != $range->{sizes};
	verdict_fits($what, @$range{qw(verdict ratio ratio_low ratio_high)}, $margin);
	for my $pair (@within) {
		my $own = $pair->{verdict} // '';
		wrong('range', '%s is %s, %d B in it %s', $what, $verdict, $pair->{bytes}, $own)
			if "$verdict $own" =~ /^(?:slower faster|faster slower|same (?:slower|faster))$/;
		wrong('range', '%s: %s, %.4f [%.4f, %.4f]; by itself %s, %.4f [%.4f, %.4f]', $what,
			$verdict, @$range{qw(ratio ratio_low ratio_high)}, $own,
			@$pair{qw(ratio ratio_low ratio_high)})
			if $range->{sizes} == 1 && defined $range->{ratio_low} && ($verdict ne $own ||
			abs($range->{ratio} - $pair->{ratio}) > 1e-9 || !defined $pair->{ratio_low} ||
			abs($range->{ratio_low} - $pair->{ratio_low}) > 1e-9 ||
			abs($range->{ratio_high} - $pair->{ratio_high}) > 1e-9);
	}
	my @ratios = sort { $a <=> $b } map { $_->{ratio} } @within;
	wrong('range', '%s: %.4f, its sizes %.4f to %.4f', $what, $range->{ratio}, @ratios[0, -1])
		if @ratios && defined $range->{ratio_low} &&
		($range->{ratio_high} < $ratios[0] || $range->{ratio_low} > $ratios[-1]);
}

# ---- Rules of curves, as NPreport and the screen print them ----------------------------

# Whether the factor of a break lies within the times beside it: what is expected at a size
# is at most proportional to bytes, and never less than at a smaller one.
sub check_effect
{
	my ($where, $rows, $kind, $low, $high, $ratio, $open) = @_;
	my @sizes = sort { $a <=> $b } keys %$rows;
	my @run = $kind eq 'step' ? ($high) : grep { $_ >= $low && $_ <= $high } @sizes;
	my ($before) = $kind eq 'step' ? ($low) : grep { $_ < $low } reverse @sizes;
	my ($after) = $kind eq 'step' ? () : grep { $_ > $high } @sizes;
	my ($least, $most) = (9e99, 0);
	for my $at (@run) {
		my ($from, $to) = map { $rows->{$at}{$_} // $rows->{$at}{median_s} } qw(ci_low_s ci_high_s);
		my @expected;
		for my $beside ($before, $after) {
			next if !defined $beside || !$rows->{$beside};
			my ($fast, $slow) = map { $rows->{$beside}{$_} // $rows->{$beside}{median_s} }
				qw(ci_low_s ci_high_s);
			push @expected, $fast, $slow;
			# One side alone: up to proportional.
			push @expected, $slow * $at / ($beside || 1), $fast * $at / ($beside || 1)
				if $kind eq 'step' || !defined $before || !defined $after;
		}
		return if !@expected;
		@expected = sort { $a <=> $b } @expected;
		$least = $from / $expected[-1] if $from / $expected[-1] < $least;
		$most = $to / $expected[0] if $to / $expected[0] > $most;
	}
	return if !@run;
	wrong('effect', '%s: %s %d to %d B %.4fx, by the times beside it %.4f to %.4f', $where, $kind,
		$low, $high, $ratio, $least, $most)
		if $ratio > $most * 1.006 || $ratio < $least / 1.006;
}

# A curve of NPreport's text: its rows, lines and breaks.
sub check_curve
{
	my ($name, $rows, @lines) = @_;
	my (@breaks, %curve);
	my ($most) = sort { $a->{flags} =~ /host_state/ <=> $b->{flags} =~ /host_state/ ||
		$b->{mbps} <=> $a->{mbps} || $a->{bytes} <=> $b->{bytes} } values %$rows;
	for (@lines) {
		if (/^  (?:latency|shortest time, ($bytes):) +($number \S+)(?: \[($number \S+), ($number \S+)\])?(?: at ($bytes))?/) {
			my ($text, $low, $high, $at) = ($2, $3, $4, $1 // $5);
			my ($least) = sort { $a <=> $b } keys %$rows;
			my $row = $rows->{$at ? value($at) : $least} or next;
			wrong('twice', '%s: time %s, row %g s', $name, $text, $row->{median_s})
				if !is_rounded($text, $row->{median_s}) || ($low &&
				!(is_rounded($low, $row->{ci_low_s}) && is_rounded($high, $row->{ci_high_s})));
		} elsif (/^  peak +($number \S+) \(($number) MB\/s\) at ($bytes)/) {
			wrong('twice', '%s: peak %s (%s MB/s) at %s, row %g Mbit/s at %d B', $name, $1, $2, $3,
				$most->{mbps}, $most->{bytes}) if !is_rounded($1, $most->{mbps}) ||
				abs($2 - $most->{mbps} / 8) > 1e-3 * $2 || value($3) != $most->{bytes};
		} elsif (/^  line +($bytes) to ($bytes):.*?r_inf ($number \S+) \[($number \S+), ($number \S+)\]/) {
			push @{$curve{lines}}, [value($1), value($2), value($3), value($4), value($5), $_];
		} elsif (/^  (step|dropout|faster|bend) +(?:between |from )?($bytes)(?: (?:and|to) ($bytes))?: (.*)/) {
			my ($kind, $low, $high, $rest) = ($1, value($2), $3 ? value($3) : value($2), $4);
			my ($ratio) = $rest =~ /($number)x/;
			my @interval = $rest =~ /\[($number), ($number)\]/;
			push @breaks, { kind => $kind eq 'faster' ? 'dropout' : $kind, low => $low,
				high => $high, ratio => $ratio, interval => \@interval,
				sure => scalar($rest =~ /; significant|; stands out/), pinned => scalar($rest =~ /to the byte/),
				why => scalar($rest =~ /not significant: /), text => $_ };
		} elsif (/^  warning +no interval at (\d+) of (\d+) size/) {
			my $without = grep { !defined $_->{ci_low_s} } values %$rows;
			wrong('count', '%s: "%s", rows %d of %d', $name, $_, $without, scalar keys %$rows)
				if $1 != $without || $2 != keys %$rows;
		}
	}
	check_breaks($name, $rows, @breaks);
	for my $line (@{$curve{lines} // []}) {
		my ($from, $to, $value, $low, $high) = @$line;
		wrong('inside', '%s: %s', $name, $line->[5]) if $value < $low || $value > $high;
		for my $row (sort { $a->{bytes} <=> $b->{bytes} } values %$rows) {
			my $at = $row->{bytes};
			next if $at < $from || $at > $to || $row->{flags} =~ /host_state/ ||
				grep { $_->{kind} eq 'dropout' && $_->{low} <= $at && $at <= $_->{high} } @breaks;
			wrong('peak', '%s: r_inf at most %.5g Mbit/s from %d to %d B, %.5g at %d B', $name,
				$high, $from, $to, $row->{mbps}, $at) if $row->{mbps} > $high * 1.0005;
		}
	}
	return @breaks;
}

sub check_breaks
{
	my ($name, $rows, @breaks) = @_;
	for my $at (@breaks) {
		my ($low, $high) = @{$at->{interval}};
		if ($at->{kind} ne 'bend' && defined $low) {
			my $excludes = $low > 1 || $high < 1;
			wrong('significant', '%s: %s', $name, $at->{text})
				if ($at->{sure} && !$excludes && $low < 0.9995 && $high > 1.0005) ||
				(!$at->{sure} && $excludes && !$at->{why});
			wrong('inside', '%s: %s', $name, $at->{text})
				if $at->{ratio} < $low || $at->{ratio} > $high;
		}
		check_effect($name, $rows, $at->{kind}, $at->{low}, $at->{high}, $at->{ratio})
			if $at->{kind} ne 'bend' && $at->{sure} && $rows->{$at->{high}} && $rows->{$at->{low}};
		for my $other (grep { $_->{kind} eq 'dropout' && $_->{sure} } @breaks) {
			wrong('class', '%s: %s, and %s', $name, $at->{text}, $other->{text})
				if $at->{kind} eq 'step' && $at->{sure} &&
				($other->{low} == $at->{high} && $other->{high} == $at->{high});
		}
	}
}

# ---- Screen, report and page ----------------------------------------------------------

# Sections of NPreport's text: curves and lists of ratios; the first lines.
sub check_report
{
	my ($run, $text) = @_;
	my @lines = paragraphs($text, 12);
	my (%section, $name, @all);
	for (@lines) {
		$name = $1 if /^(\S.*?), (?:ratio of times, )?\d+ sizes?$/;
		push @{$section{$name // ''}}, $_;
	}
	$section{''} //= [];
	for my $curve (sort keys %section) {
		if (my $rows = $run->{rows}{$curve}) {
			push @all, map { { %$_, curve => $curve } } check_curve($curve, $rows, @{$section{$curve}});
		} elsif (my $pairs = $run->{pairs}{$curve}) {
			check_ratios($curve, $pairs, @{$section{$curve}});
		} elsif ($curve ne '') {
			wrong('twice', '"%s" has no rows', $curve);
		}
	}
	for (@{$section{''}}) {
		if (/^(steps|dropouts) +(\d+); the largest: ($bytes)(?: to ($bytes))?, ($number)x/) {
			my ($kind, $count, $low, $high, $largest) = ($1, $2, $3, $4 // $3, $5);
			my @kind = grep { $_->{sure} && "$_->{kind}s" eq $kind && !$_->{pinned} } @all;
			my ($most) = sort { abs(log $b->{ratio}) <=> abs(log $a->{ratio}) } @kind;
			wrong('count', '"%s", %d listed', $_, scalar @kind) if $count != @kind;
			wrong('largest', '"%s", listed %s', $_, $most->{text})
				if $most && abs(log($largest / $most->{ratio})) > 0.006 / $largest &&
				abs(log $most->{ratio}) > abs(log $largest) + 0.01;
		} elsif (/^quality +(?:good|fair|POOR)/) {
			check_quality($run, $_);
		}
	}
	wrong('largest', '%s has no first line', $_->{text}) for grep { my $at = $_;
		$at->{sure} && !$at->{pinned} && $at->{kind} ne 'bend' &&
		!grep { /^$at->{kind}s / } @{$section{''}} } @all;
	return \@all;
}

sub check_quality
{
	my ($run, $text) = @_;
	my %least = (times => 'rows', ratios => 'ratios', time => 'rows', ratio => 'ratios');
	my $findings = $run->{findings};
	while ($text =~ /(\d+) of (\d+) (times?|ratios?) within/g) {
		my $of = $least{$3};
		wrong('count', '"%s": %s of %s in the file', $text, $findings->{"${of}_precise"},
			$findings->{$of}) if $1 != $findings->{"${of}_precise"} || $2 != $findings->{$of};
	}
	my @rows = map { values %$_ } values %{$run->{rows}};
	return if !@rows || $run->{capacity};
	if ($text =~ /no interval at (\d+) result/) {
		my $without = grep { !defined $_->{ci_low_s} } @rows;
		wrong('count', '"%s": %d rows', $text, $without) if $1 < $without;
	}
	wrong('passes', '"%s", %d in the file', $text, $run->{passes})
		if $text =~ /(?<!\d)(?<!of )(\d+) pass(?:es)?\b(?! usable)/ && $1 != $run->{passes};
}

sub check_ratios
{
	my ($name, $pairs, @lines) = @_;
	my %count;
	$count{$_->{verdict} // ''}++ for values %$pairs;
	for (@lines) {
		if (/slower at (\d+) of (\d+) sizes?, faster at (\d+), same at (\d+), unclear at (\d+)/) {
			my @counts = map { $count{$_} // 0 } qw(slower faster same unclear);
			wrong('count', '%s: "%s", pairs %d, %d, %d, %d', $name, $_, @counts)
				if "$1 $3 $4 $5" ne "@counts" || $2 != keys %$pairs;
		} elsif (/^ +($bytes) +($number)  \[($number), ($number)\].* (\w+)$/) {
			my $pair = $pairs->{value($1)} // next;
			wrong('twice', '%s: "%s", pair %g [%g, %g] %s', $name, $_,
				@$pair{qw(ratio ratio_low ratio_high)}, $pair->{verdict} // '')
				if !is_rounded($2, $pair->{ratio}) || !is_rounded($3, $pair->{ratio_low}) ||
				!is_rounded($4, $pair->{ratio_high}) || $5 ne ($pair->{verdict} // '');
		}
	}
}

# The screen: tables against rows, sentences against both.
sub check_screen
{
	my ($run, $text, $breaks) = @_;
	my @heads;
	for (split /\n/, $text) {
		@heads = split if /^ +size /;
		next if !/^ *($bytes) +($number) +(.*)/ || !@heads;
		my ($at, $first, $rest) = (value($1), $2, $3);
		if (my ($second, $ratio, $low, $high, $verdict) =
			$rest =~ /^($number) +($number)x  (?:-|($number) - ($number)) +(slower|faster|same)?/) {
			# Names of columns are cut: any pair with these numbers.
			my @pairs = grep { $_ } map { $run->{pairs}{$_}{$at} } keys %{$run->{pairs}};
			next if !@pairs;
			wrong('twice', 'screen: "%s" is no pair', $_) if !grep { my $pair = $_;
				is_rounded($ratio, $pair->{ratio}) && (!defined $low ||
				is_rounded($low, $pair->{ratio_low}) && is_rounded($high, $pair->{ratio_high})) &&
				($verdict // 'unclear') eq ($pair->{verdict} // 'unclear') } @pairs;
			for my $time ($first, $second) {
				wrong('twice', 'screen: "%s": no row has %s us', $_, $time) if !grep {
					$_->{$at} && is_rounded($time, $_->{$at}{median_s} * 1e6) } values %{$run->{rows}};
			}
		} elsif ($heads[1] =~ /^(?:latency|message|exchange)$/ &&
			$rest =~ /^(?:-|($number) - ($number)) +($number)/) {
			my ($from, $to) = ($1, $2);
			my @rows = grep { $_ } map { $run->{rows}{$_}{$at} } keys %{$run->{rows}};
			wrong('twice', 'screen: "%s" is no row', $_) if @rows && !grep { my $row = $_;
				is_rounded($first, $row->{median_s} * 1e6) && (!defined $from ||
				is_rounded($from, $row->{ci_low_s} * 1e6) &&
				is_rounded($to, $row->{ci_high_s} * 1e6)) } @rows;
		}
	}
	my ($curve) = keys %{$run->{rows}} == 1 ? values %{$run->{rows}} : undef;
	for (paragraphs($text, 16)) {
		check_quality($run, $_) if /^  quality /;
		check_sentence($run, $_);
		check_costs($run, $_) if /^  cold buffers /;
		check_places($run, $1, $2, $breaks) if /^  (step|dropout|faster) +(.*)/ && !/p=/;
		check_fit($run, $_, $curve, $breaks) if /^  r_inf/ && $curve;
		check_bend($_, $breaks);
	}
}

# Factors and percentages beside two times.
sub check_sentence
{
	my ($run, $text) = @_;
	if ($text =~ /new: ($number \S+) at $bytes, after \d+ messages? ($number \S+): ($effect)/) {
		my ($ratio) = ratio($3);
		my $times = value($1) / value($2);
		wrong('percent', '"%s": the times are %.4f', $text, $times)
			if abs($ratio - $times) > 0.002 * $times;
	}
	if ($text =~ /why $bytes +($number) us reusing, ($number) us with cold buffers: ($number)x/) {
		wrong('percent', '"%s": the times are %.4f', $text, $2 / $1)
			if abs($2 / $1 - $3) > 0.02 * $3 && abs($2 / $1 - $3) > 0.0051;
	}
	while ($text =~ /(\d+) of (\d+) (?:sizes|passes|ratios|times|clauses)/g) {
		wrong('count', '"%s"', $text) if $1 > $2;
	}
}

# "slower at N of M sizes; K by themselves", and the largest effect of a span.
sub check_costs
{
	my ($run, $text) = @_;
	my ($cost) = grep { $_->{of} eq 'rotate/reuse' } @{$run->{findings}{costs} // []};
	return if !$cost || @{$run->{findings}{costs}} > 1;
	my ($pairs) = map { $run->{pairs}{$_} } grep { m!^cold/warm! } keys %{$run->{pairs}};
	if ($text =~ /slower at (\d+) of (\d+) sizes?(?:, faster at (\d+))?; (\d+) by/) {
		my %sizes = (slower => 0, faster => 0);
		$sizes{$_->{verdict} // ''} += $_->{sizes} for @{$cost->{ranges}};
		wrong('count', '"%s": ranges of %d and %d, %d by themselves', $text, @sizes{qw(slower faster)},
			$cost->{slower} + $cost->{faster})
			if $1 != $sizes{slower} || $2 != $cost->{pairs} || ($3 // 0) != $sizes{faster} ||
			$4 != $cost->{slower} + $cost->{faster};
	}
	my %said;
	while ($text =~ /(up to|most at $bytes:)? ?($effect)(?: at ($bytes))?/g) {
		my ($before, $effect, $at) = ($1 // '', $2, $3);
		($at) = $before =~ /($bytes)/ if $before =~ /^most/;
		next if !$at || $before eq '';
		my $pair = $pairs->{value($at)} // next;
		wrong('twice', '"%s", pair %.4f [%.4f, %.4f]', $effect, @$pair{qw(ratio ratio_low ratio_high)})
			if !is_effect($effect, @$pair{qw(ratio ratio_low ratio_high)});
		$said{$at} = $effect;
	}
	my ($most) = sort { $b->{ratio} <=> $a->{ratio} }
		grep { ($_->{verdict} // '') eq 'slower' } values %$pairs;
	my @up = map { (ratio($_))[0] } values %said;
	wrong('largest', '"%s": %.4f at %d B', $text, $most->{ratio}, $most->{bytes})
		if $most && @up && !grep { $_ >= $most->{ratio} - 0.006 * $_ } @up;
}

# A bend of the screen is one of NPreport.
sub check_bend
{
	my ($text, $breaks) = @_;
	my ($low, $high, $effect) = $text =~ /^  bend +($bytes) to ($bytes): the cost per byte (\S+ $number)x/ or return;
	wrong('twice', 'screen: "%s": not in the report', $text) if !grep { $_->{kind} eq 'bend' &&
		$_->{sure} && $_->{low} == value($low) && $_->{high} == value($high) &&
		index($_->{text}, "$effect" . 'x') >= 0 } @$breaks;
}

# Steps and dropouts of the screen are those of NPreport.
sub check_places
{
	my ($run, $kind, $text, $breaks) = @_;
	$kind = 'dropout' if $kind eq 'faster';
	while ($text =~ /($bytes)(?: to ($bytes))?: ($effect)/g) {
		my ($low, $high, $effect) = (value($1), value($2 // $1), $3);
		my @same = grep { $_->{kind} eq $kind && $_->{low} == $low && $_->{high} == $high &&
			$_->{sure} } @$breaks;
		wrong('twice', 'screen: %s %d to %d B, %s: not in the report', $kind, $low, $high, $effect)
			if !grep { is_effect($effect, $_->{ratio}, @{$_->{interval}}) } @same;
	}
}

sub check_fit
{
	my ($run, $text, $rows, $breaks) = @_;
	return if $text !~ /(?:r_inf, n_1\/2) +($number) (\S+) \[($number), ($number)\].*?from ($bytes) (?:to ($bytes)|on)/;
	my ($high, $unit, $from, $to) = ($4, $2, value($5), $6 ? value($6) : 9e99);
	for my $row (values %$rows) {
		my $at = $row->{bytes};
		next if $at < $from || $at > $to || $row->{flags} =~ /host_state/ ||
			grep { $_->{kind} eq 'dropout' && $_->{low} <= $at && $at <= $_->{high} } @$breaks;
		wrong('peak', 'screen: "%s", %.5g Mbit/s at %d B', $text, $row->{mbps}, $row->{bytes})
			if $row->{mbps} > $high * $scale{$unit} * 1.0005;
	}
}

# The page: points of its pictures against rows, steps against the report.
sub check_page
{
	my ($run, $page, $breaks) = @_;
	while ($page =~ /<title>([^<\n]+)\n[^<\n]*\((\d+) bytes\)\n($number \S+)(?: \[($number \S+), ($number \S+)\])?\n($number [^\s<]+)/g) {
		my ($name, $at, $time, $low, $high, $rate) = ($1, $2, $3, $4, $5, $6);
		my $row = ($run->{rows}{$name} // next)->{$at};
		wrong('twice', 'page: %s, %d B: %s', $name, $at, $time) if !$row ||
			!is_rounded($time, $row->{median_s}) || !is_rounded($rate, $row->{mbps}) ||
			(defined $low && !(is_rounded($low, $row->{ci_low_s}) &&
			is_rounded($high, $row->{ci_high_s})));
	}
	while ($page =~ /<title>(step|dropout|faster) ($bytes)(?: to ($bytes))?: ($number)x/g) {
		my ($kind, $low, $high, $ratio) = ($1 eq 'faster' ? 'dropout' : $1, value($2),
			value($3 // $2), $4);
		wrong('twice', 'page: %s %d to %d B: %sx', $kind, $low, $high, $ratio)
			if !grep { $_->{kind} eq $kind && $_->{low} == $low && $_->{high} == $high &&
			abs($_->{ratio} - $ratio) <= 0.0055 } @$breaks;
	}
}

# ---- Commands -------------------------------------------------------------------------

sub slurp
{
	my ($path) = @_;
	open my $in, '<', $path or die "$path: $!\n";
	local $/;
	return <$in> // '';
}

my $work = tempdir(CLEANUP => 1);

# Contradictions of a run; `change` edits the texts before they are checked.
sub contradictions
{
	my ($report, $json, $screen, $change) = @_;
	@found = ();
	system("'$report' --html $work/page --force '$json' >$work/report 2>/dev/null");
	my %text = (json => slurp($json), report => slurp("$work/report"),
		page => -e "$work/page" ? slurp("$work/page") : '',
		screen => $screen ? slurp($screen) : '');
	unlink "$work/page";
	return () if $change && !$change->(\%text);
	open my $out, '>', "$work/json" or die;
	print $out $text{json};
	close $out;
	my $run = read_json("$work/json");
	return () if !$run->{findings};
	check_rows($run);
	check_pairs($run);
	my $breaks = check_report($run, $text{report});
	check_screen($run, $text{screen}, $breaks);
	check_page($run, $text{page}, $breaks);
	return @found;
}

sub run_sim
{
	my ($build, $options) = @_;
	return system("'$build/NPsim' $options -v --all-rows --force --json $work/run " .
		">$work/screen 2>$work/errors");
}

sub one_of { return $_[int rand @_] }

# Lines of a model of NPsim: costs, noise, and some of what there is to find.
sub draw_model
{
	my @lines = (sprintf('latency = %d ns', 300 * 20 ** rand), sprintf('bandwidth = %.2f GB/s', 0.1 * 200 ** rand),
		sprintf('noise = sample, %.1f %%', 4 * rand), sprintf('noise = pass, %.1f %%', 1.5 * rand));
	my $size = int 16 * 2 ** rand 16;
	my $percent = sprintf '%.1f %%', 3 * 20 ** rand;
	push @lines, "step = $size, $percent" if rand() < 0.4;
	push @lines, sprintf 'step = %d, %s', 9 * $size, $percent if rand() < 0.2;
	push @lines, sprintf 'dip = %d-%d, %s', 2.5 * $size, 5 * $size, $percent if rand() < 0.3;
	push @lines, 'translation = pages, ' . int(8 * 64 ** rand) . ', 4K, 500 ns, ' . one_of('lru', 'random')
		if rand() < 0.3;
	push @lines, 'noise = visit, ' . one_of(1, 3) . ' %' if rand() < 0.2;
	push @lines, 'bimodal = 20 %, 60 %' if rand() < 0.07;
	push @lines, 'host_state = 2 s, 1 s, 40 %' . one_of('', ', unseen') if rand() < 0.2;
	return join '; ', @lines;
}

sub draw_options
{
	my ($seed) = @_;
	my @options = ("--seed $seed");
	my $what = rand;
	push @options, rand() < 0.4 ? '--profile ' .
		one_of(qw(plain loopback hca-200g infiniband-2004 vmi-2003)) : "--set '" . draw_model() . "'";
	return (@options, '--capacity ' . one_of(64, 4096), '--time-budget 20') if $what < 0.06;
	return (@options, '--why ' . one_of(64, 4096), '--time-budget 20') if $what < 0.12;
	return (@options, '--refine --quick') if $what < 0.18;
	push @options, '--quick';
	push @options, one_of('-s', '-2', '-s --window 1') if rand() < 0.2;
	push @options, one_of('-I', '-I', '--buffers rotate,fresh') if rand() < 0.5;
	push @options, "--variant a: --variant 'b:vary=latency = " . (500 + int rand 3000) . " ns'"
		if rand() < 0.15;
	push @options, '--runs ' . one_of(2, 3, 7) if rand() < 0.1;
	push @options, '--passes ' . one_of(2, 4, 9) if rand() < 0.15;
	push @options, '--per-message' if rand() < 0.08 && "@options" !~ /-s|-2|acked/;
	push @options, one_of('-l 1K', '-u 64K', '--sizes 1,8,64,512,4K,32K,256K,2M', '-p 0')
		if rand() < 0.2;
	return @options;
}

sub draw
{
	my ($build, $count, $seed, $seconds) = @_;
	my ($runs, $outputs, $began, %rules) = (0, 0, time);
	srand $seed;
	while ($runs < $count && (!$seconds || time - $began < $seconds)) {
		my $options = join ' ', draw_options($seed * 1000 + ++$runs);
		if (run_sim($build, $options) != 0) {
			print "NPsim $options: ", slurp("$work/errors");
			$rules{failed}++;
			next;
		}
		my @these = contradictions("$build/NPreport", "$work/run", "$work/screen");
		$outputs += @these != 0;
		print "NPsim $options: $_\n" for @these;
		my %once = map { /^(\w+)/; ($1 => 1) } @these;
		$rules{$_}++ for keys %once;
	}
	printf "seed %d: %d of %d outputs contradict themselves%s\n", $seed, $outputs, $runs,
		join '', map { "; $_ $rules{$_}" } sort keys %rules;
	return $outputs || $rules{failed} || !$runs;
}

# Options of runs, and what is changed in their texts: the rule that must find it, the text,
# and a pattern with its replacement.
my $unaligned = join '', map { my $size = $_; sprintf ' dip = %d-%d, 8 %%; dip = %d-%d, 4 %%;',
	$size - 3, $size - 1, $size, $size + 2 } qw(48 96 192 384 512 768);
my @plants = (
	# Dropouts that are deeper on one side of a size; at most eight are listed.
	["--set 'latency = 800 ns; overhead = 60 ns, 60 ns; bandwidth = 1 GB/s; noise = sample, .3 %; " .
		"noise = pass, .2 %;$unaligned' --seed 3",
		['twice', 'report', qr/(dropout +[^:]*: up to )/, '${1}1']],
	['--profile infiniband-2004 --quick -I --seed 1',
		['inside', 'json', qr/("ci_low_s":)/, '${1}1'],
		['least', 'json', qr/("min_s":)/, '${1}1'],
		['verdict', 'json', qr/("ratio_low":)[\d.]+(.*?"verdict":"slower")/, '${1}0.5$2'],
		['count', 'json', qr/("costs":.*?"slower":)(\d+)/, '${1}1$2'],
		['range', 'json', qr/("sizes":1,"ratio":)/, '${1}1'],
		['count', 'report', qr/(slower at )(\d+ of)/, '${1}1$2'],
		['count', 'report', qr/(\d of )(\d+ ratios within)/, '${1}1$2'],
		['count', 'screen', qr/(\d+)( by themselves)/, '${1}1$2'],
		['effect', 'report', qr/(between 2 KiB and 3 KiB: )[\d.]+x \[[^]]*\]/, '${1}51.25x [50, 52]'],
		['peak', 'report', qr/(3 KiB to \d+ \S+: .*?r_inf\s+)[\d.]+ \S+\s+\[[^]]*\]/s,
			'${1}5 Gbit/s [4.9 Gbit/s, 5.1 Gbit/s]'],
		['significant', 'report', qr/(step.*?; )significant/s, '$1not significant'],
		['class', 'report', qr/(\n  noise)/, "\n  dropout   3 KiB: 1.943x the time interpolated " .
			'from its neighbours [1.9, 1.99]; significant$1'],
		['largest', 'report', qr/(steps       \d+; the largest: .*?, )[\d.]+x/, '${1}1.10x'],
		['largest', 'report', qr/\nsteps .*/, ''],
		['largest', 'screen', qr/(up to )[\d.]+x\s+slower\s+\[[^]]*\]/, '${1}1.01x slower [1, 1.02]'],
		['twice', 'report', qr/(  peak +)/, '${1}1'],
		['twice', 'report', qr/(  latency +)/, '${1}1'],
		['twice', 'report', qr/(64 B   )/, '${1}1'],
		['twice', 'screen', qr/(\n +64 B +)/, '${1}1'],
		['twice', 'screen', qr/(  step .*?: )/s, '${1}1'],
		['twice', 'page', qr/(\(64 bytes\)\n)/, '${1}1'],
		['twice', 'page', qr/(<title>step [^:]*: )/, '${1}1'],
		['passes', 'screen', qr/(\d+)(\s+passes,\s+[\d.]+ s)/, '1$1$2']],
	['--profile hca-200g --quick --seed 2',
		['twice', 'screen', qr/(\n +64 B +)/, '${1}1'],
		['peak', 'screen', qr/(r_inf, n_1\/2 +[\d.]+ Gbit\/s\s+\[)[^]]*/, '${1}100, 101']],
	['--profile vmi-2003 --quick --seed 1',
		['twice', 'screen', qr/(  bend .*?changes\s+)/s, '${1}1']],
	['--profile infiniband-2004 --why 4K --time-budget 20 --seed 3',
		['percent', 'screen', qr/(with cold buffers: )/, '${1}1']]);

# Changes each text, and expects the rule; every rule is expected somewhere.
sub planted
{
	my ($build) = @_;
	my ($missed, %planted) = (0);
	for (@plants) {
		my ($options, @changes) = @$_;
		run_sim($build, $options) == 0 or die slurp("$work/errors");
		my @these = contradictions("$build/NPreport", "$work/run", "$work/screen");
		print "unchanged: $_\n" for @these;
		$missed += @these;
		for my $change (@changes) {
			my ($rule, $which, $pattern, $replacement) = @$change;
			@these = contradictions("$build/NPreport", "$work/run", "$work/screen", sub {
				my ($text) = @_;
				$text->{$which} =~ s/$pattern/'"' . $replacement . '"'/ee; });
			$planted{$rule}++;
			next if grep { /^$rule: / } @these;
			$missed++;
			print "$options: $rule not found in $which after $pattern: @these\n";
		}
	}
	my %rules = map { $_ => 1 } slurp($0) =~ /wrong\('(\w+)'/g;
	my @never = grep { !$planted{$_} } sort keys %rules;
	print "never planted: @never\n" if @never;
	printf "%d rules, %d changes not found\n", scalar keys %rules, $missed;
	return $missed + @never;
}

my ($command, @rest) = @ARGV;
my %usage = (check => 2, draw => 3, planted => 1);
die "usage: consistent.pl check NPREPORT JSON [SCREEN] | draw BUILD COUNT SEED [SECONDS] | planted BUILD\n"
	if @rest < ($usage{$command // ''} // 99);
exit(planted(@rest) != 0) if $command eq 'planted';
exit(draw(@rest) != 0) if $command eq 'draw';
my @these = contradictions(@rest);
print "$rest[1]: $_\n" for @these;
exit(@these != 0);
