"""Programs that no rule of the plan was made with: written after the rules were fixed, and recorded once.

They are of the same form as those of programs.py; a rule that is changed with their figures in sight needs new ones.
"""

import queue
import threading

import torch
from torch import nn
from torch.nn import functional as F

from programs import DEVICE, INPUT, OUTPUT, Taker, in_turn, mlp, to_device, trainer

PROGRAMS = {}


def program(variants):
    def add(build):
        PROGRAMS[build.__name__] = (build, variants)
        return build

    return add


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(width, width, 3, padding=1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1, bias=False),
            nn.BatchNorm2d(width),
        )

    def forward(self, x):
        return F.relu(x + self.body(x))


@program(INPUT)
def photos(variant):
    """A residual network on photos as bytes."""
    net = nn.Sequential(nn.Conv2d(3, 64, 7, 4), *[Block(64) for _ in range(4)], nn.AdaptiveAvgPool2d(1), nn.Flatten())
    train = trainer(nn.Sequential(net, nn.Linear(64, 1000)), F.cross_entropy)
    pool = [(torch.randint(0, 255, (96, 3, 256, 256), dtype=torch.uint8), torch.randint(0, 1000, (96,))) for _ in range(3)]
    batches = to_device(pool, variant)

    def step():
        images, labels = next(batches)
        train(images.float().div_(255), labels)

    return step


@program(INPUT)
def molecules(variant):
    """A graph network: node values and two lists of edges, of different sizes."""
    first, second = nn.Linear(256, 256).to(DEVICE), nn.Linear(256, 256).to(DEVICE)
    nodes, edges = 60_000, 600_000
    pool = [(torch.randn(nodes, 256), torch.randint(0, nodes, (edges,)), torch.randint(0, nodes, (edges,))) for _ in range(3)]
    batches = to_device(pool, variant)

    @torch.no_grad()
    def step():
        x, source, target = next(batches)
        for layer in (first, second):
            x = F.relu(torch.zeros_like(x).index_add_(0, target, layer(x)[source]))

    return step


@program(INPUT)
def spectra(variant):
    """Long signals whose transforms are short compared with their copies."""
    pool = [(torch.randn(512, 32768),) for _ in range(3)]
    batches = to_device(pool, variant)

    @torch.no_grad()
    def step():
        (signal,) = next(batches)
        torch.fft.rfft(signal).abs().mean(0)

    return step


@program({"each": "", "delayed": "delay-wait", "never": "remove-wait"})
def diffusion(variant):
    """Ten denoising rounds, and the norm of each is read for a progress bar."""
    net = nn.Sequential(nn.Conv2d(4, 128, 3, padding=1), *[Block(128) for _ in range(3)], nn.Conv2d(128, 4, 3, padding=1))
    net = net.to(DEVICE).eval()
    start = torch.randn(4, 4, 64, 64, device=DEVICE)
    kept = torch.empty(()).pin_memory()
    ready = torch.cuda.Event()
    ready.record()

    @torch.no_grad()
    def step():
        x = start
        for _ in range(10):
            x = x - 0.1 * net(x)
            norm = x.norm()
            if variant == "each":
                norm.item()
            elif variant == "delayed":
                ready.synchronize()
                kept.copy_(norm, non_blocking=True)
                ready.record()

    return step


@program({"each": "", "never": "remove-wait"})
def decoding(variant):
    """Sixteen tokens, one after the other; each is looked at for the end of the text."""
    layers = nn.ModuleList([nn.TransformerEncoderLayer(1024, 16, 4096, batch_first=True) for _ in range(6)])
    layers = layers.to(DEVICE).half().eval()
    head = nn.Linear(1024, 32000).to(DEVICE).half()
    start = torch.randn(8, 64, 1024, device=DEVICE).half()

    @torch.no_grad()
    def step():
        for _ in range(16):
            x = start
            for layer in layers:
                x = layer(x)
            token = head(x[:, -1]).argmax(-1)
            if variant == "each" and bool((token == 0).all()):
                break

    return step


@program({"masked": "", "where": "remove-wait"})
def detection(variant):
    """Boxes above a score are picked with a mask, which asks the device how many there are."""
    net = nn.Sequential(nn.Conv2d(3, 64, 3, 2, 1), nn.ReLU(), nn.Conv2d(64, 64, 3, 2, 1), nn.ReLU(), nn.Conv2d(64, 5, 1))
    net = net.to(DEVICE).eval()
    images = torch.randn(4, 3, 640, 640, device=DEVICE)

    @torch.no_grad()
    def step():
        for _ in range(3):
            boxes = net(images).flatten(2)
            score = boxes[:, 4]
            if variant == "masked":
                score[score > 0.1].sum()
            else:
                torch.where(score > 0.1, score, 0).sum()

    return step


@program({"often": "", "never": "remove-wait"})
def timed(variant):
    """Every part of a training step is timed on the host, between two synchronising calls."""
    net = mlp(1024, 2048, 2048, 1024).to(DEVICE)
    optimizer = torch.optim.AdamW(net.parameters())
    x = torch.randn(1024, 1024, device=DEVICE)

    def wait():
        if variant == "often":
            torch.cuda.synchronize()

    def step():
        optimizer.zero_grad()
        wait()
        loss = F.mse_loss(net(x), x)
        wait()
        loss.backward()
        wait()
        optimizer.step()
        wait()

    return step


@program(OUTPUT)
def embeddings(variant):
    """Vectors of a corpus, batch by batch, into an index on the host."""
    net = mlp(768, 3072, 3072, 768).to(DEVICE)
    texts = [torch.randn(16384, 768, device=DEVICE) for _ in range(3)]
    taker = Taker((16384, 768), 3, variant)

    @torch.no_grad()
    def step():
        for index, text in enumerate(texts):
            taker.take(index, F.normalize(net(text)))
        taker.wait()

    return step


@program(OUTPUT)
def enlarging(variant):
    """Pictures made four times as large, brought back as bytes."""
    net = nn.Sequential(nn.Conv2d(3, 64, 3, padding=1), *[Block(64) for _ in range(2)], nn.Conv2d(64, 48, 3, padding=1))
    net = net.to(DEVICE).eval()
    images = [torch.rand(2, 3, 360, 640, device=DEVICE) for _ in range(4)]
    taker = Taker((2, 3, 1440, 2560), 4, variant)

    @torch.no_grad()
    def step():
        for index, image in enumerate(images):
            taker.take(index, F.pixel_shuffle(net(image), 4))
        taker.wait()

    return step


@program({"eager": "", "graph": "graph"})
def recurrent(variant):
    """A cell unrolled in Python: two hundred rounds of a few small kernels."""
    cell = nn.GRUCell(128, 128).to(DEVICE)
    inputs = torch.randn(100, 32, 128, device=DEVICE)

    @torch.no_grad()
    def forward():
        state = torch.zeros(32, 128, device=DEVICE)
        for x in inputs:
            state = cell(x, state)

    if variant == "eager":
        return forward
    for _ in range(3):
        forward()
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        forward()
    return captured.replay


@program({"eager": "", "graph": "graph"})
def small_pictures(variant):
    """A convolutional network at batch size one."""
    net = nn.Sequential(nn.Conv2d(3, 64, 3, padding=1), *[Block(64) for _ in range(12)]).to(DEVICE).eval()
    image = torch.randn(1, 3, 56, 56, device=DEVICE)

    @torch.no_grad()
    def forward():
        net(image)

    if variant == "eager":
        return forward
    for _ in range(3):
        forward()
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        forward()
    return captured.replay


@program({"pageable": "", "pinned": "pin", "joined": "pin, batch"})
def clouds(variant):
    """Forty clouds of points of different sizes; joined on the host in each step."""
    net = mlp(8, 128, 256, 64).to(DEVICE)
    sizes = [6000 + 250 * index for index in range(40)]
    clouds = [torch.randn(size, 8) for size in sizes]
    if variant == "pinned":
        clouds = [cloud.pin_memory() for cloud in clouds]
    joined = torch.empty(sum(sizes), 8).pin_memory()

    @torch.no_grad()
    def step():
        if variant == "joined":
            torch.cat(clouds, out=joined)
            x = joined.to(DEVICE)
        else:
            x = torch.cat([cloud.to(DEVICE) for cloud in clouds])
        net(x)

    return step


@program({"pageable": "", "non_blocking": "pin, non-blocking", "packed": "pin, non-blocking, batch"})
def clicks(variant):
    """Twenty-six columns of ids, kept by themselves or in one table."""
    rows = 65536
    tables = nn.ModuleList([nn.Embedding(10000, 16) for _ in range(26)]).to(DEVICE)
    net = mlp(26 * 16, 512, 1).to(DEVICE)
    pool = [torch.randint(0, 10000, (26, rows)) for _ in range(3)]
    if variant != "pageable":
        pool = [batch.pin_memory() for batch in pool]
    batches = in_turn(pool)

    @torch.no_grad()
    def step():
        batch = next(batches)
        if variant == "packed":
            columns = batch.to(DEVICE, non_blocking=True)
        else:
            columns = [column.to(DEVICE, non_blocking=variant == "non_blocking") for column in batch]
        net(torch.cat([table(column) for table, column in zip(tables, columns)], 1))

    return step


@program({"same": "", "thread": "other-thread"})
def signals(variant):
    """Each batch is filtered on the host before it is copied."""
    train = trainer(mlp(8192, 2048, 512, 10), F.cross_entropy)
    target = torch.randint(0, 10, (1024,), device=DEVICE)
    raw = torch.randn(1024, 8192)
    buffers = in_turn([torch.empty(1024, 8192).pin_memory() for _ in range(4)])
    torch.set_num_threads(4)

    def make():
        return next(buffers).copy_(torch.fft.irfft(torch.fft.rfft(raw) * 0.5))

    if variant == "same":
        return lambda: train(make().to(DEVICE, non_blocking=True), target)
    made = queue.Queue(1)

    def work():
        while True:
            made.put(make())

    threading.Thread(target=work, daemon=True).start()
    return lambda: train(made.get().to(DEVICE, non_blocking=True), target)


@program({"pageable": "", "each_step": "pin-each-step, non-blocking", "once": "pin, non-blocking"})
def windows(variant):
    """A batch is cut out of a long series in each step, so that it can't be page-locked before."""
    train = trainer(mlp(1024, 2048, 1024), F.mse_loss)
    pool = [torch.randn(8192, 1024) for _ in range(3)]
    if variant == "once":
        pool = [batch.pin_memory() for batch in pool]
    target = torch.randn(8192, 1024, device=DEVICE)
    batches = in_turn(pool)

    def step():
        batch = next(batches)
        if variant == "each_step":
            batch = batch.pin_memory()
        train(batch.to(DEVICE, non_blocking=variant != "pageable"), target)

    return step


@program({"same": "", "side": "other-stream"})
def states(variant):
    """A state goes to the host and another one comes back, while the network works on neither."""
    net = mlp(4096, 4096, 4096).to(DEVICE)
    x = torch.randn(4096, 4096, device=DEVICE)
    state = torch.randn(4096, 4096, device=DEVICE)
    kept = [torch.empty(4096, 4096).pin_memory() for _ in range(2)]
    stream = torch.cuda.Stream()

    def swap():
        kept[0].copy_(state, non_blocking=True)
        state.copy_(kept[1], non_blocking=True)

    @torch.no_grad()
    def step():
        if variant == "same":
            swap()
            net(x)
            return
        main = torch.cuda.current_stream()
        stream.wait_stream(main)
        with torch.cuda.stream(stream):
            swap()
        net(x)
        main.wait_stream(stream)

    return step
