"""Shared parts of the programs: their registry, ways to feed and to capture steps, and small inputs."""

import os
from dataclasses import dataclass

import torch

device = torch.device(os.environ.get("PROGRAMS_DEVICE", "cuda"))
rehearsal = device.type == "cpu"
registry = {}


def size(full, small):
    """Returns `full`, or `small` when the programs are rehearsed without a GPU."""
    return small if rehearsal else full


@dataclass
class Variant:
    """`run(n, tick)` runs n steps and calls tick() after each."""

    run: object
    changes: tuple = ()
    # Steps at the start of a block that are not counted, for example those fed from a queue that filled up before.
    skip: int = 1
    # A block has a multiple of this number of steps: loaders with workers deliver in bursts.
    multiple: int = 1
    traced: bool = False


@dataclass
class Program:
    name: str
    about: str
    kind: str
    advice: tuple
    build: object
    stack: bool = False
    active: int = 4
    # A module that is imported before the process waits for its turn.
    needs: str = ""


def program(name, about, kind, advice, **options):
    """Registers a function that builds the variants of a program: {"base": Variant, NAME: Variant, ...}."""

    def register(build):
        if name in registry:
            raise ValueError(f"two programs are named {name}")
        registry[name] = Program(name, about, kind, tuple(advice.split()), build, **options)
        return build

    return register


def steps(body, changes="", **options):
    """Makes a variant of a function that does one step."""

    def run(count, tick):
        for _ in range(count):
            body()
            tick()

    return Variant(run, tuple(changes.split()), **options)


def fed(loader, body, changes="", workers=0, **options):
    """Makes a variant of a loader and a function that does one step with a batch of it."""
    source = []

    def batches():
        while True:
            yield from loader

    def run(count, tick):
        if not source:
            source.append(batches())
        for _ in range(count):
            body(next(source[0]))
            tick()

    options.setdefault("skip", 2 * workers + 2)
    options.setdefault("multiple", max(1, workers))
    return Variant(run, tuple(changes.split()), **options)


def graphed(body):
    """Captures body() as a CUDA graph and returns the function that replays it."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            body()
    torch.cuda.current_stream().wait_stream(side)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        body()
    return graph.replay


def trainer(model, optimizer, loss_of):
    """Returns a function that does one training step on its arguments and returns the loss."""

    def step(*inputs):
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(model, *inputs)
        loss.backward()
        optimizer.step()
        return loss

    return step


class Prefetcher:
    """Copies the next batch in a stream of its own while the current one is used. Its batches are pinned."""

    def __init__(self, batches):
        self.batches, self.at = batches, 0
        self.stream = torch.cuda.Stream()
        self.next = None
        self.fetch()

    def fetch(self):
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.stream):
            self.next = [part.to(device, non_blocking=True) for part in self.batches[self.at % len(self.batches)]]
        self.at += 1

    def take(self):
        torch.cuda.current_stream().wait_stream(self.stream)
        batch = self.next
        for part in batch:
            part.record_stream(torch.cuda.current_stream())
        self.fetch()
        return batch


def rotate(items):
    """Returns a function that returns one item after another, round and round."""
    at = [-1]

    def take():
        at[0] = (at[0] + 1) % len(items)
        return items[at[0]]

    return take


def mlp(width, layers, out=None, dtype=torch.float32):
    parts = []
    for _ in range(layers):
        parts += [torch.nn.Linear(width, width), torch.nn.GELU()]
    parts.append(torch.nn.Linear(width, out or width))
    return torch.nn.Sequential(*parts).to(device, dtype)


def images(count, side=224, dtype=torch.uint8):
    return torch.randint(0, 256, (count, 3, side, side), dtype=torch.uint8).to(dtype)


class Endless(torch.utils.data.Dataset):
    """A dataset whose samples are made by a function of their index, and that never ends within a measurement."""

    def __init__(self, make):
        self.make = make

    def __len__(self):
        return 1 << 22

    def __getitem__(self, index):
        return self.make(index)


def loader(make, batch, workers=0, **options):
    return torch.utils.data.DataLoader(Endless(make), batch_size=batch, num_workers=workers, **options)
