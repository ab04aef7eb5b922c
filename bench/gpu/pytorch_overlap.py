"""The four overlap cases in PyTorch, through its own profiler, on the machine at hand: the peer of overlap.test.ts.

Prints one row a case and writes the same as JSON: kernel share that ran during the copy, bandwidth of the copy, and the
device makespan (first start to last end of copy and kernels). Medians over the recorded iterations.
"""

import contextlib
import json
import statistics
import sys
import tempfile

ELEMENTS = 5 * 1024 * 1024
ITERATIONS = 5


def device_events(path):
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    chosen = [event for event in events if event.get("cat") in ("kernel", "gpu_memcpy")]
    return sorted(chosen, key=lambda event: event["ts"])


def measures(copy, kernels):
    end = copy["ts"] + copy["dur"]
    busy = sum(kernel["dur"] for kernel in kernels)
    shared = sum(
        max(0.0, min(end, kernel["ts"] + kernel["dur"]) - max(copy["ts"], kernel["ts"])) for kernel in kernels
    )
    everything = [copy, *kernels]
    first = min(event["ts"] for event in everything)
    last = max(event["ts"] + event["dur"] for event in everything)
    return {
        "kernelShare": shared / busy,
        "bytesPerSecond": ELEMENTS * 4 / copy["dur"] * 1e6,
        "makespanNs": (last - first) * 1e3,
    }


def record(torch, pinned, streamed):
    device = torch.device("cuda", 0)
    side = torch.cuda.Stream()
    source = torch.randn(ELEMENTS, pin_memory=pinned)
    factor = torch.randn(ELEMENTS, device=device)

    def step():
        with torch.cuda.stream(side) if streamed else contextlib.nullcontext():
            source.to(device, non_blocking=True)
            copied = torch.cuda.current_stream().record_event()
        factor * factor * factor
        multiplied = torch.cuda.current_stream().record_event()
        copied.synchronize()
        multiplied.synchronize()

    for _ in range(3):
        step()
    torch.cuda.synchronize()
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profile:
        for _ in range(ITERATIONS):
            step()
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        profile.export_chrome_trace(file.name)
        events = device_events(file.name)
    copies = [event for event in events if event["cat"] == "gpu_memcpy"]
    kernels = [event for event in events if event["cat"] == "kernel"]
    per_step = len(kernels) // len(copies)
    steps = [
        measures(copy, kernels[index * per_step : (index + 1) * per_step]) for index, copy in enumerate(copies)
    ]
    return {key: statistics.median(step[key] for step in steps) for key in steps[0]}


def main():
    try:
        import torch
    except ImportError:
        print("PyTorch is not installed: no comparison.")
        return
    results = {}
    for streamed in (False, True):
        for pinned in (False, True):
            name = f"{'pinned' if pinned else 'pageable'}-{'side' if streamed else 'same'}-stream"
            results[name] = record(torch, pinned, streamed)
            row = results[name]
            print(
                f"PyTorch {torch.__version__} {name}: kernel overlapped {row['kernelShare']:.1%}, "
                f"copy {row['bytesPerSecond'] / 1e9:.1f} GB/s, makespan {row['makespanNs'] / 1e3:.0f} us"
            )
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(results, file, indent=2)


main()
