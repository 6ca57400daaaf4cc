#!/bin/bash
# The page of NPreport --html in a browser: it begins with the summary; a point shows what
# it is, inside the window, to the pointer and to the keyboard; a narrow window need not be
# scrolled sideways; a dark one is dark; and nothing is fetched.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPreport tests/report/made_launches
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
	tap_skip_all "chromium is not installed"
cd "$work" || tap_bail "no folder to work in"

# Goes over the points as a pointer would: to what lies on top at the middle of each,
# which need not be its own.  Says in the page what was seen.
cat >pointer.html <<'EOS'
<pre id="seen"></pre>
<script>
const seen = { points: 0, own: 0, wrong: 0, outside: 0, left: 0 };
const box_shown = () => getComputedStyle(document.getElementById('values')).display !== 'none';
let say = '';
for (const mark of document.querySelectorAll('.mark')) {
	if (!mark.getClientRects().length) // of the other layout
		continue;
	const box = document.getElementById('values');
	mark.scrollIntoView({ block: 'center' });
	const place = mark.querySelector('circle').getBoundingClientRect();
	const x = place.x + place.width / 2, y = place.y + place.height / 2;
	const top = document.elementFromPoint(x, y), hit = top && top.closest('.mark');
	seen.points++;
	if (!hit)
		continue;
	const move = { clientX: x, clientY: y, bubbles: true };
	top.dispatchEvent(new MouseEvent('mousemove', move));
	const title = hit.querySelector('title').textContent;
	if (!box_shown() || box.textContent !== title)
		seen.wrong++;
	else if (hit === mark)
		seen.own++;
	const edges = box.getBoundingClientRect();
	if (edges.left < 0 || edges.top < 0 || edges.right > innerWidth || edges.bottom > innerHeight)
		seen.outside++;
	if (title.includes('\n4 KiB (4096 bytes)\n'))
		say = title.split('\n').join('; ');
	hit.dispatchEvent(new MouseEvent('mouseleave', move));
	if (box_shown())
		seen.left++;
}
// A curve is one stop of the keyboard; arrows go along it, and say where they are.  A browser
// tells an element of its focus when its window has that, which a window without a screen
// gets at some time or never.
const tell_focus = (mark) => document.hasFocus() || mark.dispatchEvent(new FocusEvent('focus'));
const stops = [...document.querySelectorAll('.mark')].filter(
	(mark) => mark.tabIndex === 0 && mark.getClientRects().length);
seen.stops = stops.length;
seen.steps = 0;
for (const stop of stops) {
	stop.focus();
	for (let at = stop, next; at !== next; at = document.activeElement) {
		next = document.activeElement;
		tell_focus(next);
		if (box_shown() && document.getElementById('values').textContent ===
				next.querySelector('title').textContent)
			seen.steps++;
		next.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }));
		if (document.activeElement === next)
			break;
	}
	document.activeElement.blur();
}
seen.sideways = Math.max(0, document.documentElement.scrollWidth - innerWidth);
seen.open = document.querySelectorAll('details[open]').length;
seen.answer = document.querySelector('h1 + .answer, h1 + h2 + .answer') ? 1 : 0;
const brightness = (element, property) =>
	getComputedStyle(element)[property].match(/\d+/g).slice(0, 3).reduce((a, b) => a + +b, 0);
seen.paper = brightness(document.body, 'backgroundColor');
seen.picture = brightness(document.querySelector('svg .paper'), 'fill');
seen.ink = brightness(document.querySelector('svg text'), 'fill');
seen.fetched = performance.getEntriesByType('resource').length;
document.getElementById('seen').textContent =
	Object.entries(seen).map((entry) => entry.join(' ')).join(', ') + '\n' + say;
</script>
EOS

# Without a network where that can be had, in a window of a size: what was seen.
hover() # PAGE WIDTH,HEIGHT [OPTION]
{
	local command=("$browser" --headless --no-sandbox --disable-gpu --no-first-run
		--disable-background-networking --disable-component-update
		--user-data-dir="$work/profile" --window-size="$2" ${3:+"$3"} --virtual-time-budget=2000
		--dump-dom "file://$work/hover.html")
	unshare -rn true 2>/dev/null && command=(unshare -rn "${command[@]}")
	sed '/^<\/body>$/d; /^<\/html>$/d' "$1" | cat - pointer.html >hover.html
	HOME=$work timeout -k 5 "$LIMIT" "${command[@]}" >dom 2>log
	sed -n '/<pre id="seen">/,/<\/pre>/p' dom | sed 's/<[^>]*>//g' >seen
	[ -s seen ] || { tail -n 5 log; return 1; }
}

# count WORD: of seen.
count()
{
	sed -n "1s/.*\\b$1 \\([0-9]*\\).*/\\1/p" seen
}

"$NP_BUILDDIR/tests/report/made_launches" made 1 6 1 0
run NPreport made --html page.html
tap_check "a page" [ "$code" -eq 0 ]
tap_check "opens in a browser" hover page.html 1200,900
# Two panels of 21 sizes.
tap_check "with all its points" [ "$(count points)" -eq 42 ]
tap_check "each of which shows its own values" [ "$(count own)" -eq 42 ]
tap_check "and hides them when it is left" [ "$(count left)" -eq 0 ]
tap_check "the values are name, size, time with interval and rate" grep -Eq \
	'one warm buffer; 4 KiB \(4096 bytes\); 1\.[0-9]+ us \[1\.[0-9]+ us, 1\.[0-9]+ us\]; [0-9.]+ Gbit/s' seen
tap_check "nothing was fetched" [ "$(count fetched)" -eq 0 ]
sed 's/"mode":"reuse"/"mode":"rotate"/' made >other
run NPreport made other --html two.html
tap_check "two files in a small window" hover two.html 420,320
tap_check "whatever point lies on top is the one that is shown" eval \
	'[ "$(count wrong)" -eq 0 ] && [ "$(count points)" -eq 84 ]'
tap_check "within the window" [ "$(count outside)" -eq 0 ]

tap_check "the page on a phone" hover two.html 390,844
tap_check "begins with the summary, and its tables are folded" eval \
	'[ "$(count answer)" -eq 1 ] && [ "$(count open)" -eq 0 ]'
tap_check "is not scrolled sideways" [ "$(count sideways)" -eq 0 ]
tap_check "a curve is a stop of the keyboard" [ "$(count stops)" -eq 4 ]
tap_check "from which arrows reach each of its points" [ "$(count steps)" -eq 84 ]
tap_check "is light" eval \
	'[ "$(count paper)" -gt 600 ] && [ "$(count picture)" -gt 600 ] && [ "$(count ink)" -lt 200 ]'
tap_check "or, where that is preferred," hover two.html 390,844 \
	--blink-settings=preferredColorScheme=0
tap_check "dark, with its pictures" eval \
	'[ "$(count paper)" -lt 200 ] && [ "$(count picture)" -lt 200 ] && [ "$(count ink)" -gt 500 ]'
cli_done
