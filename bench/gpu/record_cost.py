"""Measures the cost of recording: steps with and without it, in turn, in one process.

    python3 bench/gpu/record_cost.py [MODE...]      none full light no-lines profiler; default: all

Each mode is a process that runs the programs of record_programs.py and single calls in loops, in blocks of steps: every
second block is recorded. A pair is a block with and the one before it without. It prints the median of the pairs'
ratios, with the quartiles. Mode `none` records nothing and shows the noise. PROGRAMS="graphs threads"
runs these alone, without the single calls; PAIRS and STEPS say how long. Needs PyTorch with CUDA and
native/build/Release/libcopyscope_record.so (or RECORD_LIBRARY). Writes record-cost.txt and record-cost.json to $OUT.
"""

import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
out = os.environ.get("OUT") or tempfile.mkdtemp(prefix="record-cost-")
PAIRS, STEPS, SKIPPED = int(os.environ.get("PAIRS", "10")), int(os.environ.get("STEPS", "14")), 3
only = os.environ.get("PROGRAMS", "").split()
modes = {
    "none": None,
    "full": {},
    "light": {"COPYSCOPE_RECORD_LIGHT": "1"},
    "no-lines": {"COPYSCOPE_RECORD_LINES": "0"},
    "profiler": None,
}


def single_calls():
    """Loops of one call each: name, calls in a step, step."""
    import torch

    device, stream = "cuda", torch.cuda.current_stream()
    small, held = torch.zeros(1024, device=device), torch.zeros(1024).pin_memory()
    event, other = torch.cuda.Event(), torch.cuda.Stream()
    event.record()
    graph = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        small.add_(1)
    calls = {
        "launch": (1000, lambda: small.add_(1)),
        "copy": (200, lambda: small.copy_(held, non_blocking=True)),
        "wait": (200, stream.synchronize),
        "event record": (200, event.record),
        "stream wait": (200, lambda: other.wait_event(event)),
        "no work": (1000, torch.cuda.is_current_stream_capturing),
        "graph": (200, graph.replay),
        "range": (200, lambda: (torch.cuda.nvtx.range_push("x"), torch.cuda.nvtx.range_pop())),
    }

    def looped(call, times):
        def step():
            for _ in range(times):
                call()

        return step

    return {name: (times, looped(call, times)) for name, (times, call) in calls.items()}


def timed_block(step, one_by_one):
    import torch

    times = []
    for _ in range(STEPS):
        torch.cuda.synchronize()
        before = time.perf_counter_ns()
        step()
        # A loop of single calls is the host's; a program's step ends with the device.
        if not one_by_one:
            torch.cuda.synchronize()
        times.append(time.perf_counter_ns() - before)
    return statistics.median(times[SKIPPED:])


class Blocks:
    """Every second range "block" is recorded, so that each program must have an even number of them."""

    def __init__(self):
        self.count = 0

    @contextlib.contextmanager
    def next(self):
        import torch

        self.count += 1
        torch.cuda.nvtx.range_push("block")
        try:
            yield
        finally:
            torch.cuda.nvtx.range_pop()

    def make_even(self):
        if self.count % 2 == 1:
            with self.next():
                pass


def pairs_of(blocks, step, one_by_one, profiled):
    import torch
    from torch.profiler import ProfilerActivity, profile

    for _ in range(10):
        step()
    torch.cuda.synchronize()
    pairs = []
    for _ in range(PAIRS):
        with blocks.next():
            without = timed_block(step, one_by_one)
        with blocks.next():
            activities = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
            with profile(activities=activities) if profiled else contextlib.nullcontext():
                recorded = timed_block(step, one_by_one)
        pairs.append((without, recorded))
    return pairs


def programs():
    import record_programs

    for name, made in record_programs.programs.items():
        if only and name not in only:
            continue
        yield name, 1, made
    for name, (calls, step) in single_calls().items() if not only else ():
        yield "call: " + name, calls, lambda step=step: step


def child(mode):
    found, blocks = {}, Blocks()
    for name, calls, made in programs():
        began = time.monotonic_ns()
        try:
            pairs = pairs_of(blocks, made(), name.startswith("call: "), mode == "profiler")
        except Exception as error:
            print("%s %s: %s" % (mode, name, error), file=sys.stderr)
            pairs = []
        blocks.make_even()
        found[name] = {"calls": calls, "pairs": pairs, "from": began, "to": time.monotonic_ns()}
    with open(os.path.join(out, mode + ".json"), "w") as file:
        json.dump(found, file)


def run(mode):
    from record import Recording, library

    environment = dict(os.environ, OUT=out)
    folder = os.path.join(out, "parts-" + mode)
    if modes[mode] is not None:
        os.makedirs(folder, exist_ok=True)
        spans = ",".join("%d..%d" % (block, block) for block in range(2, 2 * PAIRS * 20, 2))
        environment.update(
            CUDA_INJECTION64_PATH=library,
            NVTX_INJECTION64_PATH=library,
            COPYSCOPE_RECORD_FOLDER=folder,
            COPYSCOPE_RECORD_STEPS=spans,
            COPYSCOPE_RECORD_STEP_RANGE="block",
            **modes[mode],
        )
    began = time.time()
    ended = subprocess.run([sys.executable, os.path.abspath(__file__), "child", mode], env=environment, timeout=200)
    print("%s: exit %d, %.0f s" % (mode, ended.returncode, time.time() - began), flush=True)
    stacks = {}
    if modes[mode] is not None:
        files = [Recording(os.path.join(folder, name)) for name in sorted(os.listdir(folder))]
        for one in files:
            print("  %s %s: %d calls, %d copies, %d kernels, dropped %s, ended %s, problems %s" % (
                mode, one.header["pid"], len(one.calls), len(one.copies), len(one.kernels), one.dropped, one.ended, one.problems))
        with open(os.path.join(out, mode + ".json")) as file:
            found = json.load(file)
        for name, told in found.items():
            times = [c[7] for one in files for c in one.calls if c[3] and told["from"] <= c[1] <= told["to"]]
            stacks[name] = statistics.median(times) if times else None
        for name in os.listdir(folder):
            os.remove(os.path.join(folder, name))
    return stacks


def quartiles(values):
    values = sorted(values)
    return [values[round((len(values) - 1) * part)] for part in (0.25, 0.5, 0.75)]


def main():
    if sys.argv[1:2] == ["child"]:
        return child(sys.argv[2])
    wanted, results, stacks, lines = sys.argv[1:] or list(modes), {}, {}, []
    for mode in wanted:
        try:
            stacks[mode] = run(mode)
        except Exception as error:
            lines.append("%s: %s" % (mode, error))
        if os.path.exists(os.path.join(out, mode + ".json")):
            with open(os.path.join(out, mode + ".json")) as file:
                results[mode] = json.load(file)
    import torch

    lines.append("%s, PyTorch %s, CUDA %s, Python %s" % (
        torch.cuda.get_device_name(), torch.__version__, torch.version.cuda, sys.version.split()[0]))
    table = {}
    for name in next(iter(results.values()), {}):
        row = []
        for mode, found in results.items():
            told = found.get(name, {"pairs": []})
            if not told["pairs"]:
                continue
            base = statistics.median(without for without, _ in told["pairs"])
            if name.startswith("call: "):
                low, middle, high = quartiles([(with_ - without) / told["calls"] for without, with_ in told["pairs"]])
                row.append("%s %+.0f ns (%+.0f to %+.0f) of %.0f" % (mode, middle, low, high, base / told["calls"]))
            else:
                low, middle, high = quartiles([100 * (with_ / without - 1) for without, with_ in told["pairs"]])
                row.append("%s %+.1f %% (%+.1f to %+.1f) of %.0f us" % (mode, middle, low, high, base / 1000))
            stack = stacks.get(mode, {}).get(name)
            if stack is not None:
                row.append("stack %.0f ns" % stack)
            table.setdefault(name, {})[mode] = {"base": base, "low": low, "median": middle, "high": high, "stackNs": stack}
        lines.append("%-20s %s" % (name, " | ".join(row)))
    with open(os.path.join(out, "record-cost.json"), "w") as file:
        json.dump(table, file, indent=1)
    with open(os.path.join(out, "record-cost.txt"), "w") as file:
        file.write("\n".join(lines) + "\n")
    print("\n" + "\n".join(lines))


if __name__ == "__main__":
    main()
