"""Real PyTorch programs in several variants, each with the changes that were made to the first.

A program is a function of its variant's name that builds the model and its data and gives one step. `VARIANTS` names
the changes as `copyscope explain --try` does.
"""

import queue
import threading

import torch
from torch import nn
from torch.nn import functional as F

DEVICE = "cuda"
PROGRAMS = {}
INPUT = {
    "pageable": "",
    "pinned": "pin",
    "non_blocking": "pin, non-blocking",
    "prefetch": "pin, non-blocking, other-stream, prefetch",
}


def program(variants):
    def add(build):
        PROGRAMS[build.__name__] = (build, variants)
        return build

    return add


def in_turn(pool):
    """The entries of a list, again and again."""
    while True:
        yield from pool


def pinned(pool):
    return [tuple(tensor.pin_memory() for tensor in batch) for batch in pool]


def ahead(batches, depth=1):
    """Batches on the device, copied in a stream of their own before they are asked for."""
    stream = torch.cuda.Stream()

    def load():
        with torch.cuda.stream(stream):
            return [tensor.to(DEVICE, non_blocking=True) for tensor in next(batches)]

    waiting = [load() for _ in range(depth)]
    while True:
        main = torch.cuda.current_stream()
        main.wait_stream(stream)
        batch = waiting.pop(0)
        for tensor in batch:
            tensor.record_stream(main)
        waiting.append(load())
        yield batch


def to_device(pool, variant):
    """Batches on the device, as the usual four variants bring them there."""
    batches = in_turn(pool if variant == "pageable" else pinned(pool))
    if variant == "prefetch":
        yield from ahead(batches)
    while True:
        yield [tensor.to(DEVICE, non_blocking=variant == "non_blocking") for tensor in next(batches)]


def trainer(model, loss):
    model = model.to(DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def train(inputs, target):
        optimizer.zero_grad(set_to_none=True)
        value = loss(model(inputs), target)
        value.backward()
        optimizer.step()
        return value

    return train


def mlp(*widths):
    layers = []
    for before, after in zip(widths, widths[1:]):
        layers += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


@program(INPUT)
def tabular(variant):
    """Wide rows into a small network: the copy is longer than the kernels."""
    train = trainer(mlp(2048, 1024, 256, 1), F.mse_loss)
    batches = to_device([(torch.randn(8192, 2048), torch.randn(8192, 1)) for _ in range(4)], variant)

    def step():
        train(*next(batches))

    return step


@program(INPUT)
def video(variant):
    """Frames as bytes, made into numbers on the device."""
    net = nn.Sequential(nn.Conv2d(3, 32, 5, 4), nn.ReLU(), nn.Conv2d(32, 64, 3, 2), nn.ReLU()).to(DEVICE)
    frames = to_device([(torch.randint(0, 255, (24, 3, 720, 1280), dtype=torch.uint8),) for _ in range(3)], variant)

    @torch.no_grad()
    def step():
        (images,) = next(frames)
        net(images.float().div_(255)).mean((2, 3))

    return step


@program(INPUT)
def language(variant):
    """Tokens and a mask: little to copy, much to launch."""
    layer = nn.TransformerEncoderLayer(512, 8, 2048, dropout=0.0, batch_first=True)
    model = nn.Sequential(nn.Embedding(32000, 512), nn.TransformerEncoder(layer, 4), nn.Linear(512, 1000)).to(DEVICE)
    optimizer = torch.optim.AdamW(model.parameters())
    size = (24, 256)
    pool = [(torch.randint(0, 32000, size), torch.randint(0, 1000, size), torch.rand(*size)) for _ in range(4)]
    batches = to_device(pool, variant)

    def step():
        tokens, target, weight = next(batches)
        optimizer.zero_grad(set_to_none=True)
        losses = F.cross_entropy(model(tokens).flatten(0, 1), target.flatten(), reduction="none")
        (losses * weight.flatten()).mean().backward()
        optimizer.step()

    return step


@program({"each": "", "delayed": "delay-wait", "never": "remove-wait"})
def losses(variant):
    """loss.item() after every one of four small batches."""
    train = trainer(mlp(1024, 4096, 4096, 1024), F.mse_loss)
    inputs, target = (torch.randn(2048, 1024, device=DEVICE) for _ in range(2))
    kept = torch.empty(1).pin_memory()
    ready = torch.cuda.Event()
    ready.record()

    def read(loss):
        if variant == "each":
            loss.item()
        elif variant == "delayed":
            ready.synchronize()
            kept.copy_(loss.detach(), non_blocking=True)
            ready.record()

    def step():
        for _ in range(4):
            read(train(inputs, target))

    return step


@program({"each": "", "never": "remove-wait"})
def adversarial(variant):
    """Two networks, and both losses are printed."""
    critic = mlp(784, 1024, 1024, 1).to(DEVICE)
    maker = mlp(128, 1024, 1024, 784).to(DEVICE)
    first, second = (torch.optim.Adam(net.parameters()) for net in (critic, maker))
    real = torch.rand(512, 784, device=DEVICE)
    ones, zeros = torch.ones(512, 1, device=DEVICE), torch.zeros(512, 1, device=DEVICE)
    judge = F.binary_cross_entropy_with_logits

    def improve(optimizer, loss):
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if variant == "each":
            loss.item()

    def step():
        fake = maker(torch.randn(512, 128, device=DEVICE))
        improve(first, judge(critic(real), ones) + judge(critic(fake.detach()), zeros))
        improve(second, judge(critic(fake), ones))

    return step


@program({"often": "", "never": "remove-wait"})
def cautious(variant):
    """torch.cuda.synchronize() after each layer, as left over from timing."""
    layers = [nn.Linear(2048, 2048).to(DEVICE) for _ in range(12)]
    start = torch.randn(1024, 2048, device=DEVICE)

    @torch.no_grad()
    def step():
        x = start
        for layer in layers:
            x = F.gelu(layer(x))
            if variant == "often":
                torch.cuda.synchronize()

    return step


OUTPUT = {
    "pageable": "",
    "pinned": "pin",
    "non_blocking": "pin, non-blocking",
    "other_stream": "pin, non-blocking, other-stream",
}


class Taker:
    """Brings results to the host, into buffers of its own, as the variant says."""

    def __init__(self, shape, count, variant):
        self.variant = variant
        self.stream = torch.cuda.Stream()
        self.buffers = [torch.empty(shape) for _ in range(count)]
        if variant != "pageable":
            self.buffers = [buffer.pin_memory() for buffer in self.buffers]

    def take(self, index, tensor):
        if self.variant != "other_stream":
            self.buffers[index].copy_(tensor, non_blocking=self.variant == "non_blocking")
            return
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.stream):
            self.buffers[index].copy_(tensor, non_blocking=True)
        tensor.record_stream(self.stream)

    def wait(self):
        if self.variant == "non_blocking":
            torch.cuda.current_stream().synchronize()
        elif self.variant == "other_stream":
            self.stream.synchronize()


@program(OUTPUT)
def offload(variant):
    """Keys and values of each layer go to the host."""
    layers = [nn.Linear(4096, 4096, bias=False).to(DEVICE) for _ in range(6)]
    start = torch.randn(2048, 4096, device=DEVICE)
    taker = Taker((2048, 4096), 6, variant)

    @torch.no_grad()
    def step():
        x = start
        for index, layer in enumerate(layers):
            x = torch.tanh(layer(x))
            taker.take(index, x)
        taker.wait()

    return step


@program(OUTPUT)
def segmentation(variant):
    """Masks of a network come back to the host at the end of the step."""
    body = [nn.Conv2d(32, 32, 3, padding=1) for _ in range(6)]
    net = nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), *body, nn.Conv2d(32, 4, 3, padding=1)).to(DEVICE)
    images = torch.randn(8, 3, 384, 384, device=DEVICE)
    taker = Taker((8, 4, 384, 384), 1, variant)

    @torch.no_grad()
    def step():
        taker.take(0, net(images).softmax(1))
        taker.wait()

    return step


@program({"pageable": "", "pinned": "pin", "joined": "pin, batch", "joined_ahead": "pin, batch, non-blocking"})
def audio(variant):
    """Eighty clips, each copied by itself, or put together on the host first."""
    net = nn.Sequential(nn.Conv1d(1, 64, 64, 16), nn.ReLU(), nn.Conv1d(64, 128, 16, 4), nn.ReLU()).to(DEVICE)
    clips = [torch.randn(1, 16000) for _ in range(240)]
    if variant == "pinned":
        clips = [clip.pin_memory() for clip in clips]
    joined = torch.empty(80, 1, 16000).pin_memory()
    groups = in_turn([clips[start : start + 80] for start in (0, 80, 160)])

    @torch.no_grad()
    def step():
        chosen = next(groups)
        if variant.startswith("joined"):
            torch.stack(chosen, out=joined)
            x = joined.to(DEVICE, non_blocking=variant == "joined_ahead")
        else:
            x = torch.stack([clip.to(DEVICE) for clip in chosen])
        net(x).mean((1, 2))
        if variant == "joined_ahead":
            torch.cuda.current_stream().synchronize()

    return step


@program({"pageable": "", "non_blocking": "pin, non-blocking", "packed": "pin, non-blocking, batch"})
def features(variant):
    """Forty columns of numbers, which may as well travel as one table."""
    net = mlp(40 * 16, 512, 256, 1).to(DEVICE)
    rows = 4096
    pool = [[torch.randn(rows, 16) for _ in range(40)] for _ in range(4)]
    if variant == "non_blocking":
        pool = [[column.pin_memory() for column in batch] for batch in pool]
    tables = in_turn([torch.cat(batch, 1).pin_memory() for batch in pool])
    batches = in_turn(pool)

    @torch.no_grad()
    def step():
        if variant == "packed":
            x = next(tables).to(DEVICE, non_blocking=True)
        else:
            x = torch.cat([column.to(DEVICE, non_blocking=variant != "pageable") for column in next(batches)], 1)
        net(x)

    return step


@program({"eager": "", "graph": "graph"})
def launches(variant):
    """Many small kernels: the host can't launch them as fast as they run."""
    layers = [nn.Sequential(nn.Linear(256, 256), nn.LayerNorm(256), nn.GELU()).to(DEVICE) for _ in range(40)]
    x = torch.randn(64, 256, device=DEVICE)

    @torch.no_grad()
    def forward():
        y = x
        for layer in layers:
            y = y + layer(y)
        return y

    if variant == "eager":
        return forward
    for _ in range(3):
        forward()
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        forward()
    return captured.replay


@program({"same": "", "thread": "other-thread"})
def loading(variant):
    """Each batch is made on the host: decoded, scaled, shuffled."""
    train = trainer(mlp(4096, 2048, 2048, 10), F.cross_entropy)
    target = torch.randint(0, 10, (4096,), device=DEVICE)
    raw = torch.randint(0, 255, (4096, 4096), dtype=torch.uint8)
    torch.set_num_threads(4)

    def make():
        return raw.roll(1, 0).float().div_(255).pin_memory()

    if variant == "same":
        return lambda: train(make().to(DEVICE, non_blocking=True), target)
    made = queue.Queue(2)

    def work():
        while True:
            made.put(make())

    threading.Thread(target=work, daemon=True).start()
    return lambda: train(made.get().to(DEVICE, non_blocking=True), target)


@program({"same": "", "side": "other-stream"})
def experts(variant):
    """Weights that don't fit come from page-locked memory while the layer before works."""
    weights = [(torch.randn(3072, 3072) / 55).pin_memory() for _ in range(8)]
    slots = [torch.empty(3072, 3072, device=DEVICE) for _ in range(2)]
    start = torch.randn(3072, 3072, device=DEVICE)
    stream = torch.cuda.Stream()

    def plain():
        x = start
        for weight in weights:
            x = torch.tanh(x @ weight.to(DEVICE, non_blocking=True))

    def side():
        main = torch.cuda.current_stream()
        x = start
        used = [torch.cuda.Event() for _ in weights]
        for index, weight in enumerate(weights):
            stream.wait_event(used[index - 2]) if index > 1 else stream.wait_stream(main)
            with torch.cuda.stream(stream):
                slots[index % 2].copy_(weight, non_blocking=True)
            main.wait_stream(stream)
            x = torch.tanh(x @ slots[index % 2])
            used[index].record(main)

    return torch.no_grad()(plain if variant == "same" else side)


@program({"one": "", "two": "double-buffer"})
def static_input(variant):
    """A captured program reads its input from a fixed place; with two of them the next input can arrive during a step."""
    count = 1 if variant == "one" else 2
    pool = in_turn([torch.randn(4096, 4096).pin_memory() for _ in range(3)])
    slots = [torch.empty(4096, 4096, device=DEVICE) for _ in range(count)]
    weight = torch.randn(4096, 4096, device=DEVICE)
    free = [torch.cuda.Event() for _ in slots]
    stream = torch.cuda.Stream()
    turn = in_turn(list(range(count)))

    @torch.no_grad()
    def step():
        main = torch.cuda.current_stream()
        index = next(turn)
        stream.wait_event(free[index])
        with torch.cuda.stream(stream):
            slots[index].copy_(next(pool), non_blocking=True)
        main.wait_stream(stream)
        torch.tanh(slots[index] @ weight)
        free[index].record(main)

    return step


@program({"pageable": "", "each": "pin-each-step, non-blocking", "once": "pin, non-blocking"})
def large(variant):
    """One large tensor, pinned before each copy, or once."""
    pool = [torch.randn(16, 1024, 1024) for _ in range(3)]
    if variant == "once":
        pool = [tensor.pin_memory() for tensor in pool]
    weight = torch.randn(1024, 1024, device=DEVICE)
    tensors = in_turn(pool)

    @torch.no_grad()
    def step():
        tensor = next(tensors)
        if variant == "each":
            tensor = tensor.pin_memory()
        torch.tanh(tensor.to(DEVICE, non_blocking=variant != "pageable") @ weight)

    return step


@program({"serial": "", "both": "both-directions", "overlapped": "other-stream, both-directions"})
def swap(variant):
    """States of an optimizer come from the host and go back during the work of the step."""
    states = [torch.randn(1 << 20).pin_memory() for _ in range(16)]
    gradients = [torch.randn(1 << 20, device=DEVICE) for _ in range(16)]
    matrix = torch.randn(2560, 2560, device=DEVICE)
    inward = torch.cuda.Stream()
    outward = torch.cuda.Stream()

    def update(main, state, gradient):
        if variant == "overlapped":
            with torch.cuda.stream(inward):
                moved = state.to(DEVICE, non_blocking=True)
            main.wait_stream(inward)
            moved.record_stream(main)
        else:
            moved = state.to(DEVICE, non_blocking=True)
        moved.mul_(0.9).add_(gradient)
        if variant == "serial":
            state.copy_(moved, non_blocking=True)
            return
        outward.wait_stream(main)
        with torch.cuda.stream(outward):
            state.copy_(moved, non_blocking=True)
        moved.record_stream(outward)

    @torch.no_grad()
    def step():
        main = torch.cuda.current_stream()
        for state, gradient in zip(states, gradients):
            update(main, state, gradient)
            torch.tanh(matrix @ matrix)
        torch.cuda.synchronize()

    return step
