"""Programs whose copies between host and device hold the step."""

import timm
import torch
import torch.nn.functional as F
from transformers import GPT2Config, GPT2LMHeadModel

from .common import Prefetcher, device, fed, images, loader, mlp, program, rotate, size, steps, trainer

on_gpu = device.type == "cuda"
bf16 = torch.bfloat16


def pinned(*shape, dtype=torch.float32):
    return torch.randn(*shape, dtype=dtype).pin_memory()


@program(
    "batch-pageable",
    "Inference on batches of 64 MB copied from pageable memory in every step.",
    "transfer-pageable",
    "pin non-blocking pin-each-step other-stream prefetch send-smaller",
    stack=True,
    active=6,
)
def batch_pageable():
    width = size(4096, 16)
    batches = [torch.randn(width, width) for _ in range(3)]
    locked = [batch.pin_memory() for batch in batches]
    take, kept = rotate(batches), rotate(locked)
    model = mlp(width, 2, dtype=bf16)
    feeder = Prefetcher([[batch] for batch in locked])

    @torch.no_grad()
    def work(x):
        return model(x.to(bf16))

    return {
        "base": steps(lambda: work(take().to(device))),
        "pin": steps(lambda: work(kept().to(device)), "pin", traced=True),
        "pin-non-blocking": steps(lambda: work(kept().to(device, non_blocking=True)), "pin non-blocking"),
        "prefetch": steps(lambda: work(feeder.take()[0]), "pin non-blocking other-stream prefetch", traced=True),
    }


@program(
    "batch-pinned-exposed",
    "Training on pinned batches of 64 MB copied in the default stream before each step.",
    "transfer-pinned-exposed",
    "other-stream prefetch double-buffer send-smaller",
    active=6,
)
def batch_pinned_exposed():
    width = size(4096, 16)
    locked = [pinned(width, width) for _ in range(3)]
    take = rotate(locked)
    model = mlp(width, 2, dtype=bf16)
    step = trainer(model, torch.optim.SGD(model.parameters(), lr=1e-3), lambda net, x: net(x.to(bf16)).square().mean())
    feeder = Prefetcher([[batch] for batch in locked])
    return {
        "base": steps(lambda: step(take().to(device, non_blocking=True))),
        "prefetch": steps(lambda: step(feeder.take()[0]), "other-stream prefetch", traced=True),
    }


@program(
    "masks-to-host",
    "A segmentation network whose masks of 64 MB are copied to pageable memory in every step.",
    "transfer-pageable",
    "pin non-blocking pin-each-step delay-wait double-buffer other-stream send-smaller",
    stack=True,
    active=6,
)
def masks_to_host():
    conv = lambda a, b: torch.nn.Conv2d(a, b, 3, padding=1)
    net = torch.nn.Sequential(conv(3, 32), torch.nn.ReLU(), conv(32, 16)).to(device).eval()
    x = torch.randn(size(16, 1), 3, 256, 256, device=device)
    kept = torch.empty(len(x), 16, 256, 256, pin_memory=on_gpu)

    @torch.no_grad()
    def base():
        return net(x).cpu()

    @torch.no_grad()
    def pin():
        kept.copy_(net(x))

    return {"base": steps(base), "pin": steps(pin, "pin")}


@program(
    "dict-of-small-tensors",
    "A batch is a dict of 96 small tensors, each copied with .to(device).",
    "transfer-pageable",
    "batch non-blocking pin",
    stack=True,
)
def dict_of_small_tensors():
    batch = {f"f{at}": torch.randn(512, 16) for at in range(96)}
    joined = torch.stack(list(batch.values()))
    model = torch.nn.Sequential(torch.nn.Linear(96 * 16, 1024), torch.nn.ReLU(), mlp(1024, 2, 1)).to(device)

    @torch.no_grad()
    def base():
        there = {name: part.to(device) for name, part in batch.items()}
        return model(torch.cat(list(there.values()), 1))

    @torch.no_grad()
    def batched():
        there = joined.to(device)
        return model(torch.cat(there.unbind(), 1))

    return {"base": steps(base), "joined": steps(batched, "batch", traced=True)}


@program(
    "in-and-out-one-stream",
    "Frames of 32 MB are copied in, filtered and copied out, all in one stream with pinned memory.",
    "transfer-pinned-exposed",
    "both-directions other-stream double-buffer prefetch",
    active=5,
)
def in_and_out_one_stream():
    side = size(2896, 16)
    frames = [pinned(side, side) for _ in range(4)]
    out = [torch.empty(side, side, pin_memory=on_gpu) for _ in range(4)]
    streams = [torch.cuda.Stream() for _ in range(2)]
    kernel = torch.randn(1, 1, 3, 3, device=device)
    work = lambda x: F.conv2d(x[None, None], kernel, padding=1)[0, 0]

    def base():
        for source, target in zip(frames, out):
            target.copy_(work(source.to(device, non_blocking=True)), non_blocking=True)
        torch.cuda.synchronize()

    def both():
        for at, (source, target) in enumerate(zip(frames, out)):
            with torch.cuda.stream(streams[at % 2]):
                target.copy_(work(source.to(device, non_blocking=True)), non_blocking=True)
        torch.cuda.synchronize()

    return {"base": steps(base), "two-streams": steps(both, "both-directions other-stream")}


@program(
    "kv-offload-64k",
    "Blocks of 64 KiB of a KV cache are copied to pinned memory one by one, 256 a step.",
    "transfer-pinned-exposed",
    "batch",
    stack=True,
)
def kv_offload_64k():
    count, block = size(256, 8), 32 * 1024
    cache = torch.randn(1024, block, device=device).to(torch.float16)
    chosen = torch.randperm(1024)[:count]
    there = chosen.to(device)
    pool = torch.empty(count, block, dtype=torch.float16, pin_memory=on_gpu)
    model = mlp(size(2048, 16), 2, dtype=bf16)
    x = torch.randn(1024, size(2048, 16), device=device, dtype=bf16)
    numbers = chosen.tolist()

    @torch.no_grad()
    def base():
        model(x)
        for at, number in enumerate(numbers):
            pool[at].copy_(cache[number], non_blocking=True)
        torch.cuda.synchronize()

    @torch.no_grad()
    def joined():
        model(x)
        pool.copy_(cache.index_select(0, there), non_blocking=True)
        torch.cuda.synchronize()

    return {"base": steps(base), "joined": steps(joined, "batch")}


@program(
    "kv-restore-pageable",
    "192 blocks of 128 KiB are restored to the device from pageable memory, one by one.",
    "transfer-pageable",
    "batch pin non-blocking",
    stack=True,
)
def kv_restore_pageable():
    count, block = size(192, 8), 64 * 1024
    saved = torch.randn(count, block).to(torch.float16)
    locked = saved.pin_memory()
    cache = torch.empty(count, block, device=device, dtype=torch.float16)

    def base():
        for at in range(count):
            cache[at].copy_(saved[at])
        return cache.sum()

    def joined():
        cache.copy_(saved)
        return cache.sum()

    def pin():
        for at in range(count):
            cache[at].copy_(locked[at], non_blocking=True)
        return cache.sum()

    return {
        "base": steps(base),
        "joined": steps(joined, "batch"),
        "pin": steps(pin, "pin non-blocking"),
    }


@program(
    "weights-snapshot",
    "Training that copies all weights to new tensors on the host after every step.",
    "transfer-pageable",
    "pin non-blocking batch pin-each-step other-stream keep-on-device delay-wait double-buffer",
    stack=True,
)
def weights_snapshot():
    width = size(1024, 16)
    model = mlp(width, 10)
    x = torch.randn(size(4096, 4), width, device=device)
    step = trainer(model, torch.optim.SGD(model.parameters(), lr=1e-3), lambda net, x: net(x).square().mean())
    kept = {name: torch.empty(part.shape, pin_memory=on_gpu) for name, part in model.state_dict().items()}

    def base():
        step(x)
        return {name: part.cpu() for name, part in model.state_dict().items()}

    def pin():
        step(x)
        for name, part in model.state_dict().items():
            kept[name].copy_(part)

    def free():
        step(x)
        for name, part in model.state_dict().items():
            kept[name].copy_(part, non_blocking=True)
        torch.cuda.synchronize()

    return {
        "base": steps(base),
        "pin": steps(pin, "pin"),
        "pin-non-blocking": steps(free, "pin non-blocking"),
    }


@program(
    "save-on-cpu",
    "Activations are kept on the host by torch.autograd.graph.save_on_cpu and come back for the backward pass.",
    "keep-on-device",
    "keep-on-device pin pin-each-step non-blocking",
)
def save_on_cpu():
    width = size(2048, 16)
    model = mlp(width, 3)
    x = torch.randn(size(2048, 4), width, device=device)
    step = trainer(model, torch.optim.SGD(model.parameters(), lr=1e-3), lambda net, x: net(x).square().mean())

    def saved(pin):
        with torch.autograd.graph.save_on_cpu(pin_memory=pin):
            step(x)

    return {
        "base": steps(lambda: saved(False)),
        "kept": steps(lambda: step(x), "keep-on-device"),
        "pin-each-step": steps(lambda: saved(on_gpu), "pin-each-step"),
    }


@program(
    "batch-copied-twice",
    "The same pageable images are copied for a student and again for its teacher in every step.",
    "keep-on-device",
    "keep-on-device pin non-blocking pin-each-step",
)
def batch_copied_twice():
    make = lambda: timm.create_model("resnet10t", num_classes=100).to(device, bf16, memory_format=torch.channels_last)
    student, teacher = make(), make().eval()
    take = rotate([torch.randn(size(64, 2), 3, 224, 224) for _ in range(3)])
    optimizer = torch.optim.SGD(student.parameters(), lr=0.01)

    def distil(x, again):
        optimizer.zero_grad()
        with torch.no_grad():
            target = teacher(again.to(bf16))
        F.mse_loss(student(x.to(bf16)), target).backward()
        optimizer.step()

    def base():
        x = take()
        distil(x.to(device), x.to(device))

    def once():
        x = take().to(device)
        distil(x, x)

    return {"base": steps(base), "once": steps(once, "keep-on-device")}


@program(
    "rollout-copied-each-epoch",
    "PPO-like updates: the same rollouts of 48 MB are copied to the device again in each epoch.",
    "keep-on-device",
    "keep-on-device",
    stack=True,
    active=5,
)
def rollout_copied_each_epoch():
    rollouts = torch.randn(size(12_288, 16), 1024)
    there = rollouts.to(device)
    locked = rollouts.pin_memory()
    model = mlp(1024, 4)
    step = trainer(model, torch.optim.SGD(model.parameters(), lr=1e-3), lambda net, x: net(x).square().mean())
    return {
        "base": steps(lambda: step(rollouts.to(device))),
        "kept": steps(lambda: step(there), "keep-on-device", traced=True),
        "pin": steps(lambda: step(locked.to(device, non_blocking=True)), "pin non-blocking"),
    }


@program(
    "float64-batches",
    "NumPy batches of float64 are copied to the device and converted to float32 there.",
    "send-smaller",
    "send-smaller pin non-blocking pin-each-step",
    stack=True,
    active=6,
)
def float64_batches():
    wide = [torch.randn(size(8192, 8), 1024, dtype=torch.float64) for _ in range(3)]
    narrow = [batch.float() for batch in wide]
    take, small = rotate(wide), rotate(narrow)
    locked = rotate([batch.pin_memory() for batch in wide])
    model = mlp(1024, 4)
    step = trainer(model, torch.optim.SGD(model.parameters(), lr=1e-3), lambda net, x: net(x).square().mean())
    return {
        "base": steps(lambda: step(take().to(device).float())),
        "float32": steps(lambda: step(small().to(device)), "send-smaller"),
        "pin": steps(lambda: step(locked().to(device, non_blocking=True).float()), "pin non-blocking"),
    }


@program(
    "accelerate-cpu-offload",
    "accelerate.cpu_offload of GPT-2: the weights of each layer are copied at every forward.",
    "keep-on-device",
    "keep-on-device",
    needs="accelerate",
)
def accelerate_cpu_offload():
    import accelerate

    config = GPT2Config(n_layer=3, n_embd=1024, n_head=16, vocab_size=8192)
    make = lambda: GPT2LMHeadModel(config).to(bf16).eval()
    offloaded = accelerate.cpu_offload(make(), device) if on_gpu else make()
    there = make().to(device)
    tokens = torch.randint(0, 8192, (4, 128), device=device)

    @torch.no_grad()
    def score(model):
        return model(input_ids=tokens).logits[:, -1].argmax(-1)

    return {
        "base": steps(lambda: score(offloaded)),
        "kept": steps(lambda: score(there), "keep-on-device"),
    }


@program(
    "layers-swapped-in",
    "Weights of each block are moved to the device before it runs and back to the host after it.",
    "keep-on-device",
    "keep-on-device pin",
    stack=True,
)
def layers_swapped_in():
    width = size(2048, 16)
    make = lambda: [torch.nn.Sequential(torch.nn.Linear(width, width), torch.nn.GELU()) for _ in range(6)]
    swapped, there = make(), [layer.to(device) for layer in make()]
    x = torch.randn(1024, width, device=device)

    @torch.no_grad()
    def base():
        y = x
        for layer in swapped:
            y = layer.to(device)(y)
            layer.to("cpu")
        return y

    @torch.no_grad()
    def kept():
        y = x
        for layer in there:
            y = layer(y)
        return y

    return {"base": steps(base), "kept": steps(kept, "keep-on-device")}


@program(
    "loader-workers-pageable",
    "timm ResNet training; 8 workers keep up, but batches of floats come unpinned and are copied with a wait.",
    "transfer-pageable",
    "pin non-blocking pin-each-step send-smaller prefetch other-stream",
)
def loader_workers_pageable():
    store = images(32, dtype=torch.float32)
    model = timm.create_model("resnet18", num_classes=100).to(device, bf16, memory_format=torch.channels_last)
    train = trainer(
        model, torch.optim.SGD(model.parameters(), lr=0.01), lambda net, x, y: F.cross_entropy(net(x).float(), y)
    )
    workers, batch = size(8, 1), size(64, 2)
    make = lambda pin: loader(lambda at: (store[at % 32], at % 100), batch, workers, pin_memory=pin)

    def step(batch, free):
        x, y = (part.to(device, non_blocking=free) for part in batch)
        train(x.to(bf16, memory_format=torch.channels_last), y)

    return {
        "base": fed(make(False), lambda batch: step(batch, False), workers=workers),
        "pin": fed(make(on_gpu), lambda batch: step(batch, False), "pin", workers),
        "pin-non-blocking": fed(make(on_gpu), lambda batch: step(batch, True), "pin non-blocking", workers),
    }


@program(
    "video-frames-pageable",
    "Eight clips a step are copied one by one from pageable memory to a 3-D CNN.",
    "transfer-pageable",
    "pin non-blocking pin-each-step other-stream prefetch send-smaller batch",
    stack=True,
    active=5,
)
def video_frames_pageable():
    conv = lambda a, b: torch.nn.Conv3d(a, b, 3, padding=1, stride=2)
    net = torch.nn.Sequential(conv(3, 32), torch.nn.ReLU(), conv(32, 64), torch.nn.ReLU(), conv(64, 10)).to(device, bf16)
    clips = [torch.randn(3, 16, 160, 160).to(bf16) for _ in range(8)]
    locked = [clip.pin_memory() for clip in clips]

    @torch.no_grad()
    def work(parts, free):
        there = torch.stack([part.to(device, non_blocking=free) for part in parts])
        return net(there).mean((2, 3, 4))

    return {
        "base": steps(lambda: work(clips, False)),
        "pin": steps(lambda: work(locked, False), "pin"),
        "pin-non-blocking": steps(lambda: work(locked, True), "pin non-blocking"),
    }
