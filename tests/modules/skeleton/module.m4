NP_MODULE([skeleton], [the least transport, to copy (tests only)])
