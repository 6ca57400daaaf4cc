NP_MODULE([fault], [another module, with faults (tests only)])
