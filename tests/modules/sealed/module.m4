NP_MODULE([sealed], [buffers that the driver cannot touch (tests only)])
