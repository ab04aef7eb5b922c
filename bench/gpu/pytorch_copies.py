"""Times PyTorch's copies of the payloads of copy-engine.ts, in the same session. Writes $OUT/pytorch-copies.json.

Each time is from before the first call to after torch.cuda.synchronize(). Results are compared with their sources
outside the times. With --loops only the .to loops are measured, in half a minute.
"""

import json
import os
import statistics
import sys
import time

try:
    import torch
except ImportError:
    print("PyTorch is not installed: nothing is compared with it.")
    sys.exit(0)
if not torch.cuda.is_available():
    print("PyTorch finds no GPU: nothing is compared with it.")
    sys.exit(0)


def scene_sizes():
    """The sizes of payloads.ts."""
    sizes, state = [], 12345
    for _sample in range(16):
        for _camera in range(6):
            state = state * 16807 % 2147483647
            objects = 22 + state % 39
            sizes += [objects * 16, objects * 8, objects * 8, objects * 4, objects]
        sizes += [6 * 64, 64, 8]
    return sizes


def tensors(sizes, device="cpu", pinned=False):
    generator = torch.Generator().manual_seed(1)
    made = [torch.randint(0, 256, (size,), dtype=torch.uint8, generator=generator) for size in sizes]
    if pinned:
        made = [tensor.pin_memory() for tensor in made]
    return [tensor.to(device) for tensor in made]


def measure(name, sources, copy, repetitions=7, warmups=2):
    for _ in range(warmups):
        results = copy(sources)
        torch.cuda.synchronize()
    times = []
    for _ in range(repetitions):
        results = None
        torch.cuda.synchronize()
        start = time.perf_counter_ns()
        results = copy(sources)
        torch.cuda.synchronize()
        times.append(time.perf_counter_ns() - start)
    wrong = sum(not torch.equal(a.cpu(), b.cpu()) for a, b in zip(sources, results))
    total = sum(tensor.numel() for tensor in sources)
    median = statistics.median(times) / 1e3
    row = {
        "name": name,
        "bytes": total,
        "medianUs": median,
        "minUs": min(times) / 1e3,
        "maxUs": max(times) / 1e3,
        "gigabytesPerSecond": total / median / 1e3,
        "wrongTensors": wrong,
    }
    spread = f"({row['minUs']:.1f} to {row['maxUs']:.1f})"
    verified = "verified" if wrong == 0 else f"WRONG {wrong}"
    print(f"PyTorch {name:<54} {median:10.1f} us {spread:<28} {row['gigabytesPerSecond']:8.2f} GB/s  {verified}")
    return row


def to(device, non_blocking=False):
    return lambda sources: [tensor.to(device, non_blocking=non_blocking) for tensor in sources]


def pin_then_to(sources):
    return [tensor.pin_memory().to("cuda", non_blocking=True) for tensor in sources]


def into(targets):
    def copy(sources):
        for target, source in zip(targets, sources):
            target.copy_(source)
        return targets

    return copy


only_loops = "--loops" in sys.argv
large, medium, scene = [4_000_000] * 1000, [4_000] * 1000, scene_sizes()
rows = []
host = tensors(large)
rows.append(measure("H2D 1000 x 4 MB, pageable, .to loop", host, to("cuda")))
if not only_loops:
    rows.append(measure("H2D 1000 x 4 MB, pageable, .to(non_blocking) loop", host, to("cuda", True)))
    rows.append(measure("H2D 1000 x 4 MB, pageable, pin_memory().to(non_blocking)", host, pin_then_to, repetitions=5))
device = [tensor.to("cuda") for tensor in host]
rows.append(measure("D2H 1000 x 4 MB, pageable, .to loop", device, to("cpu")))
if not only_loops:
    targets = [torch.empty_like(tensor).fill_(1) for tensor in host]
    rows.append(measure("D2H 1000 x 4 MB, pageable, copy_ into touched memory", device, into(targets)))
    del targets
del host, device
if not only_loops:
    pinned = tensors(large, pinned=True)
    rows.append(measure("H2D 1000 x 4 MB, pinned, .to(non_blocking) loop", pinned, to("cuda", True)))
    del pinned
for label, sizes in (("528 tensors of scenes", scene), ("1000 x 4000 B", medium)):
    rows.append(measure(f"H2D {label}, .to loop", tensors(sizes), to("cuda"), 101, 10))
    if not only_loops:
        rows.append(measure(f"H2D {label}, .to(non_blocking) loop", tensors(sizes), to("cuda", True), 101, 10))

information = {
    "torch": torch.__version__,
    "device": torch.cuda.get_device_name(0),
    "threads": torch.get_num_threads(),
    "rows": rows,
}
with open(os.path.join(os.environ.get("OUT", "."), "pytorch-copies.json"), "w", encoding="utf-8") as file:
    json.dump(information, file, indent=1)
