# comments.pl ROOT: "FILE:LINE: WORDS: COMMENT" for each comment of a C source in src, modules
# and report that breaks a rule of CONTRIBUTING.md, Sentences: it begins with a relation, or
# its code is a person. With --code instead prints "FILE: CODE" without comments and literals.
use strict;
use warnings;

my $first = qr/^(Of|That|Those|What|Its|It|The same|Whether)\b/;
my $person = qr/\b(says?|said|tells?|told|asks?|asked|knows|knew|hears?|heard|obeys?|obeyed|
		promises?|promised|lends?|lent|wants?|wanted)\b/ix;
my $code = @ARGV && $ARGV[0] eq '--code' && shift;
my ($root) = @ARGV;
chdir $root or die "$root: $!\n";

for my $file (sort split /\n/, `find src modules report record -name '*.[ch]'`) {
	open my $source, '<', $file or die "$file: $!\n";
	local $/;
	my $text = <$source>;
	my $rest = '';
	my $end = 0;
	while ($text =~ m{"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|/\*(.*?)\*/|//([^\n]*)}sg) {
		my $comment = $1 // $2;
		$rest .= substr($text, $end, $-[0] - $end) . ' ';
		$end = $+[0];
		next if $code || !defined $comment;
		my $line = 1 + (substr($text, 0, $-[0]) =~ tr/\n//);
		$comment =~ s/\n\s*\*?/ /g;
		$comment =~ s/\s+/ /g;
		my @words;
		for (split /(?<=[.;:]) +(?=[A-Z])/, $comment) {
			s/^ //;
			push @words, $1 if /$first/;
		}
		push @words, $comment =~ /$person/g;
		print "$file:$line: ", join(', ', @words), ":$comment\n" if @words;
	}
	$rest .= substr($text, $end);
	$rest =~ s/\s+/ /g;
	print "$file: $rest\n" if $code;
}
