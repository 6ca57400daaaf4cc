# made_run.sh - result files with a step, for tests of NPreport.  Sourced.

# make_run FILE FACTOR LAUNCHES SEED [DROPOUT]: visits of both modes, as a run of
# several runs that was killed leaves them: 10 us + 1 ns a byte, from 8 KiB on
# 30 us more, rotate 1.2 times as long, times FACTOR, with noise of 0.5 %.  64 KiB
# take DROPOUT (1) times as long.
make_run()
{
	awk -v factor="$2" -v runs="$3" -v seed="$4" \
		-v dropout="${5:-1}" '
	function noise() { return 1 + 0.01 * (rand() - 0.5) }
	BEGIN {
		srand(seed)
		for (l = 0; l < runs; l++) {
			printf "{\"kind\":\"header\",\"format\":2,\"program\":\"NPtest\","
			printf "\"version\":\"1\",\"op\":\"pingpong\",\"variants\":[],"
			printf "\"options\":{\"pages\":\"4k\"},"
			printf "\"transmitter\":{\"host\":\"here\",\"cpu\":\"made up\","
			printf "\"kernel\":\"none\"},\"receiver\":{\"host\":\"here\"},"
			printf "\"transmitter_path\":{\"eager_limit_bytes\":{\"value\":8192,"
			printf "\"unit\":\"bytes\",\"source\":null}}}\n"
			shift = noise()
			for (n = 1; n <= 1048576; n *= 2) {
				serial++
				for (arm = 0; arm < 2; arm++) {
					t = (1e4 + n + (n >= 8192) * 3e4) * factor * shift
					t *= (arm ? 1.2 : 1)
					t *= (n == 65536 ? dropout : 1)
					printf "{\"kind\":\"visit\",\"run\":%d,\"pass\":0,", l
					printf "\"serial\":%d,\"bytes\":%d,", serial, n
					printf "\"op\":\"pingpong\",\"mode\":\"%s\",", \
						arm ? "rotate" : "reuse"
					printf "\"variant\":null,\"code_path\":\"\","
					printf "\"sentinel\":false,\"iterations\":10,\"blocks\":1,"
					printf "\"warmup_per_block\":0,"
					printf "\"samples_per_block\":3,\"core_latency_ns\":null,"
					printf "\"warmup_ns\":[],\"samples_ns\":[%d,%d,%d],", \
						t * 20 * noise(), t * 20 * noise(), \
						t * 20 * noise()
					printf "\"counts\":{}}\n"
				}
			}
		}
	}' >"$1"
}
