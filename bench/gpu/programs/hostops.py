"""Programs whose operators run on the host although a device is there."""

import timm
import torch
import torch.nn.functional as F
from transformers import GPT2Config, GPT2LMHeadModel
from transformers.cache_utils import DynamicCache

from .common import device, images, mlp, program, rotate, size, steps, trainer

on_gpu = device.type == "cuda"


def gpt2(layers=3, width=512, vocab=32_000):
    config = GPT2Config(n_layer=layers, n_embd=width, n_head=8, vocab_size=vocab)
    return GPT2LMHeadModel(config).to(device, torch.bfloat16).eval()


class Decoder:
    """Decodes one token for each sequence at a time, and starts again from a prompt of 64 tokens after 64 more."""

    def __init__(self, choose, sequences=32):
        self.model, self.choose = gpt2(), choose
        self.prompt = torch.randint(0, 32_000, (sequences, 64), device=device)
        self.left = 0

    @torch.no_grad()
    def step(self):
        if self.left == 0:
            self.cache, self.left, self.next = DynamicCache(), 64, self.prompt
        out = self.model(input_ids=self.next, past_key_values=self.cache, use_cache=True, logits_to_keep=1)
        self.left -= 1
        self.next = self.choose(out.logits[:, -1]).view(-1, 1)


@program(
    "gpt2-sample-on-host",
    "GPT-2 decodes 32 sequences with a KV cache; softmax and multinomial run on the host after each token.",
    "host-operators",
    "move-to-device",
)
def gpt2_sample_on_host():
    host = Decoder(lambda logits: torch.multinomial(F.softmax(logits.float().cpu(), -1), 1).to(device), size(32, 2))
    here = Decoder(lambda logits: torch.multinomial(F.softmax(logits.float(), -1), 1), size(32, 2))
    return {
        "base": steps(host.step),
        "on-device": steps(here.step, "move-to-device", traced=True),
    }


@program(
    "segmentation-metrics-on-host",
    "A segmentation network; its class scores are copied to the host, where argmax and torchmetrics run.",
    "host-operators",
    "move-to-device send-smaller",
    stack=True,
    needs="torchmetrics.classification",
)
def segmentation_metrics_on_host():
    from torchmetrics.classification import MulticlassJaccardIndex

    classes = 16
    conv = lambda a, b: torch.nn.Conv2d(a, b, 3, padding=1)
    net = torch.nn.Sequential(conv(3, 64), torch.nn.ReLU(), conv(64, 64), torch.nn.ReLU(), conv(64, classes)).to(device).eval()
    x = torch.randn(size(4, 1), 3, size(256, 32), size(256, 32), device=device)
    truth = torch.randint(0, classes, (len(x), *x.shape[2:]))
    there = truth.to(device)
    on_host, on_device = MulticlassJaccardIndex(classes), MulticlassJaccardIndex(classes).to(device)

    @torch.no_grad()
    def base():
        on_host.update(net(x).cpu().argmax(1), truth)

    @torch.no_grad()
    def moved():
        on_device.update(net(x).argmax(1), there)

    return {"base": steps(base), "on-device": steps(moved, "move-to-device")}


@program(
    "logits-argmax-on-host",
    "Evaluation of a language model: all logits go to the host, which takes argmax and counts hits.",
    "host-operators",
    "move-to-device send-smaller",
    stack=True,
)
def logits_argmax_on_host():
    model = gpt2(2, 512, 16_384)
    tokens = torch.randint(0, 16_384, (size(6, 1), size(256, 8)), device=device)
    truth = tokens.cpu()
    hits = []

    @torch.no_grad()
    def base():
        logits = model(input_ids=tokens).logits.cpu()
        hits.append((logits[:, :-1].argmax(-1) == truth[:, 1:]).float().mean())

    @torch.no_grad()
    def moved():
        logits = model(input_ids=tokens).logits
        hits.append((logits[:, :-1].argmax(-1) == tokens[:, 1:]).float().mean().cpu())

    return {"base": steps(base), "on-device": steps(moved, "move-to-device", traced=True)}


@program(
    "augment-on-host",
    "torchvision flips, blurs and normalises a batch of float images on the host, then copies it.",
    "host-operators",
    "move-to-device",
    needs="torchvision.transforms.v2",
)
def augment_on_host():
    from torchvision.transforms import v2

    change = v2.Compose([v2.RandomHorizontalFlip(1.0), v2.GaussianBlur(5), v2.Normalize([0.5] * 3, [0.2] * 3)])
    take = rotate([torch.rand(size(24, 2), 3, 128, 128) for _ in range(3)])
    net = timm.create_model("resnet10t", num_classes=10).to(device)
    step = trainer(net, torch.optim.SGD(net.parameters(), lr=0.01), lambda net, x: net(x).square().mean())
    return {
        "base": steps(lambda: step(change(take()).to(device))),
        "on-device": steps(lambda: step(change(take().to(device))), "move-to-device"),
    }


@program(
    "audio-features-on-host",
    "torchaudio mel spectrograms are computed on the host, then copied to a small CNN.",
    "host-operators",
    "move-to-device",
    stack=True,
    needs="torchaudio",
)
def audio_features_on_host():
    import torchaudio

    make = lambda: torchaudio.transforms.MelSpectrogram(16_000, n_fft=512, n_mels=64)
    host, there = make(), make().to(device)
    take = rotate([torch.randn(size(24, 2), size(64_000, 4000)) for _ in range(3)])
    conv = lambda a, b: torch.nn.Conv2d(a, b, 3, stride=2)
    net = torch.nn.Sequential(conv(1, 32), torch.nn.ReLU(), conv(32, 64), torch.nn.ReLU(), conv(64, 64)).to(device)
    step = trainer(net, torch.optim.SGD(net.parameters(), lr=1e-3), lambda net, x: net(x[:, None]).square().mean())
    return {
        "base": steps(lambda: step(host(take()).to(device))),
        "on-device": steps(lambda: step(there(take().to(device))), "move-to-device"),
    }


@program(
    "recsys-gather-on-host",
    "A recommender gathers 32,768 rows of a 512 MB table by index on the host and copies them.",
    "host-operators",
    "move-to-device keep-on-device",
    stack=True,
)
def recsys_gather_on_host():
    rows = size(1_000_000, 1000)
    table = torch.randn(rows, 128)
    there = table.to(device)
    take = rotate([torch.randint(0, rows, (size(32_768, 64),)) for _ in range(4)])
    model = torch.nn.Sequential(torch.nn.Linear(128, 1024), torch.nn.ReLU(), mlp(1024, 3, 1)).to(device)
    step = trainer(model, torch.optim.Adam(model.parameters(), fused=on_gpu), lambda net, x: net(x).square().mean())
    return {
        "base": steps(lambda: step(table[take()].to(device))),
        "on-device": steps(lambda: step(there[take().to(device)]), "move-to-device"),
        "pin-each-step": steps(lambda: step(table[take()].pin_memory().to(device, non_blocking=True)), "pin-each-step non-blocking"),
    }


@program(
    "graph-features-on-host",
    "torch_geometric GraphSAGE on sampled subgraphs: node features are gathered on the host, then copied.",
    "host-operators",
    "move-to-device keep-on-device",
    needs="torch_geometric.nn",
)
def graph_features_on_host():
    from torch_geometric.nn import GraphSAGE

    total, nodes, edges = size(1_000_000, 1000), size(100_000, 100), size(500_000, 500)
    features = torch.randn(total, 128)
    there = features.to(device)
    parts = [(torch.randperm(total)[:nodes], torch.randint(0, nodes, (2, edges))) for _ in range(3)]
    take = rotate(parts)
    model = GraphSAGE(128, 128, 2, 32).to(device)
    optimizer = torch.optim.Adam(model.parameters(), fused=on_gpu)
    step = trainer(model, optimizer, lambda net, x, edges: net(x, edges).square().mean())

    def base():
        at, edges = take()
        step(features[at].to(device), edges.to(device))

    def moved():
        at, edges = take()
        step(there[at.to(device)], edges.to(device))

    return {"base": steps(base), "on-device": steps(moved, "move-to-device")}


@program(
    "embedding-on-host",
    "A click model keeps its embedding bags on the host; only their sums are copied to the device.",
    "host-operators",
    "move-to-device keep-on-device",
    stack=True,
    active=5,
)
def embedding_on_host():
    rows = size(2_000_000, 1000)
    host = torch.nn.EmbeddingBag(rows, 64, mode="sum")
    there = torch.nn.EmbeddingBag(rows, 64, mode="sum", device=device)
    take = rotate([torch.randint(0, rows, (size(4096, 8), 48)) for _ in range(4)])
    model = torch.nn.Sequential(torch.nn.Linear(64, 512), torch.nn.ReLU(), mlp(512, 3, 1)).to(device)

    @torch.no_grad()
    def base():
        return model(host(take()).to(device))

    @torch.no_grad()
    def moved():
        return model(there(take().to(device)))

    return {"base": steps(base), "on-device": steps(moved, "move-to-device")}


@program(
    "optimizer-on-host",
    "Gradients are copied to the host, Adam runs there, and the weights are copied back.",
    "host-operators",
    "move-to-device keep-on-device",
)
def optimizer_on_host():
    width = size(1024, 32)
    model = mlp(width, 4)
    x = torch.randn(size(4096, 4), width, device=device)
    held = [p.detach().cpu().clone().requires_grad_() for p in model.parameters()]
    on_host = torch.optim.Adam(held, lr=1e-4)
    on_device = torch.optim.Adam(model.parameters(), lr=1e-4)

    def gradients():
        model.zero_grad(set_to_none=True)
        model(x).square().mean().backward()

    def base():
        gradients()
        for own, there in zip(held, model.parameters()):
            own.grad = there.grad.cpu()
        on_host.step()
        with torch.no_grad():
            for own, there in zip(held, model.parameters()):
                there.copy_(own)

    def moved():
        gradients()
        on_device.step()

    return {"base": steps(base), "on-device": steps(moved, "move-to-device")}


@program(
    "images-float-on-host",
    "Batches of bytes are made float and normalised on the host, then copied as float32.",
    "send-smaller",
    "send-smaller move-to-device",
    stack=True,
)
def images_float_on_host():
    take = rotate([images(size(32, 2)) for _ in range(3)])
    net = timm.create_model("resnet10t", num_classes=10).to(device, torch.bfloat16)
    step = trainer(net, torch.optim.SGD(net.parameters(), lr=0.01), lambda net, x: net(x.to(torch.bfloat16)).square().mean())

    def base():
        x = take().float().div_(255).sub_(0.45).div_(0.22)
        step(x.to(device))

    def smaller():
        x = take().to(device).float().div_(255).sub_(0.45).div_(0.22)
        step(x)

    def pin():
        x = take().float().div_(255).sub_(0.45).div_(0.22)
        step(x.pin_memory().to(device, non_blocking=True))

    return {
        "base": steps(base),
        "bytes": steps(smaller, "send-smaller", traced=True),
        "pin-each-step": steps(pin, "pin-each-step non-blocking"),
    }


@program(
    "topk-rerank-on-host",
    "Retrieval: all scores of 64 queries go to the host, where topk and gather run.",
    "host-operators",
    "move-to-device send-smaller",
    stack=True,
    active=5,
)
def topk_rerank_on_host():
    documents = torch.randn(size(100_000, 500), 256, device=device)
    queries = torch.randn(64, 256, device=device)

    @torch.no_grad()
    def base():
        scores = (queries @ documents.T).cpu()
        best, at = scores.topk(50)
        return best.softmax(1), at

    @torch.no_grad()
    def moved():
        best, at = (queries @ documents.T).topk(50)
        return best.softmax(1).cpu(), at.cpu()

    return {"base": steps(base), "on-device": steps(moved, "move-to-device")}
