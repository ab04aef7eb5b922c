#!/usr/bin/env python3
"""Records before/after pairs of real PyTorch programs: traces of each variant, and its step times without a profiler.

Usage: record.py FOLDER [--of MODULE] [PROGRAM ...]

MODULE is programs (the default), unseen or several.

Writes PROGRAM.VARIANT.json.gz (torch.profiler; 2 unmarked and 4 marked steps) and steps.json:
{program: {variant: {"us": means of 8 unprofiled steps, "profiled_us": mean of the marked ones, "change": ...}}}.
`node bench/run.mjs traces FOLDER --plan` judges what is predicted of them.
"""

import argparse
import gc
import gzip
import importlib
import json
import statistics
import sys
import time
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile, record_function

STEPS = 8
REPEATS = 7


def mean_us(step, count):
    start = time.perf_counter()
    for _ in range(count):
        step()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / count * 1e6


def profiled_us(step, path, with_stack):
    activities = [ProfilerActivity.CPU, ProfilerActivity.CUDA]

    def marked():
        with record_function("step"):
            step()

    with profile(activities=activities, with_stack=with_stack) as profiler:
        for _ in range(2):
            step()
        torch.cuda.synchronize()
        us = mean_us(marked, 4)
    plain = path.with_suffix("")
    profiler.export_chrome_trace(str(plain))
    path.write_bytes(gzip.compress(plain.read_bytes(), 9))
    plain.unlink()
    return us


def record(folder, name, program):
    build, variants = program
    found = {}
    for variant, change in variants.items():
        torch.manual_seed(0)
        step = build(variant)
        mean_us(step, STEPS)
        us = [mean_us(step, STEPS) for _ in range(REPEATS)]
        profiled = profiled_us(step, folder / f"{name}.{variant}.json.gz", with_stack=False)
        found[variant] = {"us": [round(one, 1) for one in us], "profiled_us": round(profiled, 1), "change": change}
        print(f"{name} {variant}: {statistics.median(us):.0f} us, profiled {profiled:.0f}", flush=True)
        del step
        gc.collect()
        torch.cuda.empty_cache()
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--of", default="programs", choices=["programs", "unseen", "several"])
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args()
    programs = importlib.import_module(asked.of).PROGRAMS
    asked.folder.mkdir(parents=True, exist_ok=True)
    torch.backends.cudnn.benchmark = True
    steps = {}
    for name in asked.names or programs:
        try:
            steps[name] = record(asked.folder, name, programs[name])
        except RuntimeError as error:
            print(f"{name} failed: {error}", flush=True)
        (asked.folder / "steps.json").write_text(json.dumps(steps, indent=1) + "\n")
    print(torch.cuda.get_device_name(), torch.__version__, torch.version.cuda)


main()
