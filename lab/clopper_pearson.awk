# clopper_pearson.awk - the 95 % interval of a share: C. J. Clopper, E. S. Pearson, "The
# use of confidence or fiducial limits illustrated in the case of the binomial",
# Biometrika 26(4), 1934.

# chance_of_most HITS OF SHARE: that a binomial draw is HITS at most.
function chance_of_most(hits, of, share,    i, term, sum)
{
	if (share <= 0) return 1
	if (share >= 1) return hits >= of
	term = of * log(1 - share)
	for (i = 0; i <= hits; i++) {
		sum += exp(term)
		term += log((of - i) / (i + 1)) + log(share / (1 - share))
		if (i == of - 1) term = of * log(share)
	}
	return sum < 1 ? sum : 1
}

# limit_of HITS OF CHANCE: the share at which HITS or fewer have this chance.
function limit_of(hits, of, chance,    low, high, middle, i)
{
	high = 1
	for (i = 0; i < 50; i++) {
		middle = (low + high) / 2
		if (chance_of_most(hits, of, middle) > chance) low = middle
		else high = middle
	}
	return low
}

function share_low(hits, of) { return hits == 0 ? 0 : limit_of(hits - 1, of, 0.975) }
function share_high(hits, of) { return hits == of ? 1 : limit_of(hits, of, 0.025) }
