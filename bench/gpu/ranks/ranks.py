"""Two ranks that train together: step times without a profiler and torch.profiler's trace of each rank.

    python3 bench/gpu/ranks/ranks.py FOLDER [NAME...]      all programs if none is named

Each program is a process for each GPU (NCCL), or two processes of one GPU (gloo) if there is only one. FOLDER gets
NAME.rankN.json.gz and steps.json, with the median step of each rank in nanoseconds, before and without the profiler.
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


def trained(model, batch, device, before=None, accumulate=1):
    optimiser = torch.optim.SGD(model.parameters(), lr=0.01)

    def step():
        if before is not None:
            before()
        optimiser.zero_grad()
        for turn in range(accumulate):
            last = turn == accumulate - 1
            context = model.no_sync() if not last and hasattr(model, "no_sync") else torch.enable_grad()
            with context:
                model(batch).square().mean().backward()
        optimiser.step()

    return step


def device_bound(rank, device):
    return trained(ddp(net(2048, 6), device), torch.randn(8192, 2048, device=device), device)


def communication_bound(rank, device):
    return trained(ddp(net(8192, 4), device), torch.randn(64, 8192, device=device), device)


def slow_rank(rank, device):
    model, batch = ddp(net(2048, 6), device), torch.randn(2048 * (1 + 3 * rank), 2048, device=device)
    return trained(model, batch, device)


def loader_rank(rank, device):
    model, batch = ddp(net(2048, 6), device), torch.randn(2048, 2048, device=device)
    data = torch.rand(2000, 2000)

    def load():
        if rank == 1:
            with torch.profiler.record_function("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"):
                until = time.perf_counter() + 0.02
                while time.perf_counter() < until:
                    data.add_(1)

    return trained(model, batch, device, load)


def offloaded(rank, device):
    from torch.distributed.fsdp import CPUOffload, FullyShardedDataParallel

    model = FullyShardedDataParallel(net(4096, 4), cpu_offload=CPUOffload(True), device_id=device)
    return trained(model, torch.randn(1024, 4096, device=device), device)


def accumulated(rank, device):
    return trained(ddp(net(4096, 4), device), torch.randn(2048, 4096, device=device), device, accumulate=4)


programs = {one.__name__: one for one in (device_bound, communication_bound, slow_rank, loader_rank, offloaded, accumulated)}


def timed(step):
    times = []
    for _ in range(STEPS):
        before = time.perf_counter_ns()
        step()
        torch.cuda.synchronize()
        times.append(time.perf_counter_ns() - before)
    return statistics.median(times)


def work(rank, name, folder, port):
    from torch.profiler import ProfilerActivity, profile, schedule

    several = torch.cuda.device_count() >= WORLD
    device = torch.device("cuda", rank if several else 0)
    torch.cuda.set_device(device)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    dist.init_process_group("nccl" if several else "gloo", rank=rank, world_size=WORLD)
    step = programs[name](rank, device)
    for _ in range(4):
        step()
    torch.cuda.synchronize()
    plain = timed(step)
    path = os.path.join(folder, "%s.rank%d.json" % (name, rank))
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
    after = timed(step)
    with open(os.path.join(folder, "%s.rank%d.step" % (name, rank)), "w") as file:
        json.dump({"before": plain, "after": after}, file)
    dist.barrier()
    dist.destroy_process_group()


def main():
    folder, names = sys.argv[1], sys.argv[2:] or list(programs)
    os.makedirs(folder, exist_ok=True)
    steps = {}
    for place, name in enumerate(names):
        try:
            mp.spawn(work, (name, folder, 29500 + place), WORLD, join=True)
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
