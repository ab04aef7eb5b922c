"""Measures copyscope.copy_blocks on a GPU by each strategy and by auto, and compares every byte that arrives.

    PYTHONPATH=python python3 bench/gpu/copy_blocks.py

44 points: blocks of 4 KiB to 1 MiB, 16 to 4,096 of them, at most 256 MiB, both directions, pinned memory, from the call to
the return of get(). Prints a line for each limit and writes all figures to copy-blocks.json in $OUT. Needs PyTorch with CUDA
and the installed package or native/build/Release/libcopyscope_copy.so. Ends within 100 seconds. With
COPYSCOPE_COPY_DEVICE=simulated it is a trial with few blocks on the host, whose times mean nothing.
"""

import json
import os
import random
import statistics
import sys
import tempfile
import time

import copyscope
import torch

KIB, MIB = 1024, 1024 * 1024
STRATEGIES = ("loop", "batch", "kernel", "packed", "auto")
began = time.perf_counter()
trial = os.environ.get("COPYSCOPE_COPY_DEVICE") == "simulated"
most = MIB if trial else 256 * MIB
shapes = [(size * KIB, count) for size in (4, 16, 64, 256, 1024) for count in (16, 64, 256, 1024, 4096) if size * KIB * count <= most]
points, checks = [], []


def check(name, passed, words):
    judged = not trial or "byte" in name
    checks.append({"name": name, "passed": bool(passed), "judged": judged, "words": words})
    print(f"{'trial' if not judged else 'met' if passed else 'NOT MET'}: {name}: {words}", flush=True)


def wrong(source, target, rows):
    """Returns the number of wrong words, which the GPU finds."""
    source, target, rows = (each.to("cpu" if trial else "cuda:0") for each in (source, target, rows))
    expected = torch.full_like(source, -1)
    expected[rows[:, 1]] = source[rows[:, 0]]
    return int((target != expected).sum())


def measure(direction, memory, bytes_each, count, table):
    slots = 2 * count
    host, gpu = (each[: slots * bytes_each // 8].view(slots, -1) for each in memory)
    source, target = (host, gpu) if direction == "h2d" else (gpu, host)
    source.random_()
    order = torch.randperm(slots)[:count], torch.randperm(slots)[:count]
    rows = torch.stack(order, 1).contiguous()
    entries = [(source, target, rows)]
    samples = 7 if bytes_each * count > 16 * MIB else 41
    times = {strategy: [] for strategy in STRATEGIES}
    words = 0
    for strategy in STRATEGIES:
        target.fill_(-1)
        copyscope.copy_blocks(entries, strategy=strategy).get()
        words += wrong(source, target, rows)
    # In turn, so that what slows the machine for a moment slows all of them, and in any order: packing leaves other data in
    # the host's caches than a kernel does.
    for number in range(-2, samples):
        for strategy in random.sample(STRATEGIES, len(STRATEGIES)):
            before = time.perf_counter()
            copyscope.copy_blocks(entries, strategy=strategy, table=table).get()
            if number >= 0:
                times[strategy].append((time.perf_counter() - before) * 1e6)
    us = {strategy: statistics.median(each) for strategy, each in times.items()}
    points.append({"direction": direction, "bytes": bytes_each, "count": count, "us": us, "wrongWords": words, "table": bool(table)})
    if table is None:
        print(f"{direction} {count} x {bytes_each // KIB} KiB (us): " + "  ".join(f"{name} {each:.0f}" for name, each in us.items()))
    return us


def judged(name, of):
    near = sum(each["us"]["auto"] <= 1.05 * min(each["us"][strategy] for strategy in STRATEGIES[:-1]) for each in of)
    least = 40 * len(of) // 44
    check(f"copy_blocks, auto within 5 % of the best, {name}, in {least} of {len(of)}", near >= least, f"{near}")


def in_order(memory):
    """Blocks of data that the stream writes just before, and a reader just after, without a wait between them."""
    if trial:
        return
    host, gpu = (each[: 8 * MIB].view(64, -1) for each in memory)
    rows = torch.arange(64).repeat(2, 1).t().contiguous()
    bad = 0
    for number, strategy in enumerate(("loop", "batch", "kernel", "packed") * 3):
        torch.cuda._sleep(20_000_000)
        gpu.fill_(number)
        down = copyscope.copy_blocks([(gpu, host, rows)], strategy=strategy)
        gpu.fill_(-1)
        down.get()
        bad += int((host != number).sum())
        host.fill_(number)
        copyscope.copy_blocks([(host, gpu, rows)], strategy=strategy)
        bad += int((gpu != number).sum())
    check("copy_blocks keeps the stream's order, bytes", bad == 0, f"{bad} wrong words")


def main():
    memory = (torch.empty(2 * most // 8, dtype=torch.int64, pin_memory=not trial),
              torch.empty(2 * most // 8, dtype=torch.int64, device="cpu" if trial else "cuda:0"))
    in_order(memory)
    ways = [(direction, *shape) for direction in (("h2d",) if trial else ("h2d", "d2h")) for shape in shapes]
    for direction, *shape in ways:
        measure(direction, memory, *shape, None)
    judged("by the built-in rule", points)
    rows = [{**each, "fastest": min(STRATEGIES[:-1], key=each["us"].get)} for each in points]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"format": "copyscope/blocks", "version": 1, "rows": rows}, file)
        file.flush()
        for direction, *shape in ways:
            if time.perf_counter() - began < 85:
                measure(direction, memory, *shape, file.name)
    judged("by a table of this machine", [each for each in points if each["table"]])
    bad = sum(each["wrongWords"] for each in points)
    check("copy_blocks, every byte of 5 strategies", bad == 0, f"{bad} wrong words at {len(points)} points")
    for each in points:
        if (each["bytes"], each["count"], each["table"]) == (4 * KIB, 1024, False):
            rate = 4 * MIB / each["us"]["kernel"] / 1e3
            print(f"copy_blocks, {each['direction']} 1,024 x 4 KiB by kernel: {rate:.1f} GB/s from call to end")
    failed = [each["name"] for each in checks if each["judged"] and not each["passed"]]
    gpu = "none" if trial else torch.cuda.get_device_name(0)
    if os.environ.get("OUT"):
        with open(os.path.join(os.environ["OUT"], "copy-blocks.json"), "w", encoding="utf-8") as file:
            json.dump({"gpu": gpu, "torch": torch.__version__, "checks": checks, "points": points}, file, indent=1)
    print(f"{time.perf_counter() - began:.0f} s on {gpu}: {'all limits met' if not failed else 'NOT met: ' + ', '.join(failed)}")
    return 1 if failed else 0


sys.exit(main())
