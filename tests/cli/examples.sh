#!/bin/bash
# The examples for other people's harnesses do what they say.  ReFrame itself is not asked:
# a module of that name, made here, gives the test the names that ReFrame gives, starts its
# program, and evaluates it as ReFrame does, in the folder of the run.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPsim NPtcp NPreport netpong
examples=$NP_SRCDIR/examples

# ---- ReFrame -----------------------------------------------------------------
mkdir -p "$work/reframe/utility" "$work/bin"
cat >"$work/reframe/__init__.py" <<'END'
class Body(type):
    @staticmethod
    def __prepare__(name, bases):
        def performance_function(unit):
            def keep(function):
                function.unit = unit
                return function
            return keep

        def sanity_function(function):
            function.sanity = True
            return function
        return {"performance_function": performance_function,
                "sanity_function": sanity_function}

class RunOnlyRegressionTest(metaclass=Body):
    pass

tests = []
simple_test = tests.append
END
cat >"$work/reframe/utility/sanity.py" <<'END'
def assert_true(value, message):
    if not value:
        raise SystemExit("sanity: " + message)
    return True
END
touch "$work/reframe/utility/__init__.py"
# The program of the nodes is the model.  CUT: the file as a run leaves it that was killed.
cat >"$work/reframe_run.py" <<'END'
import os, subprocess, sys
import reframe, reframe_netpong
test = reframe.tests[0]()
subprocess.run([os.environ["PROGRAM"], "--sizes", "64,4K", *test.executable_opts], check=True,
               stdout=subprocess.DEVNULL)
if "CUT" in os.environ:
    lines = open(test.keep_files[0]).readlines()
    open(test.keep_files[0], "w").writelines(lines[:-1])
kinds = [getattr(test, name) for name in dir(test)]
assert [check() for check in kinds if hasattr(check, "sanity")] == [True]
for figure in kinds:
    if hasattr(figure, "unit"):
        print(figure.__name__, f"{figure():.3f}", figure.unit)
END
cd "$work" || tap_bail "no folder to work in"
reframe() # NAME=VALUE...
{
	env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$work:$examples" PROGRAM="$NP_BUILDDIR/NPsim" "$@" \
		python3 "$work/reframe_run.py" >"$out" 2>"$err"
	code=$?
}
if command -v python3 >/dev/null; then
	reframe
	tap_check "the ReFrame test passes" [ "$code" -eq 0 ]
	cp "$out" "$work/figures"
	# What NPreport reads from the same file.
	run NPreport --export csv netpong.jsonl
	same_figures()
	{
		cat "$work/figures"
		awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			$at["mode"] == "reuse" && $at["bytes"] == 64 { printf "latency %.3f us\n", $at["median_s"] * 1e6 }
			$at["mode"] == "reuse" && $at["bytes"] == 4096 { printf "bandwidth %.3f Mbit/s\n", $at["mbps"] }' \
			"$out" | sort >"$work/exported"
		[ "$(grep -c . "$work/exported")" -eq 2 ] &&
			diff "$work/exported" <(grep -v cold "$work/figures" | sort)
	}
	tap_check "its figures are those of the file" same_figures
	tap_check "and count the sizes that are slower" \
		grep -Eqx "slower_with_cold_buffers [0-2]\.000 sizes" "$work/figures"
	reframe CUT=1
	tap_check "a run that was killed does not pass" eval \
		'[ "$code" -ne 0 ] && grep -qx "sanity: the run ended early" "$err"'
else
	tap_skip "the ReFrame test passes" "python3 is not installed"
fi

# ---- GitHub ------------------------------------------------------------------
# Its steps, as scripts in files.
cat >"$work/steps.py" <<'END'
import sys, yaml
flow = yaml.safe_load(open(sys.argv[1]))
for job in flow["jobs"].values():
    for step in job["steps"]:
        assert ("run" in step) != ("uses" in step), step
        if "run" in step:
            open(f"step.{step['name'].split()[0]}", "w").write(step["run"])
END
step() # NAME CLAUSES
{
	echo "$2" >"$work/clauses"
	PATH="$work/bin:$PATH" PEER=127.0.0.1 CLAUSES=$work/clauses GITHUB_STEP_SUMMARY=$work/summary \
		bash -e "$work/step.$1" >"$out" 2>"$err" </dev/null
	code=$?
}
for python in python3 /usr/bin/python3 ""; do
	[ -n "$python" ] || tap_skip "the workflow" "python3-yaml is not installed"
	[ -n "$python" ] || cli_done
	"$python" -c 'import yaml' 2>/dev/null && break
done
tap_check "the workflow is YAML with steps" "$python" "$work/steps.py" "$examples/github-workflow.yml"
start_waiting serve --serve || tap_bail "cannot wait at a port"
# A short run, to that port.
cat >"$work/bin/netpong" <<END
#!/bin/bash
[ "\$1" != tcp ] || set -- "\$@" -P $port --sizes 8 --time-budget 20 --pool 1M --force
exec "$NP_BUILDDIR/netpong" "\$@"
END
chmod +x "$work/bin/netpong"
step Look ""
tap_check "it looks at the host" grep -q governor "$out"
step Measure "NPtcp: latency(8) <= 10s"
as_expected() { [ "$code" -eq "$1" ] && return; show_run; return 1; }
tap_check "what is as expected passes" as_expected 0
step Measure "NPtcp: latency(8) <= 1ns"
tap_check "what is slower fails" as_expected 3
step Say ""
tap_check "what was found is in the summary" eval 'grep -q latency "$work/summary" && [ "$code" -eq 0 ]'
kill "$pid"
finish "$pid"
cli_done
