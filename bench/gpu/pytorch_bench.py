"""Runs the copies of `beside-pytorch.ts` in PyTorch. Reads the tasks as JSON on stdin, prints JSON: version and times.

Bandwidths are taken between two CUDA events around `count` copies, the rest by the host's clock up to a synchronise, as
Copyscope takes them. Ends with exit code 3, and the reason as the last line of stderr, if PyTorch or a GPU is missing.
"""

import json
import sys
import time

MISSING = 3


PERIOD = 16 * 1024 * 1024 + 1


def tensor(torch, bytes_, device=None, pinned=False):
    """Random bytes, repeated in large tensors: making a gigabyte of them takes seconds."""
    period = torch.randint(0, 255, (min(bytes_, PERIOD),), dtype=torch.uint8, device=device)
    made = period.repeat(-(-bytes_ // period.numel()))[:bytes_].clone()
    return made.pin_memory() if pinned else made


def pair(torch, task):
    """Source, target and the call of a copy between existing tensors."""
    pinned = task["pinned"]
    on_host = {"pinned": pinned}
    source = tensor(torch, task["bytes"], "cuda") if task["direction"] != "h2d" else tensor(torch, task["bytes"], **on_host)
    target = tensor(torch, task["bytes"], "cuda") if task["direction"] != "d2h" else tensor(torch, task["bytes"], **on_host)
    non_blocking = pinned or task["direction"] == "d2d"
    return source, target, non_blocking


def check(torch, source, target):
    if not torch.equal(source.cpu(), target.cpu()):
        raise SystemExit("PyTorch's copy differs from its source")


def host_clock(torch, work, task):
    times = []
    for sample in range(task["warmups"] + task["samples"]):
        torch.cuda.synchronize()
        start = time.perf_counter_ns()
        work()
        torch.cuda.synchronize()
        passed = time.perf_counter_ns() - start
        if sample >= task["warmups"]:
            times.append(passed)
    return times


def copy(torch, task):
    source, target, non_blocking = pair(torch, task)

    def work():
        for _ in range(task["count"]):
            target.copy_(source, non_blocking=non_blocking)

    if not non_blocking:
        times = host_clock(torch, work, task)
    else:
        start = torch.cuda.Event(enable_timing=True)
        end = torch.cuda.Event(enable_timing=True)
        times = []
        for sample in range(task["warmups"] + task["samples"]):
            start.record()
            work()
            end.record()
            end.synchronize()
            if sample >= task["warmups"]:
                times.append(start.elapsed_time(end) * 1e6)
    torch.cuda.synchronize()
    check(torch, source, target)
    return times


def main():
    try:
        import torch
    except ImportError:
        print("PyTorch is not installed for this python3", file=sys.stderr)
        sys.exit(MISSING)
    if not torch.cuda.is_available():
        print("this PyTorch finds no CUDA device", file=sys.stderr)
        sys.exit(MISSING)
    results = []
    for task in json.load(sys.stdin)["tasks"]:
        results.append(copy(torch, task))
    json.dump({"version": torch.__version__, "times": results}, sys.stdout)


main()
