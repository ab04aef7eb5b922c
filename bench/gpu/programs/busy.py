"""Programs whose device is busy, or whose input is already fed as it should be: transfers have nothing to gain."""

import timm
import torch
import torch.nn.functional as F
import torchvision
from transformers import BertConfig, BertForMaskedLM, GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

from .common import (
    Prefetcher,
    device,
    fed,
    graphed,
    images,
    loader,
    mlp,
    program,
    rotate,
    size,
    steps,
    trainer,
)

bf16 = torch.bfloat16


@program("gemm-large", "A chain of eight 8192 x 8192 bf16 matrix products.", "device-bound", "nothing", active=6)
def gemm_large():
    n = size(8192, 64)
    weight = torch.randn(n, n, device=device, dtype=bf16) / n**0.5
    x = torch.randn(n, n, device=device, dtype=bf16)

    def step():
        y = x
        for _ in range(8):
            y = y @ weight
        return y

    return {"base": steps(step), "graph": steps(graphed(step), "graph")}


@program(
    "resnet10-train-large",
    "timm ResNet-10 training in bf16 with 384 images a step that lie on the device.",
    "device-bound",
    "nothing",
)
def resnet10_train_large():
    model = timm.create_model("resnet10t", num_classes=100).to(device, bf16, memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    x = torch.randn(size(384, 2), 3, 224, 224, device=device, dtype=bf16).to(memory_format=torch.channels_last)
    y = torch.randint(0, 100, (len(x),), device=device)
    step = trainer(model, optimizer, lambda net, x, y: F.cross_entropy(net(x).float(), y))
    return {"base": steps(lambda: step(x, y)), "graph": steps(graphed(lambda: step(x, y)), "graph")}


@program(
    "vit-train-small-copy",
    "timm ViT training, 192 images a step; only the labels and a mask are copied, from pageable memory.",
    "device-bound",
    "nothing",
)
def vit_train_small_copy():
    model = timm.create_model("vit_small_patch16_224", depth=3, num_classes=100).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    x = torch.randn(size(192, 2), 3, 224, 224, device=device)
    labels = [torch.randint(0, 100, (len(x),)) for _ in range(4)]
    masks = [torch.rand(len(x), 1024) for _ in range(4)]
    pinned = [(a.pin_memory(), b.pin_memory()) for a, b in zip(labels, masks)]
    pageable = rotate(list(zip(labels, masks)))
    locked = rotate(pinned)

    def loss_of(net, x, y, mask):
        with torch.autocast(device.type, dtype=bf16):
            return F.cross_entropy(net(x), y) + 0 * mask.mean()

    train = trainer(model, optimizer, loss_of)

    def base():
        y, mask = pageable()
        train(x, y.to(device), mask.to(device))

    def pin():
        y, mask = locked()
        train(x, y.to(device, non_blocking=True), mask.to(device, non_blocking=True))

    return {"base": steps(base), "pin": steps(pin, "pin non-blocking")}


@program(
    "bert-train-item",
    "transformers BERT pre-training in bf16, 96 x 256 tokens a step, loss.item() in every step.",
    "device-bound",
    "nothing",
)
def bert_train_item():
    config = BertConfig(num_hidden_layers=2, vocab_size=8192, hidden_dropout_prob=0, attention_probs_dropout_prob=0)
    model = BertForMaskedLM(config).to(device, bf16)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    tokens = [torch.randint(0, 8192, (size(96, 2), size(256, 16))) for _ in range(4)]
    take = rotate(tokens)
    step = trainer(model, optimizer, lambda net, x: net(input_ids=x, labels=x).loss)
    log = []

    def base():
        log.append(step(take().to(device)).item())

    def later():
        log.append(step(take().to(device)).detach())

    return {"base": steps(base), "no-item": steps(later, "remove-wait", traced=True)}


@program("attention-long",
    "Scaled dot-product attention over 16,384 tokens, eight times.",
    "device-bound",
    "nothing",
    stack=True,
)
def attention_long():
    q, k, v = (torch.randn(1, 16, size(16384, 64), 64, device=device, dtype=bf16) for _ in range(3))

    def step():
        out = q
        for _ in range(8):
            out = F.scaled_dot_product_attention(out, k, v, is_causal=True)
        return out

    return {"base": steps(step), "graph": steps(graphed(step), "graph")}


@program("fft-filter", "Filtering of 64 long signals by FFT in float32.", "device-bound", "nothing", stack=True)
def fft_filter():
    x = torch.randn(64, size(1 << 20, 1 << 10), device=device)
    response = torch.fft.rfft(torch.randn(size(1 << 20, 1 << 10), device=device))

    def step():
        y = x
        for _ in range(4):
            y = torch.fft.irfft(torch.fft.rfft(y) * response)
        return y

    return {"base": steps(step)}


@program(
    "embedding-bag-device",
    "Bags of a 4 GB embedding table on the device; the indices are copied from pinned memory.",
    "device-bound",
    "nothing",
    stack=True,
)
def embedding_bag_device():
    rows = size(8_000_000, 1000)
    table = torch.nn.EmbeddingBag(rows, 128, mode="sum", device=device)
    take = rotate([torch.randint(0, rows, (size(16384, 8), 64), dtype=torch.int32).pin_memory() for _ in range(4)])

    @torch.no_grad()
    def step():
        at = take().to(device, non_blocking=True)
        return sum(table(at).mean() for _ in range(4))

    return {"base": steps(step)}


@program(
    "amp-gradscaler",
    "timm ResNet-10 training in fp16 with GradScaler, which reads a flag in every step; 192 images on the device.",
    "device-bound",
    "nothing",
)
def amp_gradscaler():
    model = timm.create_model("resnet10t", num_classes=1000).to(device, memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler(device.type)
    x = torch.randn(size(192, 2), 3, 224, 224, device=device).to(memory_format=torch.channels_last)
    y = torch.randint(0, 1000, (len(x),), device=device)

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device.type, dtype=torch.float16):
            loss = F.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()

    return {"base": steps(step)}


@program(
    "gpt2-accumulate",
    "GPT-2 training with two accumulated micro-batches of 32 x 512 tokens on the device.",
    "device-bound",
    "nothing",
)
def gpt2_accumulate():
    config = GPT2Config(n_layer=2, n_embd=768, n_head=12, vocab_size=16384, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0)
    model = GPT2LMHeadModel(config).to(device, bf16)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    parts = torch.randint(0, 16384, (2, size(32, 1), size(512, 16)), device=device)

    def step():
        optimizer.zero_grad(set_to_none=True)
        for part in parts:
            (model(input_ids=part, labels=part).loss / 2).backward()
        optimizer.step()

    return {"base": steps(step), "graph": steps(graphed_adam(model, parts), "graph")}


def graphed_adam(model, parts):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True, capturable=True)

    def step():
        optimizer.zero_grad(set_to_none=True)
        for part in parts:
            (model(input_ids=part, labels=part).loss / 2).backward()
        optimizer.step()

    return graphed(step)


@program(
    "compiled-mlp", "A wide MLP with layer norms under torch.compile, training in bf16.", "device-bound", "nothing", active=6
)
def compiled_mlp():
    width = size(4096, 32)
    block = lambda: torch.nn.Sequential(torch.nn.LayerNorm(width), torch.nn.Linear(width, width), torch.nn.GELU())
    model = torch.nn.Sequential(*[block() for _ in range(2)]).to(device, bf16)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(size(16384, 8), width, device=device, dtype=bf16)
    step = trainer(torch.compile(model), optimizer, lambda net, x: net(x).float().square().mean())
    return {"base": steps(lambda: step(x))}


@program(
    "unet-denoise",
    "Four denoising steps of a small convolutional U-Net on 32 latents of 64 x 64.",
    "device-bound",
    "nothing",
    stack=True,
)
def unet_denoise():
    width = size(256, 8)
    conv = lambda a, b, **more: torch.nn.Conv2d(a, b, 3, padding=1, **more)
    down = torch.nn.Sequential(conv(4, width), torch.nn.SiLU(), conv(width, width, stride=2), torch.nn.SiLU())
    middle = torch.nn.Sequential(conv(width, width), torch.nn.GroupNorm(8, width), torch.nn.SiLU(), conv(width, width))
    up = torch.nn.Sequential(torch.nn.Upsample(scale_factor=2), conv(width, width), torch.nn.SiLU(), conv(width, 4))
    net = torch.nn.Sequential(down, middle, up).to(device, bf16, memory_format=torch.channels_last)
    noise = torch.randn(size(32, 1), 4, 64, 64, device=device, dtype=bf16).to(memory_format=torch.channels_last)

    @torch.no_grad()
    def step():
        x = noise
        for _ in range(4):
            x = x - 0.1 * net(x)
        return x

    return {"base": steps(step), "graph": steps(graphed(step), "graph")}


@program(
    "gcn-full-graph",
    "torch_geometric GCN over a whole graph of 200,000 nodes and 4 million edges on the device.",
    "device-bound",
    "nothing",
    stack=True,
    needs="torch_geometric.nn",
)
def gcn_full_graph():
    from torch_geometric.nn import GCN

    nodes = size(200_000, 100)
    edges = torch.randint(0, nodes, (2, size(4_000_000, 400)), device=device)
    x = torch.randn(nodes, 128, device=device)
    y = torch.randint(0, 40, (nodes,), device=device)
    model = GCN(128, 128, 2, 40).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    step = trainer(model, optimizer, lambda net, x, edges, y: F.cross_entropy(net(x, edges), y))
    return {"base": steps(lambda: step(x, edges, y))}


@program(
    "graph-replayed", "Training of a small MLP that is already one CUDA graph a step.", "device-bound", "nothing", active=6
)
def graph_replayed():
    model = mlp(size(1024, 16), 12)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(size(2048, 4), size(1024, 16), device=device)
    step = trainer(model, optimizer, lambda net, x: net(x).square().mean())
    return {"base": steps(graphed(lambda: step(x)))}


def normalised(x):
    return (x.to(bf16) - 128) / 64


@program(
    "pipeline-optimised",
    "timm ResNet training fed as it should be: 8 workers, bytes, pinned memory, non-blocking copies.",
    "device-bound",
    "nothing",
)
def pipeline_optimised():
    model = timm.create_model("resnet18", num_classes=100).to(device, bf16, memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    store = images(64)
    workers = size(8, 1)
    batches = loader(lambda at: (store[at % 64], at % 100), size(128, 2), workers, pin_memory=device.type == "cuda")
    train = trainer(model, optimizer, lambda net, x, y: F.cross_entropy(net(x).float(), y))

    def step(batch):
        x, y = (part.to(device, non_blocking=True) for part in batch)
        train(normalised(x).to(memory_format=torch.channels_last), y)

    return {"base": fed(batches, step, workers=workers)}


@program(
    "double-buffered",
    "Pinned batches of 64 MB copied one step ahead in a stream of their own, during matrix products.",
    "device-bound",
    "nothing",
    stack=True,
    active=6,
)
def double_buffered():
    width = size(4096, 16)
    batches = [[torch.randn(width, width, pin_memory=device.type == "cuda")] for _ in range(3)]
    model = mlp(width, 6)
    feeder = Prefetcher(batches)

    @torch.no_grad()
    def step():
        (x,) = feeder.take()
        return model(x)

    return {"base": steps(step)}


@program(
    "resnet34-eval-large",
    "torchvision ResNet-34 inference in bf16, 512 images a step on the device; the number of hits is read each step.",
    "device-bound",
    "nothing",
)
def resnet34_eval_large():
    model = torchvision.models.resnet34(num_classes=1000).to(device, bf16, memory_format=torch.channels_last).eval()
    x = torch.randn(size(512, 1), 3, 224, 224, device=device, dtype=bf16).to(memory_format=torch.channels_last)
    y = torch.randint(0, 1000, (len(x),), device=device)
    hits = []

    @torch.no_grad()
    def base():
        hits.append((model(x).argmax(1) == y).sum().item())

    @torch.no_grad()
    def later():
        hits.append((model(x).argmax(1) == y).sum())

    return {"base": steps(base), "no-item": steps(later, "remove-wait")}


@program(
    "llama-prefill",
    "Prefill of a Llama-like model of four layers, 8 x 1,024 tokens copied in each step.",
    "device-bound",
    "nothing",
    stack=True,
)
def llama_prefill():
    config = LlamaConfig(
        num_hidden_layers=4,
        hidden_size=size(2048, 64),
        intermediate_size=size(5632, 64),
        num_attention_heads=16,
        vocab_size=16384,
    )
    model = LlamaForCausalLM(config).to(device, bf16).eval()
    take = rotate([torch.randint(0, 16384, (8, size(1024, 8))) for _ in range(4)])

    @torch.no_grad()
    def step():
        return model(input_ids=take().to(device), use_cache=False, logits_to_keep=1).logits.argmax(-1).cpu()

    return {"base": steps(step)}


@program(
    "sorting-device", "Sorting and a histogram of 64 million keys that lie on the device.", "device-bound", "nothing", active=6
)
def sorting_device():
    keys = torch.randint(0, 1 << 30, (size(1 << 26, 1 << 10),), device=device, dtype=torch.int32)

    def step():
        ordered, _ = keys.sort()
        return torch.bincount(ordered & 1023, minlength=1024)

    return {"base": steps(step)}
