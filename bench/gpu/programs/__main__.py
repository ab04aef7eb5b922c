"""Runs the programs, each in a process of its own: python3 -m programs OUT [--quick] [--seconds N] [--only NAME,...].

All processes are started first; each imports its libraries and waits for its turn, so that nothing else runs while one
measures. For each program: builds it, warms up, measures the step of each variant without a profiler in alternating
blocks, then traces steps by torch.profiler. Writes OUT/NAME.VARIANT.json.gz and OUT/truths.json. Reports programs that
fail and goes on.
"""

import argparse
import gc
import gzip
import importlib
import json
import os
import platform
import signal
import statistics
import subprocess
import sys
import time
import traceback

os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch

from .common import device, registry, rehearsal

topics = ("busy", "launches", "loaders", "hostops", "waits", "memory", "copies")
libraries = (
    "torch torchvision torchaudio timm transformers accelerate lightning torch_geometric sentence_transformers peft pandas "
    "pyarrow numpy torchmetrics cupy"
).split()
# A trace with more events or bytes is made again without stacks, then with fewer steps.
most_events, most_bytes = 15_000, 260_000
limit_s = 20
# Processes that import at a time.
most_starting = 2 * (os.cpu_count() or 8)


def timed(variant, count):
    """Returns the mean step in nanoseconds of a block of `count` counted steps."""
    marks, done = {}, [0]

    def tick():
        done[0] += 1
        if done[0] in (variant.skip, variant.skip + count):
            torch.cuda.synchronize()
            marks[done[0]] = time.perf_counter_ns()

    variant.run(variant.skip + count, tick)
    return (marks[variant.skip + count] - marks[variant.skip]) / count


def block_length(variant, seconds):
    ns = timed(variant, 2 * variant.multiple)
    count = max(1 if rehearsal else 5, min(400, round(seconds * 1e9 / ns)))
    return -(-count // variant.multiple) * variant.multiple


def measure(variants, rounds, seconds, deadline):
    lengths = {name: block_length(variant, seconds) for name, variant in variants.items()}
    blocks = {name: [] for name in variants}
    gc.collect()
    gc.disable()
    for at in range(rounds):
        if at >= 3 and time.monotonic() > deadline:
            break
        for name in list(variants) if at % 2 == 0 else reversed(variants):
            blocks[name].append(round(timed(variants[name], lengths[name])))
    gc.enable()
    return blocks


def trace(variant, path, stack, active):
    """Writes a trace of `active` steps and returns its figures."""
    from torch.profiler import ProfilerActivity, profile, schedule

    activities = [ProfilerActivity.CPU] + ([] if rehearsal else [ProfilerActivity.CUDA])
    before = variant.skip
    plan = schedule(wait=before, warmup=2, active=active, repeat=1)
    write = lambda made: made.export_chrome_trace(path)
    with profile(activities=activities, schedule=plan, with_stack=stack, on_trace_ready=write) as made:
        variant.run(before + 2 + active, made.step)
    with gzip.open(path, "rt") as file:
        events = len(json.load(file)["traceEvents"])
    return {"events": events, "bytes": os.path.getsize(path), "stack": stack, "steps": active}


def bounded_trace(variant, path, stack, active):
    for with_stack, steps in dict.fromkeys([(stack, active), (False, active), (False, 3), (False, 2)]):
        made = trace(variant, path, with_stack, steps)
        if made["events"] <= most_events and made["bytes"] <= most_bytes:
            break
    return made


def run_program(program, folder, quick):
    marks = [time.monotonic()]
    torch.manual_seed(0)
    failures = {}
    variants = program.build()
    torch.cuda.synchronize()
    marks.append(time.monotonic())
    for name, variant in list(variants.items()):
        try:
            timed(variant, 3)
        except Exception:
            failures[name] = last_lines()
            del variants[name]
    if "base" not in variants:
        raise RuntimeError(failures["base"])
    marks.append(time.monotonic())
    rounds, seconds = (2, 0.05) if quick else (5, 0.15)
    blocks = measure(variants, rounds, seconds, marks[0] + 8)
    marks.append(time.monotonic())
    traces = {}
    for name, variant in variants.items():
        if name == "base" or variant.traced:
            path = os.path.join(folder, f"{program.name}.{name}.json.gz")
            traces[name] = bounded_trace(variant, path, program.stack, program.active)
    marks.append(time.monotonic())
    return {
        "blocks": blocks,
        "changes": {name: variant.changes for name, variant in variants.items()},
        "traces": traces,
        "failures": failures,
        "seconds": [round(b - a, 1) for a, b in zip(marks, marks[1:])],
        "gpu": "none" if rehearsal else torch.cuda.get_device_name(0),
        "versions": {name: sys.modules[name].__version__ for name in libraries if hasattr(sys.modules.get(name), "__version__")},
    }


def last_lines():
    return " | ".join(traceback.format_exc().strip().splitlines()[-5:])[-900:]


def inside(name, topic, folder, quick):
    """Runs one program in this process once a line arrives, writes its result into the folder, and ends the process."""
    try:
        importlib.import_module(f"{__package__}.{topic}")
        if registry[name].needs:
            importlib.import_module(registry[name].needs)
    except Exception:
        print(last_lines(), flush=True)
    open(os.path.join(folder, f"{name}.ready"), "w").close()
    if not sys.stdin.readline():
        os._exit(1)
    try:
        result = run_program(registry[name], folder, quick)
    except BaseException:
        result = {"error": last_lines()}
    with open(result_path(folder, name), "w") as file:
        json.dump(result, file)
    os._exit(0)


def result_path(folder, name):
    return os.path.join(folder, f"{name}.result.json")


def start(program, folder, quick):
    topic = program.build.__module__.split(".")[-1]
    command = [sys.executable, "-W", "ignore", *os.environ.get("PROGRAMS_START", f"-m {__package__}").split(), folder]
    command += ["--inside", program.name, "--topic", topic, *(["--quick"] if quick else [])]
    return subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)


def end(process):
    """Ends a program's process and what it left behind, such as the workers of loaders."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def run_turn(program, process, folder):
    started = time.monotonic()
    try:
        process.stdin.write(b"go\n")
        process.stdin.close()
        process.wait(limit_s)
        failure = f"ended with status {process.returncode}"
    except (subprocess.TimeoutExpired, BrokenPipeError):
        failure = f"took over {limit_s} s"
    end(process)
    path = result_path(folder, program.name)
    result = json.load(open(path)) if os.path.exists(path) else {"error": failure}
    report(program.name, result, time.monotonic() - started)
    return result


def run_all(programs, folder, quick, until):
    """Starts a process for each program, gives each its turn, and returns the results by name."""
    processes, started, waiting = {}, time.monotonic(), list(programs)
    is_ready = lambda name: os.path.exists(os.path.join(folder, f"{name}.ready")) or processes[name].poll() is not None
    while time.monotonic() < started + (400 if rehearsal else 90):
        starting = [name for name in processes if not is_ready(name)]
        if not waiting and not starting:
            break
        for program in waiting[: most_starting - len(starting)]:
            processes[program.name] = start(program, folder, quick)
            waiting.remove(program)
        time.sleep(0.1)
    print(f"{len(processes)} processes are ready after {time.monotonic() - started:.1f} s", flush=True)
    results = {}
    try:
        for program in programs:
            if time.monotonic() > until - limit_s / 2:
                print(f"{program.name}: not run, no time was left", flush=True)
            elif program.name in processes:
                results[program.name] = run_turn(program, processes[program.name], folder)
    finally:
        for process in processes.values():
            end(process)
    return results


def report(name, result, seconds):
    if "error" in result:
        print(f"{name}: FAILED after {seconds:.1f} s: {result['error']}", flush=True)
        return
    times = ", ".join(f"{at} {statistics.median(ns) / 1e6:.2f}" for at, ns in result["blocks"].items())
    size = lambda made: f"{made['events']}/{made['bytes'] // 1000}k/{made['steps']}{'s' if made['stack'] else ''}"
    traces = ", ".join(f"{at} {size(made)}" for at, made in result["traces"].items())
    print(f"{name}: ms {times}; traces {traces}; {seconds:.1f} s {result['seconds']}", flush=True)
    for at, text in result["failures"].items():
        print(f"  {at} failed: {text}", flush=True)


def truth(program, result):
    """The truth about one program: medians of its blocks, in nanoseconds, with the lowest and the highest block."""

    def times(name):
        blocks = result["blocks"][name]
        made = {"ns": round(statistics.median(blocks)), "lowNs": min(blocks), "highNs": max(blocks), "blocksNs": blocks}
        return {**made, **({"trace": result["traces"][name]} if name in result["traces"] else {})}

    return {
        "name": program.name,
        "about": program.about,
        "class": program.kind,
        "advice": list(program.advice),
        "base": times("base"),
        "fixes": [
            {"name": name, "changes": result["changes"][name], **times(name)}
            for name in result["blocks"]
            if name != "base"
        ],
    }


def mixed(programs):
    """Returns the programs with those of each topic spread evenly, so that each is covered if the time ends early."""
    places = {}
    for program in programs:
        of = [other.name for other in programs if other.build.__module__ == program.build.__module__]
        places[program.name] = (of.index(program.name) + 0.5) / len(of)
    return sorted(programs, key=lambda program: places[program.name])


def main():
    options = argparse.ArgumentParser()
    options.add_argument("out")
    options.add_argument("--quick", action="store_true")
    options.add_argument("--seconds", type=float, default=540)
    options.add_argument("--only", default="")
    options.add_argument("--inside", default="")
    options.add_argument("--topic", default="")
    chosen = options.parse_args()
    if chosen.inside:
        inside(chosen.inside, chosen.topic, chosen.out, chosen.quick)
    started = time.monotonic()
    os.makedirs(chosen.out, exist_ok=True)
    for name in topics:
        importlib.import_module(f"{__package__}.{name}")
    only = [name for name in chosen.only.split(",") if name]
    programs = mixed([program for program in registry.values() if not only or program.name in only])
    print(f"{len(programs)} programs on {device}; imports took {time.monotonic() - started:.1f} s", flush=True)
    results = run_all(programs, chosen.out, chosen.quick, started + chosen.seconds)
    good = {name: result for name, result in sorted(results.items()) if "error" not in result}
    versions = {key: value for result in good.values() for key, value in result["versions"].items()}
    machine = {"gpu": next((result["gpu"] for result in good.values()), "none"), "cores": os.cpu_count()}
    machine = {**machine, "python": platform.python_version(), "versions": versions}
    with open(os.path.join(chosen.out, "truths.json"), "w") as file:
        made = [truth(registry[name], result) for name, result in good.items()]
        json.dump({"machine": machine, "programs": made}, file, indent=1)
    print(f"{len(good)} of {len(programs)} programs were measured in {time.monotonic() - started:.0f} s", flush=True)


main()
