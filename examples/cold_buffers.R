#!/usr/bin/env Rscript
# cold_buffers.R - what cold buffers cost, in R, from what NPreport --export csv writes.
#
#     NPreport --export csv run.jsonl | ./cold_buffers.R
rows <- read.csv(file("stdin"), na.strings = NULL, colClasses = c(variant = "character"))
key <- c("file", "op", "variant", "bytes")
times <- function(mode) rows[rows$mode == mode, c(key, "median_s")]
both <- merge(times("reuse"), times("rotate"), by = key, suffixes = c(".reuse", ".rotate"))
if (nrow(both) == 0) stop("no run with -I on standard input")
both$ratio <- both$median_s.rotate / both$median_s.reuse
both <- both[order(both$file, both$op, both$variant, both$bytes), ]
cat(sprintf("%s %s %d %.3f us %.3f us %.3f\n", both$op,
	    ifelse(both$variant == "", "-", both$variant), both$bytes,
	    both$median_s.reuse * 1e6, both$median_s.rotate * 1e6, both$ratio), sep = "")
