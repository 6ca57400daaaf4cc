#!/bin/bash
# JSON Schema of the result files: an independent validator accepts real files and refuses
# broken ones. The build makes the installed schema from the tables in
# src/output/json_kinds.c and tests/lib/schema.c.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
. "$NP_SRCDIR/tests/report/made_pairs.sh" || exit 99
need NPsim
schema=$work/schema
"$NP_BUILDDIR/tests/lib/json_lines" --schema >"$schema"

for python in python3 /usr/bin/python3 ""; do
	[ -n "$python" ] || tap_skip "files by the schema" "python3-jsonschema is not installed"
	[ -n "$python" ] || cli_done
	"$python" -c 'import jsonschema' 2>/dev/null && break
done

# validated FILE...: one line for each that says how many lines of which kind were right.
cat >"$work/validate.py" <<'END'
import collections, json, sys
from jsonschema import Draft7Validator

schema = json.load(open(sys.argv[1]))
Draft7Validator.check_schema(schema)
validator = Draft7Validator(schema)
right = collections.Counter()
wrong = 0
for name in sys.argv[2:]:
    for number, line in enumerate(open(name), 1):
        found = next(validator.iter_errors(json.loads(line)), None)
        if found:
            print(f"{name}:{number}: {found.message[:200]}")
            wrong += 1
        else:
            right[json.loads(line)["kind"]] += 1
print("right:", *sorted(right))
sys.exit(wrong != 0)
END
validated() { "$python" "$work/validate.py" "$schema" "$@"; }

number=0
for options in "-I --expect ratio(4K)<=9" "--why 4K" "--capacity 64" "--refine" \
	"-I --runs 2 --sizes 64,4K" "-s --sizes 64"; do
	number=$((number + 1))
	# shellcheck disable=SC2086 # words
	run NPsim --profile infiniband-2004 $options --seed 1 --quick --quiet \
		--json "$work/$number.jsonl"
	tap_check "a run with $options" [ "$code" -eq 0 ]
	tap_check "its file is as the schema says" validated "$work/$number.jsonl"
done
make_pairs "$work/pairs.jsonl" 4 "h1 h4" "h1 h3"
tap_check "so is one of all pairs" validated "$work/pairs.jsonl"

kinds="break capacity causes condition expect findings fleet group header host hosts knee pair"
kinds="$kinds probe quality refinement round row suspect unmeasured visit"
all_kinds()
{
	validated "$work"/*.jsonl >"$work/right"
	diff <(echo "right: $kinds") "$work/right"
}
tap_check "these files have lines of all kinds but three" all_kinds

# refuses NAME KIND EXPRESSION: the first line of that kind, changed by sed.
refuses()
{
	local name=$1 kind=$2
	cat "$work"/*.jsonl | grep -m 1 "^{\"kind\":\"$kind\"" >"$work/whole"
	sed -E "$3" "$work/whole" >"$work/broken"
	tap_check "$name is refused" eval '! cmp -s "$work/whole" "$work/broken" &&
		! validated "$work/broken" >"$out" && grep -q "broken:1: " "$out"'
}
refuses "a missing field" row 's/"median_s":[^,]*,//'
refuses "an unknown field" row 's/"median_s"/"median_ms":1,&/'
refuses "an unknown kind" row 's/"row"/"rows"/'
refuses "text for a number" visit 's/"pass":0/"pass":"0"/'
refuses "a negative number" visit 's/"bytes":/&-/'
refuses "part of a whole number" visit 's/"iterations":[0-9]+/&.5/'
refuses "an unknown word" visit 's/"mode":"[a-z]+"/"mode":"again"/'
refuses "null for what there always is" visit 's/"op":"[a-z]+"/"op":null/'
refuses "an unknown flag" row 's/"flags":"/&hidden,/'
refuses "passes and runs" row 's/"passes":/"runs":1,&/'
refuses "an object of another kind" findings 's/"costs":\[\{/&"kind":"a",/'
refuses "a fact without unit" header 's/"unit":"[a-z]+",//'
cli_done
