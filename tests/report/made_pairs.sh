# made_pairs.sh - result files of all pairs with a slow link, for tests of NPreport.
# Sourced.

# make_pairs FILE HOSTS [SLOW [MISSING [WAYS]]]: as NPtcp --all-pairs writes it, 64 B and
# 256 KiB between h1, h2 ...: 20 us + 1 ns a byte, with 3 % of difference from link to
# link; the pair SLOW ("h1 h4") takes 5 times as long a byte, MISSING cannot be reached.
# WAYS 2: from one to the other and back are two links, as of streams.
make_pairs()
{
	awk -v hosts="$2" -v slow="${3-}" -v missing="${4-}" -v ways="${5:-1}" '
	function list(prefix, suffix,	i, text) {
		for (i = 1; i <= hosts; i++)
			text = text (i > 1 ? "," : "") "\"" prefix i suffix "\""
		return text
	}
	function link(from, to, bytes,	name, t) {
		name = "h" from " h" to
		seed = (seed * 7919 + 17) % 1009
		t = 2e-5 + bytes * 1e-9 * (name == slow ? 5 : 1)
		t *= 1 + 0.03 * (seed / 1009 - 0.5)
		printf "{\"kind\":\"link\",\"from\":\"h%d\",\"to\":\"h%d\",", from, to
		printf "\"bytes\":%d,\"op\":\"%s\",\"median_s\":%.9g,", bytes, op, t
		printf "\"ci_low_s\":%.9g,\"ci_high_s\":%.9g,", t * 0.99, t * 1.01
		printf "\"mbps\":%.9g}\n", bytes * 8 / t / 1e6
	}
	BEGIN {
		op = ways == 2 ? "stream" : "pingpong"
		printf "{\"kind\":\"hosts\",\"program\":\"NPtest\",\"version\":\"1\","
		printf "\"module\":\"test\",\"op\":\"%s\",", op
		printf "\"one_way\":%s,", ways == 2 ? "true" : "false"
		printf "\"hosts\":[%s],\"addresses\":[%s]}\n", list("h", ""), list("10.0.0.", "")
		for (from = 1; from <= hosts; from++)
			for (to = 1; to <= hosts; to++) {
				if (from == to || (from > to && ways == 1))
					continue
				if ("h" from " h" to == missing) {
					printf "{\"kind\":\"unmeasured\",\"from\":\"h%d\",", from
					printf "\"to\":\"h%d\",\"reason\":", to
					printf "\"cannot reach 10.0.0.%d: no route to host\"}\n", to
					continue
				}
				link(from, to, 64)
				link(from, to, 262144)
			}
		printf "{\"kind\":\"matrix\",\"op\":\"%s\",\"bytes\":64,", op
		printf "\"median_s\":[],\"times\":[],\"slow\":[]}\n"
	}' >"$1"
}
