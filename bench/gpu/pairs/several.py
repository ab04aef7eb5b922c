"""Programs on two GPUs, and with CUDA graphs that hold branches and copies: what programs.py and unseen.py have none of.

They are of the same form, and were written after the rules that they judge. They need two GPUs.
"""

import torch
from torch import nn

from programs import in_turn, mlp, pinned

PROGRAMS = {}
FIRST, SECOND = "cuda:0", "cuda:1"


def program(variants):
    def add(build):
        PROGRAMS[build.__name__] = (build, variants)
        return build

    return add


HALVES = {"pageable": "", "pinned": "pin", "non_blocking": "pin, non-blocking"}


@program(HALVES)
def halves(variant):
    """One thread sends half of each batch to each GPU, as nn.DataParallel does, and gathers the results on the first."""
    nets = [mlp(4096, 8192, 8192, 256).to(device).eval() for device in (FIRST, SECOND)]
    pool = [(torch.randn(4096, 4096), torch.randn(4096, 4096)) for _ in range(3)]
    batches = in_turn(pool if variant == "pageable" else pinned(pool))

    @torch.no_grad()
    def step():
        parts = next(batches)
        made = [
            net(part.to(device, non_blocking=variant == "non_blocking"))
            for net, part, device in zip(nets, parts, (FIRST, SECOND))
        ]
        torch.cat([made[0], made[1].to(FIRST, non_blocking=True)])

    return step


@program({"blocking": "", "non_blocking": "non-blocking"})
def stages(variant):
    """The first layers on one GPU, the others on the second: a pipeline without any overlap."""
    first = mlp(4096, 8192, 4096).to(FIRST).eval()
    second = mlp(4096, 8192, 256).to(SECOND).eval()
    batches = in_turn(pinned([(torch.randn(4096, 4096),) for _ in range(3)]))

    @torch.no_grad()
    def step():
        (batch,) = next(batches)
        inner = first(batch.to(FIRST, non_blocking=variant == "non_blocking"))
        second(inner.to(SECOND, non_blocking=True))

    return step


@program({"each": "", "late": "delay-wait"})
def branches(variant):
    """A graph that copies its input, works on it in two branches, and joins them; its result is read on the host."""
    net = [nn.Linear(4096, 4096).to(FIRST) for _ in range(3)]
    source = torch.randn(2048, 4096).pin_memory()
    batch = torch.empty(2048, 4096, device=FIRST)
    hosts = [torch.empty(2048, 4096).pin_memory() for _ in range(2)]
    done = [torch.cuda.Event() for _ in range(2)]
    side, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()

    def work():
        batch.copy_(source, non_blocking=True)
        main = torch.cuda.current_stream()
        side.wait_stream(main)
        with torch.cuda.stream(side):
            right = net[1](net[1](batch))
        left = net[0](batch)
        main.wait_stream(side)
        return net[2](left + right)

    with torch.no_grad():
        for _ in range(3):
            work()
        torch.cuda.synchronize()
        with torch.cuda.graph(graph):
            made = work()
    number = 0

    def step():
        nonlocal number
        own = number % 2
        graph.replay()
        hosts[own].copy_(made, non_blocking=True)
        done[own].record()
        ready = own if variant == "each" else 1 - own
        if number > 0 or variant == "each":
            done[ready].synchronize()
            float(hosts[ready][0, 0])
        number += 1

    return step


@program({"each": "", "late": "delay-wait"})
def results(variant):
    """Vectors of a batch come to the host each step, and are read there."""
    net = mlp(2048, 8192, 8192, 2048).to(FIRST).eval()
    batch = torch.randn(8192, 2048, device=FIRST)
    hosts = [torch.empty(8192, 2048).pin_memory() for _ in range(2)]
    done = [torch.cuda.Event() for _ in range(2)]
    number = 0

    @torch.no_grad()
    def step():
        nonlocal number
        own = number % 2
        hosts[own].copy_(net(batch), non_blocking=True)
        done[own].record()
        ready = own if variant == "each" else 1 - own
        if number > 0 or variant == "each":
            done[ready].synchronize()
            hosts[ready][:, 0].sum().item()
        number += 1

    return step
