"""Two ranks that train together: step times without a recorder, and torch.profiler's trace of each rank.

    python3 bench/gpu/ranks/ranks.py FOLDER [NAME...]                  all programs if none is named
    python3 bench/gpu/ranks/ranks.py FOLDER --changed                  the same programs, remedied: step times alone
    copyscope record --steps 11..14 -- python3 bench/gpu/ranks/ranks.py FOLDER --plain NAME

Each program is a process for each GPU (NCCL), or two processes of one GPU (gloo) if there is only one. FOLDER gets
NAME.rankN.json.gz and steps.json, with the median step of each rank in nanoseconds, before and without the profiler.

Each program's function says what is right to do first: it was written down before Copyscope gave an answer. The variants of
--changed do that, or show how much there is to gain at most.
"""

import gzip
import json
import os
import shutil
import statistics
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

WORLD, STEPS = 2, 12


def net(width, layers):
    torch.manual_seed(0)
    return torch.nn.Sequential(*[torch.nn.Sequential(torch.nn.Linear(width, width), torch.nn.GELU()) for _ in range(layers)])


def ddp(model, device):
    from torch.nn.parallel import DistributedDataParallel

    return DistributedDataParallel(model.to(device), device_ids=[device.index])


def trained(model, batch, device, before=None, accumulate=1, communicates=True):
    optimiser = torch.optim.SGD(model.parameters(), lr=0.01)

    def step():
        if before is not None:
            before()
        optimiser.zero_grad()
        for turn in range(accumulate):
            last = turn == accumulate - 1 and communicates
            context = model.no_sync() if not last and hasattr(model, "no_sync") else torch.enable_grad()
            with context:
                model(batch).square().mean().backward()
        optimiser.step()

    return step


def device_bound(rank, device, change=None):
    """Right: nothing but faster kernels; without any communication the step is less than 5 % shorter."""
    batch = torch.randn(8192, 2048, device=device)
    return trained(ddp(net(2048, 6), device), batch, device, communicates=change is None)


def communication_bound(rank, device, change=None):
    """Right: the gradients' all-reduce holds the step; send fewer bytes, or hide them behind kernels."""
    model = ddp(net(8192, 4), device)
    if change == "bf16":
        from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import bf16_compress_hook

        model.register_comm_hook(None, bf16_compress_hook)
    return trained(model, torch.randn(64, 8192, device=device), device, communicates=change != "silent")


def slow_rank(rank, device, change=None):
    """Right: rank 1 has four times the kernels, and rank 0 waits for it; share the rows out evenly."""
    rows = 5120 if change == "balanced" else 2048 * (1 + 3 * rank)
    return trained(ddp(net(2048, 6), device), torch.randn(rows, 2048, device=device), device)


def loader_rank(rank, device, change=None):
    """Right: rank 1 loads within its step, and rank 0 waits for it; load in worker processes."""
    model, batch = ddp(net(2048, 6), device), torch.randn(2048, 2048, device=device)
    data = torch.rand(2000, 2000)

    def load():
        if rank == 1 and change is None:
            with torch.profiler.record_function("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"):
                until = time.perf_counter() + 0.02
                while time.perf_counter() < until:
                    data.add_(1)

    return trained(model, batch, device, load)


def offloaded(rank, device, change=None):
    """Right: parameters and their update belong on the device, if they fit; the update on the host or the copies hold the step."""
    from torch.distributed.fsdp import CPUOffload, FullyShardedDataParallel

    model = FullyShardedDataParallel(net(4096, 4), cpu_offload=CPUOffload(change is None), device_id=device)
    return trained(model, torch.randn(1024, 4096, device=device), device)


def accumulated(rank, device, change=None):
    """Right: nothing but faster kernels; without any communication the step is less than 5 % shorter."""
    batch = torch.randn(2048, 4096, device=device)
    return trained(ddp(net(4096, 4), device), batch, device, accumulate=4, communicates=change is None)


programs = {one.__name__: one for one in (device_bound, communication_bound, slow_rank, loader_rank, offloaded, accumulated)}
changes = [
    "device_bound+silent",
    "communication_bound+bf16",
    "communication_bound+silent",
    "slow_rank+balanced",
    "loader_rank+elsewhere",
    "offloaded+kept",
    "accumulated+silent",
]


def timed(step):
    times = []
    for _ in range(STEPS):
        before = time.perf_counter_ns()
        step()
        torch.cuda.synchronize()
        times.append(time.perf_counter_ns() - before)
    return statistics.median(times)


def profiled(step, path):
    from torch.profiler import ProfilerActivity, profile, schedule

    with profile(
        activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],
        schedule=schedule(wait=1, warmup=2, active=4),
        on_trace_ready=lambda session: session.export_chrome_trace(path),
    ) as session:
        for _ in range(7):
            step()
            torch.cuda.synchronize()
            session.step()
    with open(path, "rb") as source, gzip.open(path + ".gz", "wb") as target:
        shutil.copyfileobj(source, target)
    os.remove(path)


def ranged(step):
    def marked():
        torch.cuda.nvtx.range_push("step")
        step()
        torch.cuda.synchronize()
        torch.cuda.nvtx.range_pop()

    return marked


def work(rank, name, folder, port, plain):
    os.environ.update(RANK=str(rank), WORLD_SIZE=str(WORLD), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    several = torch.cuda.device_count() >= WORLD
    device = torch.device("cuda", rank if several else 0)
    torch.cuda.set_device(device)
    dist.init_process_group("nccl" if several else "gloo", rank=rank, world_size=WORLD)
    program, _, change = name.partition("+")
    step = programs[program](rank, device, change or None)
    for _ in range(4):
        step()
    torch.cuda.synchronize()
    before = timed(ranged(step) if plain else step)
    if not plain and not change:
        profiled(step, os.path.join(folder, "%s.rank%d.json" % (name, rank)))
    after = timed(ranged(step) if plain else step)
    with open(os.path.join(folder, "%s.rank%d.step" % (name, rank)), "w") as file:
        json.dump({"before": before, "after": after}, file)
    dist.barrier()
    dist.destroy_process_group()


def main():
    plain = "--plain" in sys.argv
    folder, *names = [word for word in sys.argv[1:] if not word.startswith("--")]
    names = changes if "--changed" in sys.argv else names or list(programs)
    os.makedirs(folder, exist_ok=True)
    steps = {}
    for place, name in enumerate(names):
        try:
            mp.spawn(work, (name, folder, 29500 + place, plain), WORLD, join=True)
        except Exception as error:
            print("%s: %s" % (name, str(error).strip().splitlines()[-1]), flush=True)
            continue
        for rank in range(WORLD):
            path = os.path.join(folder, "%s.rank%d.step" % (name, rank))
            with open(path) as file:
                steps.setdefault(name, []).append(json.load(file))
            os.remove(path)
        print("%s: %s" % (name, ", ".join("%.2f ms" % (one["before"] / 1e6) for one in steps[name])), flush=True)
    with open(os.path.join(folder, "steps.json"), "w") as file:
        json.dump(steps, file, indent=1)


if __name__ == "__main__":
    main()
