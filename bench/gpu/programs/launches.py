"""Programs that issue more work than the host can keep up with: many small kernels."""

import timm
import torch
import torch.nn.functional as F
from transformers import BertConfig, BertModel, GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

from .common import device, graphed, mlp, program, size, steps, trainer


@program(
    "bert-batch-1", "transformers BERT inference at batch 1 with 32 tokens on the device.", "launch-bound", "graph", stack=True
)
def bert_batch_1():
    model = BertModel(BertConfig(num_hidden_layers=4, hidden_size=384, num_attention_heads=6, intermediate_size=1536))
    model = model.to(device, torch.bfloat16).eval()
    tokens = torch.randint(0, 30000, (1, 32), device=device)

    @torch.no_grad()
    def step():
        return model(input_ids=tokens).pooler_output

    return {"base": steps(step), "graph": steps(graphed(step), "graph", traced=True)}


@program("efficientnet-batch-1", "timm EfficientNet inference at batch 1.", "launch-bound", "graph")
def efficientnet_batch_1():
    model = timm.create_model("efficientnet_b0", num_classes=100).to(device).eval()
    x = torch.randn(1, 3, size(224, 64), size(224, 64), device=device)

    @torch.no_grad()
    def step():
        return model(x)

    return {"base": steps(step), "graph": steps(graphed(step), "graph")}


@program(
    "adam-foreach-false",
    "Training of a deep narrow MLP with Adam(foreach=False): thousands of small kernels for the optimizer.",
    "launch-bound",
    "graph",
)
def adam_foreach_false():
    width = 256
    model = mlp(width, 12)
    x = torch.randn(256, width, device=device)
    loss_of = lambda net, x: net(x).square().mean()
    plain = trainer(model, torch.optim.Adam(model.parameters(), lr=1e-4, foreach=False), loss_of)
    fused = trainer(model, torch.optim.Adam(model.parameters(), lr=1e-4, fused=True), loss_of)
    held = torch.optim.Adam(model.parameters(), lr=1e-4, foreach=False, capturable=device.type == "cuda")
    graph = trainer(model, held, loss_of)
    return {
        "base": steps(lambda: plain(x)),
        "graph": steps(graphed(lambda: graph(x)), "graph"),
        "fused": steps(lambda: fused(x)),
    }


@program("lstm-cell-loop", "An LSTM cell in a Python loop over 32 time steps.", "launch-bound", "graph", stack=True)
def lstm_cell_loop():
    cell = torch.nn.LSTMCell(256, 256).to(device)
    x = torch.randn(32, 64, 256, device=device)

    @torch.no_grad()
    def step():
        h = c = torch.zeros(64, 256, device=device)
        for part in x:
            h, c = cell(part, (h, c))
        return h

    return {"base": steps(step), "graph": steps(graphed(step), "graph")}


@program("mlp-tiny-train", "Training of a tiny MLP with SGD on a batch on the device.", "launch-bound", "graph", active=6)
def mlp_tiny_train():
    model = mlp(128, 6)
    x = torch.randn(128, 128, device=device)
    step = trainer(model, torch.optim.SGD(model.parameters(), lr=1e-3), lambda net, x: net(x).square().mean())
    return {"base": steps(lambda: step(x)), "graph": steps(graphed(lambda: step(x)), "graph", traced=True)}


@program("lora-train-small", "peft LoRA training of a small GPT-2, 4 x 64 tokens.", "launch-bound", "graph", needs="peft")
def lora_train_small():
    from peft import LoraConfig, get_peft_model

    config = GPT2Config(n_layer=2, n_embd=384, n_head=6, vocab_size=8192, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0)
    lora = LoraConfig(r=8, lora_alpha=16, lora_dropout=0.0, target_modules=["c_attn"], fan_in_fan_out=True)
    model = get_peft_model(GPT2LMHeadModel(config), lora).to(device)
    tokens = torch.randint(0, 8192, (4, 64), device=device)
    trained = [p for p in model.parameters() if p.requires_grad]
    loss_of = lambda net, x: net(input_ids=x, labels=x).loss
    plain = trainer(model, torch.optim.AdamW(trained, lr=1e-4), loss_of)
    graph = trainer(model, torch.optim.AdamW(trained, lr=1e-4, capturable=device.type == "cuda"), loss_of)
    return {"base": steps(lambda: plain(tokens)), "graph": steps(graphed(lambda: graph(tokens)), "graph")}


@program(
    "llama-score-batch-1", "A Llama-like model scores 32 tokens at batch 1; nothing is read back.", "launch-bound", "graph"
)
def llama_score_batch_1():
    config = LlamaConfig(
        num_hidden_layers=4, hidden_size=512, intermediate_size=1408, num_attention_heads=8, vocab_size=8192
    )
    model = LlamaForCausalLM(config).to(device, torch.bfloat16).eval()
    tokens = torch.randint(0, 8192, (1, 32), device=device)

    @torch.no_grad()
    def step():
        return model(input_ids=tokens, use_cache=False).logits.argmax(-1)

    return {"base": steps(step), "graph": steps(graphed(step), "graph")}


@program(
    "ensemble-small-mlps",
    "Sixteen small MLPs of an ensemble, one after another on one batch.",
    "launch-bound",
    "graph",
    stack=True,
)
def ensemble_small_mlps():
    members = [mlp(128, 3, 1) for _ in range(16)]
    x = torch.randn(512, 128, device=device)

    @torch.no_grad()
    def step():
        scores = torch.cat([member(x) for member in members], 1)
        return F.softmax(scores, 1).std(1)

    return {"base": steps(step), "graph": steps(graphed(step), "graph")}
