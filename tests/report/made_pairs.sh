# made_pairs.sh - result files of all pairs with what is slow, for tests of NPreport.
# Sourced.

# make_pairs FILE HOSTS [PAIR [MISSING [HOST]]]: as NPfleet writes it, 64 B and
# 256 KiB between h1, h2 ...: 20 us + 1 ns a byte, with 3 % of difference from pair to
# pair; PAIR ("h1 h4") takes 5 times as long a byte and was found so, MISSING cannot be
# reached, and all pairs of HOST ("h3") take twice as long.
make_pairs()
{
	awk -v hosts="$2" -v slow="${3-}" -v missing="${4-}" -v host="${5-}" '
	function list(prefix, suffix,	i, text) {
		for (i = 1; i <= hosts; i++)
			text = text (i > 1 ? "," : "") "\"" prefix i suffix "\""
		return text
	}
	function time(from, to, bytes,	t) {
		seed = (seed * 7919 + 17) % 1009
		t = 2e-5 + bytes * 1e-9 * ("h" from " h" to == slow ? 5 : 1)
		t *= "h" from == host || "h" to == host ? 2 : 1
		return t * (1 + 0.03 * (seed / 1009 - 0.5))
	}
	BEGIN {
		printf "{\"kind\":\"hosts\",\"program\":\"NPtest\",\"version\":\"1\","
		printf "\"module\":\"test\",\"op\":\"pingpong\",\"ranks\":false,\"slow\":0.07,"
		printf "\"hosts\":[%s],\"addresses\":[%s],", list("h", ""), list("10.0.0.", "")
		printf "\"groups\":[%s]}\n", list("g", "")
		for (from = 1; from <= hosts; from++)
			for (to = from + 1; to <= hosts; to++) {
				if ("h" from " h" to == missing) {
					printf "{\"kind\":\"unmeasured\",\"from\":\"h%d\",", from
					printf "\"to\":\"h%d\",\"reason\":", to
					printf "\"cannot reach 10.0.0.%d: no route to host\"}\n", to
					continue
				}
				printf "{\"kind\":\"round\",\"look\":false,\"bytes\":[64,262144],"
				printf "\"from\":[%d],\"to\":[%d],", from - 1, to - 1
				printf "\"smallest_s\":[%.9g],", time(from, to, 64)
				printf "\"largest_s\":[%.9g],", time(from, to, 262144)
				printf "\"smallest_error\":0.005,\"largest_error\":0.005,\"degrees\":24}\n"
			}
		if (slow != "") {
			printf "{\"kind\":\"suspect\",\"from\":\"%s\",", substr(slow, 1, index(slow, " ") - 1)
			printf "\"to\":\"%s\",", substr(slow, index(slow, " ") + 1)
			printf "\"bytes\":262144,\"outcome\":\"slow\",\"first\":4.7,\"ratio\":4.6,"
			printf "\"low\":4.5,\"high\":4.7,\"looks\":5}\n"
		}
		printf "{\"kind\":\"host\",\"host\":\"h1\",\"group\":\"g1\",\"bytes\":64,\"pairs\":3,"
		printf "\"median_s\":2e-5,\"ratio\":1.0,\"low\":0.9,\"high\":1.1,\"q\":1.0,"
		printf "\"slow\":false}\n"
		printf "{\"kind\":\"group\",\"group\":\"g1\",\"bytes\":64,\"uplink\":false,"
		printf "\"ratio\":1.0,\"low\":0.9,\"high\":1.1,\"q\":1.0,\"slow\":false}\n"
		printf "{\"kind\":\"fleet\",\"pairs\":%d,\"rounds\":3,", hosts * (hosts - 1) / 2
		printf "\"slow_hosts\":0,\"slow_pairs\":0,\"slow_groups\":0,\"undecided\":0}\n"
	}' >"$1"
}
