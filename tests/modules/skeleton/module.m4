NP_MODULE([skeleton], [the commented example (tests only)])
