"""A ReFrame test: one process on each of two nodes, over the MPI of the environment.

    reframe -c reframe_netpong.py -r

It passes if the run was completed, and reports the figures of the result file.  A site
writes its own into `reference`, which ReFrame then holds them against, for example

    reference = {"cluster:compute": {"latency": (1.9, None, 0.1, "us")}}

NetPong's own --expect decides by intervals instead: see netpong(7).
"""
import json

import reframe as rfm
import reframe.utility.sanity as sn

RESULTS = "netpong.jsonl"


@rfm.simple_test
class netpong_mpi(rfm.RunOnlyRegressionTest):
    descr = "Latency, bandwidth and the cost of cold buffers between two nodes"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    num_tasks = 2
    num_tasks_per_node = 1
    time_limit = "10m"
    executable = "NPmpi"
    executable_opts = ["-I", "--quick", "--force", "--json", RESULTS]
    keep_files = [RESULTS]

    def findings(self):
        """The last line of the file, if the run came so far."""
        with open(RESULTS, encoding="utf-8") as file:
            last = json.loads(list(file)[-1])
        return last if last["kind"] == "findings" else {"complete": False}

    @sanity_function
    def is_complete(self):
        return sn.assert_true(self.findings()["complete"], "the run ended early")

    @performance_function("us")
    def latency(self):
        return self.findings()["latency_s"] * 1e6

    @performance_function("Mbit/s")
    def bandwidth(self):
        return self.findings()["peak_mbps"]

    @performance_function("sizes")
    def slower_with_cold_buffers(self):
        return sum(cost["slower"] for cost in self.findings()["costs"]
                   if cost["of"] == "rotate/reuse")
