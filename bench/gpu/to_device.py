"""Measures copyscope.to_device on a GPU and PyTorch's own copies in the same process; compares every byte that arrives.

    PYTHONPATH=python python3 bench/gpu/to_device.py [--race]

Prints a line for each limit and writes all figures to to-device.json in $OUT. Needs PyTorch with CUDA and the installed
package or native/build/Release/libcopyscope_copy.so. Ends within 100 seconds. With --race only the overwritten sources are
checked; the whole run repeats that part under compute-sanitizer, if there is one and enough time. With
COPYSCOPE_COPY_DEVICE=simulated it is a trial with small payloads on the host, whose times mean nothing.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
import traceback

import copyscope
import torch
from torch import nn

began = time.perf_counter()
LIMIT_S = 95
trial = os.environ.get("COPYSCOPE_COPY_DEVICE") == "simulated"
device = torch.device("cpu") if trial else torch.device("cuda", 0)
shrunk = 40 if trial else 1
results, failed = {}, []


def synchronize():
    if not trial:
        torch.cuda.synchronize()


def start(batch):
    return copyscope.to_device(batch, "cuda:0")


def left():
    return LIMIT_S - (time.perf_counter() - began)


def timed(work, repetitions, warmups=2):
    """Returns the seconds of each repetition, and the last result."""
    times = []
    for number in range(-warmups, repetitions):
        result = None
        synchronize()
        before = time.perf_counter()
        result = work()
        synchronize()
        if number >= 0:
            times.append(time.perf_counter() - before)
    return times, result


def spread(times, scale):
    return {"median": statistics.median(times) * scale, "low": min(times) * scale, "high": max(times) * scale}


def wrong(sources, arrived):
    return sum(not torch.equal(source, target.cpu()) for source, target in zip(sources, arrived, strict=True))


def check(name, passed, words):
    results.setdefault("checks", []).append({"name": name, "passed": bool(passed), "words": words})
    judged = not trial or "bytes" in name
    print(f"{'trial' if not judged else 'met' if passed else 'NOT MET'}: {name}: {words}", flush=True)
    if judged and not passed:
        failed.append(name)


def large():
    """1,000 pageable tensors of 4 MB."""
    count, size = 1000 // shrunk, 4_000_000 // shrunk
    sources = [torch.empty(size // 8, dtype=torch.int64).random_().view(torch.uint8) for _ in range(count)]
    total = count * size
    ours, arrived = timed(lambda: start(sources).get(), 7)
    bad = wrong(sources, arrived)
    del arrived
    theirs, arrived = timed(lambda: [each.to(device) for each in sources], 3, 1)
    del arrived
    ratio = statistics.median(theirs) / statistics.median(ours)
    rate = total / statistics.median(ours) / 1e9
    results["large"] = {"bytes": total, "toDeviceMs": spread(ours, 1e3), "toMs": spread(theirs, 1e3),
                        "gigabytesPerSecond": rate, "timesTo": ratio, "wrongTensors": bad}
    check("1,000 x 4 MB, bytes", bad == 0, f"{bad} wrong tensors")
    check("1,000 x 4 MB, at least 6 times .to", ratio >= 6, f"{ratio:.2f} times")
    check("1,000 x 4 MB, at least 48.0 GB/s", rate >= 48, f"{rate:.1f} GB/s")


def scene_sizes():
    """The sizes of payloads.ts, which are those of annotated driving scenes (16 samples of 33 tensors)."""
    sizes, state = [], 12345
    for _sample in range(16):
        for _camera in range(6):
            state = state * 16807 % 2147483647
            objects = 22 + state % 39
            sizes += [objects * 16, objects * 8, objects * 8, objects * 4, objects]
        sizes += [6 * 64, 64, 8]
    return sizes


def small():
    """528 small tensors, from the call in Python until they are there."""
    sources = [torch.randint(0, 256, (size,), dtype=torch.uint8) for size in scene_sizes()]
    # A list of samples, as data loaders hand them over.
    batch = [{f"field{number}": each for number, each in enumerate(sources[at : at + 33])} for at in range(0, 528, 33)]
    returned, ready, got, arrived = [], [], [], None
    for number in range(330):
        synchronize()
        before = time.perf_counter()
        handle = start(batch)
        after = time.perf_counter()
        while not handle.ready():
            pass
        there = time.perf_counter()
        arrived = handle.get()
        end = time.perf_counter()
        if number >= 30:
            returned.append(after - before)
            ready.append(there - before)
            got.append(end - before)
    bad = wrong(sources, [each for sample in arrived for each in sample.values()])
    theirs, _ = timed(lambda: [each.to(device) for each in sources], 50, 5)
    median = statistics.median(ready) * 1e6
    results["small"] = {"returnedUs": spread(returned, 1e6), "readyUs": spread(ready, 1e6), "gotUs": spread(got, 1e6),
                        "toUs": spread(theirs, 1e6), "wrongTensors": bad}
    check("528 tensors, bytes", bad == 0, f"{bad} wrong tensors")
    got_us, their_us = statistics.median(got) * 1e6, statistics.median(theirs) * 1e6
    check("528 tensors, ready within 300 us", median <= 300,
          f"{median:.0f} us; results in hand after {got_us:.0f} us; .to {their_us:.0f} us")


def network():
    layers, channels = [], 3
    for width in (64, 128, 256, 256):
        layers += [nn.Conv2d(channels, width, 3, 2, 1), nn.BatchNorm2d(width), nn.ReLU(),
                   nn.Conv2d(width, width, 3, 1, 1), nn.BatchNorm2d(width), nn.ReLU()]
        channels = width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 1000)).to(device)


def pinned_prefetch(batches):
    """The usual prefetcher: pinned batches, a stream of its own, one step ahead."""
    stream = torch.cuda.Stream()

    def copied(batch):
        with torch.cuda.stream(stream):
            return [each.to(device, non_blocking=True) for each in batch]

    following = copied(batches[0])
    for number in range(len(batches)):
        torch.cuda.current_stream().wait_stream(stream)
        now = following
        for each in now:
            each.record_stream(torch.cuda.current_stream())
        if number + 1 < len(batches):
            following = copied(batches[number + 1])
        yield now


def ours(batches):
    following = start(batches[0])
    for number in range(len(batches)):
        now = following.get()
        if number + 1 < len(batches):
            following = start(batches[number + 1])
        yield now


def training():
    """Training of a convolutional network: pageable batches by to_device, against pinned batches copied ahead."""
    rows, steps = (1, 2) if trial else (96, 30)
    pageable = [[torch.randn(rows, 3, 224, 224), torch.randint(0, 1000, (rows,))] for _ in range(4)]
    pinned = pageable if trial else [[each.pin_memory() for each in batch] for batch in pageable]
    model, loss = network(), nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    bad = 0

    def train(loader, batches):
        synchronize()
        before = time.perf_counter()
        for images, labels in loader([batches[number % len(batches)] for number in range(steps)]):
            optimizer.zero_grad(set_to_none=True)
            loss(model(images), labels).backward()
            optimizer.step()
        synchronize()
        return (time.perf_counter() - before) / steps, (images, labels)

    ways = {"pinned": (ours if trial else pinned_prefetch, pinned), "toDevice": (ours, pageable)}
    times = {name: [] for name in ways}
    for turn in range(2 if trial else 6):
        for name, (loader, batches) in ways.items():
            taken, last = train(loader, batches)
            bad += wrong(pageable[(steps - 1) % len(pageable)], last)
            if turn > 0:
                times[name].append(taken)
    ratio = statistics.median(times["toDevice"]) / statistics.median(times["pinned"])
    results["training"] = {"bytes": sum(each.nbytes for each in pageable[0]), "ratio": ratio, "wrongTensors": bad,
                           **{f"{name}Ms": spread(each, 1e3) for name, each in times.items()}}
    check("training, bytes", bad == 0, f"{bad} wrong tensors")
    check("training, step at most 1.05 of pinned batches copied ahead", ratio <= 1.05,
          f"{ratio:.3f} ({statistics.median(times['toDevice']) * 1e3:.2f} ms a step)")


def race(rounds=60):
    """Sources that are overwritten right after get(), and results that are dropped while a kernel still reads them."""
    generator = torch.Generator().manual_seed(5)
    bad = 0
    for number in range(rounds // (10 if trial else 1)):
        sizes = torch.randint(1, 2_000_000 if number % 3 else 4_000, (40,), generator=generator).tolist()
        sources = [torch.randint(0, 256, (size,), dtype=torch.uint8, generator=generator) for size in sizes]
        sums = [int(each.sum()) for each in sources]
        if not trial:
            torch.cuda._sleep(20_000_000)
        arrived = start(sources).get()
        for each in sources:
            each.fill_(number % 256)
        told = torch.stack([each.sum() for each in arrived])
        kept = [each.clone() for each in arrived]
        # The memory of `arrived` may be handed out again from here on, though the stream has not read it yet.
        del arrived
        start(sources)
        again = start(sources).get()
        bad += told.tolist() != sums
        bad += [int(each.sum()) for each in kept] != sums
        bad += wrong(sources, again)
    results["race"] = {"rounds": rounds, "wrong": bad}
    check("sources overwritten after get(), bytes", bad == 0, f"{bad} wrong of {rounds} rounds")


def faults():
    """Errors in words."""
    words = []
    for batch, where in (([torch.ones(2)], "cuda:99"), ([torch.ones(2)], "gpu")):
        try:
            if not trial:
                copyscope.to_device(batch, where).get()
        except copyscope.CopyscopeError as error:
            words.append(str(error))
    results["faults"] = words
    check("errors in words", len(words) == 2, " / ".join(words))


def sanitized():
    """The race again under compute-sanitizer."""
    tool = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    if not os.path.exists(tool) or left() < 30:
        results["sanitizer"] = f"not run: {'no time left' if os.path.exists(tool) else 'it is not installed'}"
        print(f"compute-sanitizer: {results['sanitizer']}")
        return
    command = [tool, "--error-exitcode", "9", sys.executable, os.path.abspath(__file__), "--race"]
    environment = {**os.environ, "OUT": ""}
    try:
        ended = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=left())
    except subprocess.TimeoutExpired:
        results["sanitizer"] = "not finished in the time that was left"
        print(f"compute-sanitizer: {results['sanitizer']}")
        return
    last = (ended.stdout.strip().splitlines() or [""])[-1]
    results["sanitizer"] = {"exitCode": ended.returncode, "lastLine": last, "errors": ended.stderr[-2000:]}
    check("no error of compute-sanitizer", ended.returncode == 0, last)


def main():
    only_race = "--race" in sys.argv
    parts = [lambda: race(6)] if only_race else [small, large, training, race, faults, sanitized]
    for part in parts:
        try:
            part()
        except Exception:
            failed.append(getattr(part, "__name__", "race"))
            results.setdefault("errors", []).append(traceback.format_exc())
            traceback.print_exc()
    gpu = "none" if trial else torch.cuda.get_device_name(0)
    results["machine"] = {"gpu": gpu, "torch": torch.__version__, "cores": os.cpu_count(), "python": sys.version.split()[0]}
    results["seconds"] = time.perf_counter() - began
    if os.environ.get("OUT") and not only_race:
        with open(os.path.join(os.environ["OUT"], "to-device.json"), "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    print(f"{results['seconds']:.0f} s on {gpu}: {'all limits met' if not failed else 'NOT met: ' + ', '.join(failed)}")
    return 1 if failed else 0


sys.exit(main())
