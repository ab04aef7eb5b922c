"""Measures the time of the recorder's callbacks with the stand-in for CUPTI: no GPU is needed.

    python3 native/tests/record/cost.py [BUILD]      BUILD: native/build-record, as test/native/record.test.ts builds it

Prints medians in nanoseconds of the callbacks at a call's begin, which reads the Python stack, and at its end, by stack depth:
with the caches left by the previous call ("warm") and after reading and writing 64 MB of other memory ("cold").
"""

import ctypes
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
build = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "../../build-record"))
COPY, WAIT = 41, 131


def timed(cupti, id, times, cold):
    begin, end = ctypes.c_double(), ctypes.c_double()
    cupti.standinTimed(times, cold, 2, id, ctypes.byref(begin), ctypes.byref(end))
    return begin.value, end.value


def at_depth(depth, work):
    return work() if depth <= 1 else at_depth(depth - 1, work)


def measure():
    cupti = ctypes.CDLL(os.path.join(build, "standin/libcupti.so.13"))
    ctypes.CDLL(os.path.join(build, "standin/libc10_cuda.so"))
    ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"]).InitializeInjection()
    print("%-6s %-6s %8s %8s %8s %8s" % ("call", "depth", "begin", "end", "cold", "cold end"))
    for name, id in (("copy", COPY), ("wait", WAIT)):
        for depth in (5, 20, 60):
            warm = at_depth(depth - 3, lambda: timed(cupti, id, 20000, 0))
            cold = at_depth(depth - 3, lambda: timed(cupti, id, 200, 1))
            print("%-6s %-6d %8.0f %8.0f %8.0f %8.0f" % (name, depth, *warm, *cold))


def main():
    if "CUDA_INJECTION64_PATH" in os.environ:
        return measure()
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "LD_LIBRARY_PATH": os.path.join(build, "standin"),
            "CUDA_INJECTION64_PATH": os.path.join(build, "libcopyscope_record.so"),
            "COPYSCOPE_RECORD_FOLDER": folder,
        }
        return subprocess.run([sys.executable, os.path.abspath(__file__), build], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
