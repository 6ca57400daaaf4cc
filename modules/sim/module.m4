NP_MODULE([sim], [a model on a clock of its own, whose truth is known])
