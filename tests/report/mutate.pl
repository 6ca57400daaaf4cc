#!/usr/bin/perl
# mutate.pl NPREPORT DATA [N [FORMAT...]] - reads N mutants of the samples of each format with
# NPREPORT: a line dropped, doubled, cut, torn or moved, a column removed, a foreign line or a
# blank one inserted, another unit in the header, CR LF, prefixes of launchers.
#
# A figure of a mutant has to be one of tests/data/figures.tsv at that size, scaled where the unit
# was changed.  Rows may be fewer than the mutant has only if a message names the file.  Mutants
# have the number of their seed; those that fail are kept and named.  Ends with 1 if there are any.
use strict;
use warnings FATAL => 'all';
use File::Temp qw(tempdir);
use FindBin;
use lib $FindBin::Bin;
use figures;

my %samples = (
	osu => [qw(import/osu_latency.txt field/osu_types.txt field/osu_cuda_bibw_validation.txt
		field/osu_reduce_cuda_full.txt field/osu_mbw_mr.txt field/osu_nbc_mixed.txt)],
	imb => [qw(field/imb_ext_modes.txt field/imb_sendrecv.txt import/imb_pingpong.txt
		field/imb_multi1.txt field/imb_out_of_mem.txt)],
	perftest => [qw(import/ib_send_lat.txt import/ib_write_bw.txt field/perftest_sl.txt
		field/perftest_cpu_freq_a.txt field/perftest_old.txt)],
	ucx => [qw(import/ucx_perftest-1.13.txt field/ucx_old_rows.txt
		import/ucx_perftest-1.13-rank.txt import/ucx_perftest-1.13-box.txt)],
	nccl => [qw(import/nccl-2.18-all_reduce.txt field/nccl1_all_reduce.txt field/msccl_wrong.txt
		field/mscclpp_both.txt import/nccl-sendrecv.txt)],
	fabtests => [qw(import/fabtests-rdm_pingpong.txt import/fabtests-pingpong_m.txt
		import/fi_pingpong-1.17.txt field/rstream.txt)],
	sockperf => [qw(import/sockperf-3.7-ping_pong.txt import/sockperf-3.7-throughput.txt
		import/sockperf-3.7-full_rtt.txt)],
	json => [qw(import/iperf3-3.12-tcp.json import/iperf3-3.12-bidir.json
		import/iperf3-3.12-udp_loss.json field/nccl_json.txt field/perftest_json2.txt)],
	netperf => [qw(import/netperf-2.7-omni_rr.txt import/netperf-2.7-tcp_rr.csv
		import/netperf-2.7-tcp_stream.csv field/netperf_udp_stream.txt)],
	netpipe => [qw(import/netpipe5.out import/netpipe-3.7.2-screen.txt field/netpipe_sec.txt
		field/np-mpi-sm.out)],
	csv => [qw(import/time.csv import/rate.csv field/csv_blank.csv)],
);
# Figures that a reader may compute if the line of the better one is gone: what was sent and not
# lost; a row of progress of a ucx_perftest whose rows of results look alike; transactions a
# second; sockperf's default size where the command line has none.
my %second = ('import/netperf-2.7-omni_rr.txt' => [[64, 'trans/s', '19801.17'], [64, 'us/2', '50.502']],
	'import/netperf-2.7-tcp_rr.csv' => [[1024, 'trans/s', '18034.52'], [1024, 'us/2', '55.449']],
	'import/iperf3-3.12-udp_loss.json' => [[1400, 'bit/s', '130947641']],
	'import/sockperf-3.7-ping_pong.txt' => [[14, 'us', '11.486'], [14, 'us', '8.751']],
	'import/sockperf-3.7-full_rtt.txt' => [[14, 'us/2', '13.550']],
	'import/ucx_perftest-1.13.txt' => [[64, 'us', '5.682'], [64, 'us', '327.701']],
	'field/ucx_old_rows.txt' => [map { [1024000, @$_] } ['us', '85.420'], ['us', '85.449'],
		['msg/s', '11707'], ['msg/s', '11703'], ['MiB/s', '11432.40'], ['MiB/s', '11428.53']]);
# Lines that were found in tables as people post them.
my @foreign = (
	'10-142-5-57:10775:10881 [2] NCCL INFO Channel 00/0 : 2[50000] -> 6[63000] via NET/IB/0',
	'[1741244344.655540] [node1:1963139:0]  perftest.c:800  UCX  WARN  CPU affinity is not set',
	'2025-06-09 10:00:02 node1: temperature above threshold',
	'Conflicting CPU frequency values detected: 1500.000000 != 1663.676000.',
	'15: Error Reduce_scatter,size = 4,sample #0',
	'64 bytes from 192.0.2.1: icmp_seq=1 ttl=64 time=0.045 ms',
	'0 gpu 0',
	'real 12.81',
	'METRICS OPERATOR TIMEPOINT',
	'slurmstepd: error: *** STEP 4711.0 ON node1 CANCELLED AT 2026-11-28T00:00:00 ***',
	'[node1:12345] 1 more process has sent help message help-mpi-btl-openib.txt',
	'###',
);
my @prefixes = ('[1,0]<stdout>:', '0: ', '00:55:22  ', '2026-11-28T00:55:22.123Z ', 'node1: ');
# Units in headers and what they become: pattern, text, factor of a time or of a rate.
my @units = (
	['\busec\b', 'msec', 'time', 1e3], ['\(us\)', '(ms)', 'time', 1e3],
	['Microseconds', 'Milliseconds', 'time', 1e3], ['\bus\b(?=\))', 'ns', 'time', 1e-3],
	['\(MB/s\)', '(GB/s)', 'rate', 1e3], ['\[MB/sec\]', '[KB/sec]', 'rate', 1e-3],
	['Mbytes/sec', 'Gbytes/sec', 'other', 1], ['10\^6bits/s', '10^9bits/s', 'rate', 1e3],
	['\[Gb/sec\]', '[Mb/sec]', 'rate', 1e-3], ['Mbit/s', 'Gbit/s', 'rate', 1e3],
	['Trans/s', 'KTrans/s', 'other', 1], ['Mbps', 'Gbps', 'rate', 1e3],
	['\(GB/s\)', '(MB/s)', 'other', 1],
);

my ($program, $data, $count, @formats) = @ARGV;
$count ||= 40;
@formats = sort keys %samples if !@formats;
my $table = figures::table("$data/figures.tsv");
my $work = tempdir(CLEANUP => 1);
my ($first, $batch) = ($ENV{NP_SEED} // 1, 100);
my $keep = $ENV{TMPDIR} // '/tmp';
# A sanitizer that ends the program is told from a file that cannot be read.
$ENV{ASAN_OPTIONS} = 'exitcode=99:detect_leaks=1:' . ($ENV{ASAN_OPTIONS} // '');
$ENV{UBSAN_OPTIONS} = 'halt_on_error=1:exitcode=99:' . ($ENV{UBSAN_OPTIONS} // '');
my $failed = 0;
printf "%-9s %8s %8s %8s %8s %8s\n", qw(format mutants figures said false silent);
for my $format (@formats) {
	die "no format $format\n" if !$samples{$format};
	my @from = map { sample($_) } @{$samples{$format}};
	my %sum = (mutants => 0, figures => 0, said => 0, false => 0, silent => 0, crash => 0);
	for (my $begin = $first; $begin < $first + $count; $begin += $batch) {
		my $end = $begin + $batch < $first + $count ? $begin + $batch : $first + $count;
		run_batch($format, \@from, \%sum, $begin .. $end - 1);
	}
	printf "%-9s %8d %8d %8d %8d %8d%s\n", $format, @sum{qw(mutants figures said false silent)},
		$sum{crash} ? "  crashed: $sum{crash}" : '';
	$failed += $sum{false} + $sum{silent} + $sum{crash};
}
exit($failed > 0);

# A sample: its lines, and of each line which figures of the table stand there.
sub sample
{
	my ($file) = @_;
	open my $in, '<', "$data/$file" or die "$data/$file: $!\n";
	my @lines = <$in>;
	s/[\r\n]+$// for @lines;
	my @figures = @{($table->{$file} // die "$file is not in the table\n")->{figures}};
	my ($rows) = read_files("$data/$file");
	my ($ending) = $file =~ /(\.\w+)$/;
	return { file => $file, lines => \@lines, figures => \@figures, ending => $ending,
		rows => scalar @{$rows->{"$data/$file"} // []} };
}

sub words { return grep { length } split /[\s,:{}"=|]+/, $_[0] }

# Figures whose text stands in a line.
sub figures_in
{
	my ($line, $figures) = @_;
	my %word = map { $_ => 1 } words($line);
	my %size = map { $_ => 1 } map { size($_) } keys %word;
	my @there = grep { $word{$_->{text}} && $_->{metric} =~ /^(time|rate)$/ } @$figures;
	my @with_size = grep { $size{$_->{bytes}} } @there;
	return @with_size ? @with_size : @there;
}

sub size
{
	my ($word) = @_;
	return $word if $word !~ /^(\d+)([kmg])$/;
	return $1 * { k => 2 ** 10, m => 2 ** 20, g => 2 ** 30 }->{$2};
}

# Rows by file, messages by file, status.
sub read_files
{
	my @files = @_;
	my $pid = fork() // die "fork: $!\n";
	if (!$pid) {
		open STDOUT, '>', "$work/csv" or exit 98;
		open STDERR, '>', "$work/messages" or exit 98;
		exec $program, '--export', 'csv', @files;
		exit 98;
	}
	waitpid $pid, 0;
	my $status = $? & 127 ? 128 + ($? & 127) : $? >> 8;
	my $rows = figures::export("$work/csv");
	my %said;
	open my $in, '<', "$work/messages" or die;
	while (<$in>) {
		$said{$1} .= $_ if /^NPreport: (?:\w+: )?(\S+?\/mutant-[a-z]+-\d+\.\w+)/;
	}
	return ($rows, \%said, $status);
}

sub run_batch
{
	my ($format, $from, $sum, @seeds) = @_;
	my (%mutants, @files);
	for my $seed (@seeds) {
		srand $seed * 7919 + length $format;
		my $mutant = mutate($from->[int rand @$from]);
		my $file = "$work/mutant-$format-$seed$mutant->{sample}{ending}";
		open my $to, '>', $file or die "$file: $!\n";
		print $to $mutant->{text};
		close $to;
		$mutants{$file} = $mutant;
		push @files, $file;
	}
	my ($rows, $said, $status) = read_files(@files);
	if ($status > 1) {
		if (@seeds > 1) {
			run_batch($format, $from, $sum, @seeds[0 .. @seeds / 2 - 1]);
			run_batch($format, $from, $sum, @seeds[@seeds / 2 .. $#seeds]);
			return;
		}
		$sum->{crash}++;
		fail($files[0], $mutants{$files[0]}, "status $status");
	}
	for my $file (@files) {
		my ($mutant, $mine, $word) = ($mutants{$file}, $rows->{$file} // [], $said->{$file} // '');
		$sum->{mutants}++;
		$sum->{figures} += @$mine;
		$sum->{said}++ if $word ne '';
		my @false = grep { !right($_, $mutant, $word) } @$mine;
		if (@false) {
			$sum->{false}++;
			my $row = $false[0];
			fail($file, $mutant, "$row->{op}|$row->{variant} $row->{bytes} B: $row->{median_s} s");
		} elsif (@$mine < $mutant->{rows} && $word eq '') {
			$sum->{silent}++;
			fail($file, $mutant, sprintf '%d rows of %d, and no word', scalar @$mine, $mutant->{rows});
		}
		unlink $file;
	}
}

sub fail
{
	my ($file, $mutant, $what) = @_;
	my ($name) = $file =~ m!([^/]+)$!;
	open my $to, '>', "$keep/$name" or die "$keep/$name: $!\n";
	print $to $mutant->{text};
	print "# $keep/$name: $mutant->{sample}{file}, @{$mutant->{how}}: $what\n";
}

# Whether the time of a row is one that the mutant has at its size.
sub right
{
	my ($row, $mutant, $word) = @_;
	my @times;
	for my $figure (@{$mutant->{sample}{figures}}, @{$mutant->{cut}}, @{$mutant->{second}}) {
		my $fixed = grep { $_ == $figure } @{$mutant->{second}};
		next if $figure->{bytes} != $row->{bytes} || !defined $figure->{seconds} ||
			$figure->{metric} !~ /^(time|rate|mean|p50)$/;
		my $class = $figure->{rate} ? 'rate' : 'time';
		my $scale = $mutant->{scale}{$class} // 1;
		$scale = 1 / $scale if $class eq 'rate';
		for my $factor ($fixed ? 1 : $scale, $mutant->{scale}{maybe} ? 1 : ()) {
			push @times, [$factor * $figure->{seconds}, $figure->{near} + $mutant->{slack}];
		}
	}
	my @ways = figures::both_ways($row);
	for my $time (@times) {
		return 1 if grep { figures::near($row->{median_s}, $_ * $time->[0], $time->[1]) } @ways;
	}
	# Tables that lost what told them apart are repetitions, which is said.
	if ($word =~ /repetition|same name/) {
		for my $one (@times) {
			return 1 if grep { figures::near($row->{median_s}, ($one->[0] + $_->[0]) / 2,
				$one->[1] + $_->[1] + 1e-3) } @times;
		}
	}
	return 0;
}

# A mutant of a sample: text, what was done, rows that it still has, figures of cut numbers.
sub mutate
{
	my ($sample) = @_;
	my %mutant = (sample => $sample, how => [], rows => $sample->{rows}, cut => [], scale => {},
		second => [], was => {}, slack => 0,
		lines => [@{$sample->{lines}}], ending => "\n", last => "\n");
	# Two that lose words could make a whole row of another table.
	my @losing = (\&cut, \&cut, \&lose_word, \&lose_column, \&lose_column, \&lose_title,
		\&lose_both, \&end_early, \&tear);
	my @others = (\&drop, \&drop, \&double, \&insert, \&insert, \&other_unit, \&other_unit,
		\&blank, \&returns, \&prefix, \&prefix_one, \&move);
	my @kinds = rand() < 0.45 ? $losing[int rand @losing] : $others[int rand @others];
	push @kinds, $others[int rand @others] if rand() < 0.3;
	# A row elsewhere with a prefix is any text.
	pop @kinds if grep({ $_ == \&move } @kinds) && grep { $_ == \&prefix_one } @kinds;
	for my $kind (@kinds) {
		push @{$mutant{how}}, $kind->(\%mutant) if @{$mutant{lines}} > 1;
	}
	# A unit that was changed, in a line that is gone, or behind a row.
	$mutant{scale}{maybe} = 1 if $mutant{unit} && (!grep({ /\Q$mutant{unit}/ } @{$mutant{lines}}) ||
		grep { $_ == \&move } @kinds);
	$mutant{text} = join($mutant{ending}, @{$mutant{lines}}) . $mutant{last};
	return \%mutant;
}

# A line at random, rather one of a table.
sub any_line
{
	my ($mutant) = @_;
	my $lines = $mutant->{lines};
	my @rows = grep { figures_in($lines->[$_], $mutant->{sample}{figures}) } 0 .. $#$lines;
	return @rows && rand() < 0.5 ? $rows[int rand @rows] : int rand @$lines;
}

sub is_row { return $_[0] =~ /^\s*[\d.]+[kmg]?[\s,]+[-\d.]/ }

# Rows that a line has, which go with it.
sub gone
{
	my ($mutant, $line) = @_;
	spoilt($mutant);
	my %curves = map { ("$_->{curve} $_->{bytes}" => 1) }
		figures_in($line, $mutant->{sample}{figures});
	return scalar keys %curves;
}

# The second best may be taken where the best was.
sub spoilt
{
	my ($mutant) = @_;
	my $second = $second{$mutant->{sample}{file}} // [];
	$mutant->{second} = [map { figures::figure('-', $_->[1] =~ /us|trans/ ? 'time*' : 'rate*',
		@$_[1, 0, 2]) } @$second];
}

sub drop
{
	my ($mutant) = @_;
	my $at = any_line($mutant);
	my ($line) = splice @{$mutant->{lines}}, $at, 1;
	$mutant->{rows} -= gone($mutant, $mutant->{was}{$line} // $line);
	return 'drop ' . ($at + 1);
}

sub double
{
	my ($mutant) = @_;
	my $at = any_line($mutant);
	splice @{$mutant->{lines}}, $at, 0, $mutant->{lines}[$at];
	return 'double ' . ($at + 1);
}

# What a number was before it was cut is not to be known: its first digits are in the file.
sub cut_at
{
	my ($mutant, $line, $length) = @_;
	spoilt($mutant);
	my $left = substr $line, 0, $length;
	my @left = words($left);
	my @whole = words($line);
	if (@left && $left[-1] ne $whole[$#left] && $left[-1] =~ /^\d*\.?\d*$/) {
		for (@{$mutant->{sample}{figures}}) {
			next if $_->{text} ne $whole[$#left] || $_->{text} == 0 || !defined $_->{seconds};
			push @{$mutant->{cut}}, { %$_, text => $left[-1], near => 1e-6,
				seconds => $_->{seconds} * ($_->{rate} ? $_->{text} / ($left[-1] + 0 || 1)
					: $left[-1] / $_->{text}) };
		}
	}
	return $left;
}

sub cut
{
	my ($mutant) = @_;
	my $at = any_line($mutant);
	my $line = \$mutant->{lines}[$at];
	my $length = int rand(1 + length $$line);
	my $whole = $$line;
	$$line = cut_at($mutant, $whole, $length);
	$mutant->{was}{$$line} = $whole;
	$mutant->{rows} -= gone($mutant, $whole) if $$line !~ /\S/;
	return 'cut ' . ($at + 1) . " at $length";
}

sub end_early
{
	my ($mutant) = @_;
	my $at = any_line($mutant);
	my @gone = splice @{$mutant->{lines}}, $at + 1;
	$mutant->{rows} -= gone($mutant, $_) for @gone;
	my $line = \$mutant->{lines}[$at];
	$mutant->{rows} -= gone($mutant, $$line);
	my $length = int rand(1 + length $$line);
	$$line = cut_at($mutant, $$line, $length);
	$mutant->{last} = '';
	return 'end in ' . ($at + 1) . " at $length";
}

sub without
{
	my ($line, $word) = @_;
	my $n = 0;
	$line =~ s/(\s*[^\s,]+,?)/$n++ == $word ? '' : $1/ge;
	return $line;
}

sub lose_word
{
	my ($mutant) = @_;
	my $at = any_line($mutant);
	my @words = split ' ', $mutant->{lines}[$at];
	my $word = int rand(1 + @words);
	spoilt($mutant);
	my $whole = $mutant->{lines}[$at];
	$mutant->{lines}[$at] = without($whole, $word);
	$mutant->{was}{$mutant->{lines}[$at]} = $whole;
	return 'word ' . ($word + 1) . ' of ' . ($at + 1);
}

# A column of all rows, under a header that still has it.
sub lose_column
{
	my ($mutant) = @_;
	my $column = int rand 6;
	for (@{$mutant->{lines}}) {
		$_ = without($_, $column) if is_row($_);
	}
	return 'column ' . ($column + 1);
}

# A name in a header, over rows that still have the column.
sub lose_title
{
	my ($mutant) = @_;
	my $lines = $mutant->{lines};
	my @titles = grep { $lines->[$_] =~ /bytes|size|time|latency|\(|\[/i && !is_row($lines->[$_]) }
		0 .. $#$lines;
	return 'nothing' if !@titles;
	my $at = $titles[int rand @titles];
	my @words = split ' ', $mutant->{lines}[$at];
	my $word = int rand @words;
	$mutant->{lines}[$at] = without($mutant->{lines}[$at], $word);
	return 'title ' . ($word + 1) . ' of ' . ($at + 1);
}

# A column with its name, where a header has a word for each.
sub lose_both
{
	my ($mutant) = @_;
	my $column = 1 + int rand 5;
	my ($titles, $n) = (0, 0);
	for (@{$mutant->{lines}}) {
		my @words = split /[\s,]+/, s/^\s+//r;
		if (/^\s*#?bytes\b/ && @words > $column) {
			($titles, $n) = (1, scalar @words);
			$_ = without($_, $column);
		} elsif ($titles && is_row($_) && @words == $n) {
			$_ = without($_, $column);
		}
	}
	# The time may be computed out of a rate that has few digits, and not of an empty message.
	return 'nothing' if !$titles;
	$mutant->{slack} = 0.07;
	$mutant->{scale}{maybe} = 1;
	$mutant->{rows} -= grep { $_->{bytes} == 0 && $_->{metric} eq 'time' }
		@{$mutant->{sample}{figures}};
	return 'column and title ' . ($column + 1);
}

sub insert
{
	my ($mutant) = @_;
	my $at = any_line($mutant);
	my $line = $foreign[int rand @foreign];
	splice @{$mutant->{lines}}, $at, 0, $line;
	return 'insert ' . ($at + 1);
}

# A foreign line without a line feed before it.
sub tear
{
	my ($mutant) = @_;
	my $at = any_line($mutant);
	my $line = $mutant->{lines}[$at];
	# The name of a column of CSV ends in its unit, whatever that is.
	return 'nothing' if $at == 0 && $mutant->{sample}{ending} eq '.csv';
	# The rest of a row is no row, if its size is on the other line.
	my ($size) = $line =~ /^(\s*\S*)/;
	my $length = length($size) + int rand(1 + length($line) - length $size);
	my $left = cut_at($mutant, $line, $length);
	my $foreign = $foreign[int rand @foreign];
	# Digits of both would make a number.
	$left .= ' ' if $left =~ /[\d.]$/ && $foreign =~ /^\d/;
	splice @{$mutant->{lines}}, $at, 1, $left . $foreign, substr $line, $length;
	$mutant->{was}{$left . $foreign} = $line;
	return 'tear ' . ($at + 1) . " at $length";
}

sub other_unit
{
	my ($mutant) = @_;
	my $text = join "\n", @{$mutant->{lines}};
	my @there = grep { $text =~ /$_->[0]/ } @units;
	return 'nothing' if !@there || %{$mutant->{scale}};
	my $unit = $there[int rand @there];
	spoilt($mutant);
	s/$unit->[0]/$unit->[1]/g for @{$mutant->{lines}};
	$mutant->{scale}{$unit->[2]} = $unit->[3];
	$mutant->{unit} = $unit->[1];
	# Of two columns either may be taken; percentiles of sockperf have no unit.
	$mutant->{scale}{maybe} = 1 if $unit->[2] eq 'other' ||
		$mutant->{sample}{file} =~ /netpipe|sockperf|omni|tcp_rr|json/ ||
		$unit->[2] eq 'rate' && grep { $_->{unit} eq 'msg/s' } @{$mutant->{sample}{figures}};
	return "unit $unit->[1]";
}

sub blank
{
	my ($mutant) = @_;
	my $at = any_line($mutant);
	splice @{$mutant->{lines}}, $at, 0, '';
	return 'blank ' . ($at + 1);
}

sub returns
{
	my ($mutant) = @_;
	$mutant->{ending} = $mutant->{last} = "\r\n";
	return 'CR LF';
}

sub prefix
{
	my ($mutant) = @_;
	my $prefix = $prefixes[int rand @prefixes];
	$_ = $prefix . $_ for @{$mutant->{lines}};
	return "prefix $prefix";
}

sub prefix_one
{
	my ($mutant) = @_;
	my $prefix = $prefixes[int rand @prefixes];
	my $at = any_line($mutant);
	$mutant->{lines}[$at] = $prefix . $mutant->{lines}[$at];
	return "prefix $prefix of " . ($at + 1);
}

sub move
{
	my ($mutant) = @_;
	my $from = any_line($mutant);
	# A command line is of what follows it; percentiles of sockperf are of what precedes them;
	# a member of an object is of that object.
	return 'nothing' if $mutant->{sample}{file} =~ /sockperf|json/ || $mutant->{lines}[$from] =~ /^\$ /;
	spoilt($mutant);
	my ($line) = splice @{$mutant->{lines}}, $from, 1;
	my $to = int rand(1 + @{$mutant->{lines}});
	splice @{$mutant->{lines}}, $to, 0, $line;
	# Before any header a row is like other text.
	my $lines = $mutant->{lines};
	my ($header) = grep { $lines->[$_] =~ /bytes|size|time/i && !is_row($lines->[$_]) }
		0 .. $#$lines;
	$mutant->{rows} -= gone($mutant, $line) if defined $header && $to <= $header;
	return 'move ' . ($from + 1) . ' to ' . ($to + 1);
}
