"""Programs whose host waits for the device more often than it must."""

import timm
import torch
from transformers import GPT2Config, GPT2LMHeadModel

from .common import device, mlp, program, size, steps

waiting = "remove-wait delay-wait"


def small_gpt2():
    config = GPT2Config(n_layer=2, n_embd=256, n_head=4, vocab_size=4096, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0)
    return GPT2LMHeadModel(config).to(device)


@program(
    "accumulate-16-items",
    "Gradient accumulation over 16 micro-batches, each with loss.item().",
    "waits",
    waiting,
)
def accumulate_16_items():
    width = size(1024, 16)
    model = mlp(width, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    parts = torch.randn(16, size(2048, 2), width, device=device)
    log = []

    def base():
        optimizer.zero_grad()
        for part in parts:
            loss = model(part).square().mean() / 16
            loss.backward()
            log.append(loss.item())
        optimizer.step()

    def once():
        optimizer.zero_grad()
        losses = []
        for part in parts:
            loss = model(part).square().mean() / 16
            loss.backward()
            losses.append(loss.detach())
        optimizer.step()
        log.extend(torch.stack(losses).tolist())

    return {"base": steps(base), "read-once": steps(once, "remove-wait", traced=True)}


@program(
    "clip-if-norm",
    "Training that reads the gradient's norm on the host in order to decide whether to clip.",
    "waits",
    waiting,
    stack=True,
)
def clip_if_norm():
    width = size(1024, 16)
    model = mlp(width, 10)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(size(2048, 2), width, device=device)

    def gradients():
        optimizer.zero_grad()
        model(x).square().mean().backward()

    def base():
        gradients()
        norm = torch.nn.utils.get_total_norm([p.grad for p in model.parameters()])
        if norm.item() > 1.0:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    def always():
        gradients()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    return {"base": steps(base), "no-wait": steps(always, "remove-wait")}


@program(
    "synchronize-each-layer",
    "Inference that calls torch.cuda.synchronize() after each of 12 layers, left over from timing.",
    "waits",
    waiting,
    stack=True,
    active=6,
)
def synchronize_each_layer():
    width = size(1024, 16)
    layers = [mlp(width, 1) for _ in range(12)]
    x = torch.randn(size(1024, 2), width, device=device)

    @torch.no_grad()
    def base():
        y = x
        for layer in layers:
            y = layer(y)
            torch.cuda.synchronize()
        return y

    @torch.no_grad()
    def free():
        y = x
        for layer in layers:
            y = layer(y)
        return y

    return {"base": steps(base), "no-wait": steps(free, "remove-wait", traced=True)}


@program(
    "nonzero-each-image",
    "A detector picks boxes with a boolean mask, which waits, for each of 32 images.",
    "waits",
    waiting + " graph",
)
def nonzero_each_image():
    conv = lambda a, b: torch.nn.Conv2d(a, b, 3, padding=1)
    net = torch.nn.Sequential(conv(3, 32), torch.nn.ReLU(), conv(32, 5)).to(device).eval()
    x = torch.randn(32, 3, size(128, 16), size(128, 16), device=device)

    @torch.no_grad()
    def base():
        maps = net(x).flatten(2)
        return [part[:4, part[4] > 0.1].clamp(0, 1).sum() for part in maps]

    @torch.no_grad()
    def masked():
        maps = net(x).flatten(2)
        return [torch.where(part[4] > 0.1, part[:4], 0).clamp(0, 1).sum() for part in maps]

    return {"base": steps(base), "masked": steps(masked, "remove-wait")}


@program(
    "nan-check-each-step",
    "GPT-2 training that tests its loss for NaN on the host and logs it in every step; host and device take about as long.",
    "waits",
    waiting + " graph",
)
def nan_check_each_step():
    model = small_gpt2()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=device.type == "cuda")
    tokens = torch.randint(0, 4096, (size(32, 1), 256 if device.type == "cuda" else 8), device=device)
    log = []

    def forward():
        optimizer.zero_grad()
        return model(input_ids=tokens, labels=tokens).loss

    def base():
        loss = forward()
        if torch.isnan(loss):
            raise RuntimeError("loss is NaN")
        loss.backward()
        optimizer.step()
        log.append(loss.item())

    def free():
        loss = forward()
        loss.backward()
        optimizer.step()
        log.append(loss.detach())

    return {"base": steps(base), "no-wait": steps(free, "remove-wait")}


@program(
    "events-each-part",
    "Training timed by CUDA events that are read after the forward and after the backward pass of every step.",
    "waits",
    waiting,
)
def events_each_part():
    net = timm.create_model("resnet10t", num_classes=10).to(device, torch.bfloat16)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    x = torch.randn(size(48, 1), 3, size(160, 64), size(160, 64), device=device, dtype=torch.bfloat16)
    times = []

    def parts():
        optimizer.zero_grad()
        yield (loss := net(x).float().square().mean())
        yield loss.backward()
        optimizer.step()

    def base():
        start = torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in parts():
            end = torch.cuda.Event(enable_timing=True)
            end.record()
            end.synchronize()
            times.append(start.elapsed_time(end))

    def free():
        for _ in parts():
            pass

    return {"base": steps(base), "no-wait": steps(free, "remove-wait")}


@program(
    "beam-done-item",
    "A greedy decoding loop that asks the host after each of 16 tokens whether all sequences have ended.",
    "waits",
    waiting + " graph",
)
def beam_done_item():
    vocab, width = 4096, size(1024, 16)
    embed = torch.nn.Embedding(vocab, width).to(device, torch.bfloat16)
    cell = mlp(width, 2, vocab, torch.bfloat16)
    first = torch.zeros(size(512, 2), dtype=torch.long, device=device)

    @torch.no_grad()
    def decode(ask):
        token, ended = first, torch.zeros_like(first, dtype=torch.bool)
        for _ in range(16):
            token = cell(embed(token)).argmax(-1)
            ended |= token == vocab
            if ask and ended.all().item():
                break
        return token

    return {
        "base": steps(lambda: decode(True)),
        "no-wait": steps(lambda: decode(False), "remove-wait"),
    }


