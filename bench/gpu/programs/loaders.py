"""Programs that wait for their input: datasets, decoders and tokenisers in Python."""

import io
import tempfile
import time

import numpy as np
import pandas as pd
import pyarrow as pa
import timm
import torch
import torch.nn.functional as F
from PIL import Image

from .common import Variant, device, fed, loader, mlp, program, size, steps, trainer

on_gpu = device.type == "cuda"


def vision_step(classes=100):
    model = timm.create_model("vit_tiny_patch16_224", depth=3, num_classes=classes).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    return trainer(model, optimizer, lambda net, x, y: F.cross_entropy(net(x), y))


@program(
    "vit-jpeg-workers-0",
    "timm ViT training from JPEG files in memory, decoded by PIL in a DataLoader without workers.",
    "loader-bound",
    "load-in-workers",
)
def vit_jpeg_workers_0():
    files = []
    for _ in range(16):
        held = io.BytesIO()
        coarse = np.random.randint(0, 256, (28, 28, 3), dtype=np.uint8)
        Image.fromarray(coarse).resize((256, 256)).save(held, "JPEG", quality=90)
        files.append(held.getvalue())

    def sample(at):
        image = Image.open(io.BytesIO(files[at % 16])).convert("RGB").resize((224, 224))
        return torch.from_numpy(np.array(image)).permute(2, 0, 1), at % 100

    step = vision_step()
    body = lambda batch: step(batch[0].to(device).float().div(255), batch[1].to(device))
    few, workers = size(16, 2), size(8, 1)
    return {
        "base": fed(loader(sample, few), body),
        "workers-8": fed(loader(sample, few, workers), body, "load-in-workers", workers, traced=True),
    }


@program(
    "cnn-numpy-augment-workers-0",
    "CNN training; a DataLoader without workers crops, flips and normalises in numpy.",
    "loader-bound",
    "load-in-workers",
)
def cnn_numpy_augment_workers_0():
    store = np.random.randint(0, 256, (64, 160, 160, 3), dtype=np.uint8)

    def sample(at):
        left, top = np.random.randint(0, 32, 2)
        image = store[at % 64, top : top + 128, left : left + 128]
        if np.random.rand() < 0.5:
            image = image[:, ::-1]
        image = (image.astype(np.float32) / 255 - 0.45) / 0.22
        return torch.from_numpy(image.transpose(2, 0, 1).copy()), at % 100

    model = timm.create_model("resnet10t", num_classes=100).to(device)
    step = trainer(model, torch.optim.SGD(model.parameters(), lr=0.01), lambda net, x, y: F.cross_entropy(net(x), y))
    body = lambda batch: step(batch[0].to(device), batch[1].to(device))
    few, workers = size(32, 2), size(8, 1)
    return {
        "base": fed(loader(sample, few), body),
        "workers-8": fed(loader(sample, few, workers), body, "load-in-workers", workers),
    }


@program(
    "mlp-slow-workers-2",
    "Training that waits for a DataLoader with two workers, whose samples take long in Python.",
    "loader-bound",
    "load-in-workers",
    stack=True,
    active=6,
)
def mlp_slow_workers_2():
    def sample(at):
        total = 0
        for value in range(12_000):
            total += value * at % 7
        return torch.full((1024,), float(total % 13))

    model = mlp(1024, 4)
    step = trainer(model, torch.optim.SGD(model.parameters(), lr=1e-3), lambda net, x: net(x).square().mean())
    body = lambda batch: step(batch.to(device, non_blocking=True))
    few, many, batch = size(2, 1), size(8, 2), size(32, 4)
    return {
        "base": fed(loader(sample, batch, few, pin_memory=on_gpu), body, workers=few),
        "workers-8": fed(loader(sample, batch, many, pin_memory=on_gpu), body, "load-in-workers", many),
    }


@program(
    "pandas-rows-workers-0",
    "A table model; the dataset reads each row of a pandas frame with iloc.",
    "loader-bound",
    "load-in-workers",
    stack=True,
)
def pandas_rows_workers_0():
    frame = pd.DataFrame(np.random.rand(20_000, 40).astype(np.float32), columns=[f"c{at}" for at in range(40)])

    def sample(at):
        row = frame.iloc[at % len(frame)]
        return torch.from_numpy(row.to_numpy(dtype=np.float32, copy=True))

    model = torch.nn.Sequential(torch.nn.Linear(40, 512), torch.nn.ReLU(), mlp(512, 3, 1)).to(device)
    step = trainer(model, torch.optim.Adam(model.parameters(), fused=on_gpu), lambda net, x: net(x).square().mean())
    body = lambda batch: step(batch.to(device))
    few, workers = size(256, 8), size(8, 1)
    return {
        "base": fed(loader(sample, few), body),
        "workers-8": fed(loader(sample, few, workers), body, "load-in-workers", workers),
    }


class Batches(torch.utils.data.IterableDataset):
    """Batches of an arrow table: shuffled rows, cleaned in pandas."""

    def __init__(self, table, rows):
        self.table, self.rows = table, rows

    def __iter__(self):
        while True:
            at = np.random.randint(0, self.table.num_rows, self.rows)
            frame = self.table.take(pa.array(at)).to_pandas()
            frame = frame.fillna(0).rank(pct=True)
            yield torch.from_numpy(frame.to_numpy(dtype=np.float32))


@program(
    "arrow-batches-workers-0",
    "A table model fed from a pyarrow table through pandas in an IterableDataset without workers.",
    "loader-bound",
    "load-in-workers",
    stack=True,
)
def arrow_batches_workers_0():
    columns = {f"c{at}": np.random.rand(100_000) for at in range(32)}
    data = Batches(pa.table(columns), size(4096, 64))
    model = torch.nn.Sequential(torch.nn.Linear(32, 1024), torch.nn.ReLU(), mlp(1024, 4, 1)).to(device)
    step = trainer(model, torch.optim.Adam(model.parameters(), fused=on_gpu), lambda net, x: net(x).square().mean())
    body = lambda batch: step(batch.to(device))
    workers = size(8, 1)
    make = lambda count: torch.utils.data.DataLoader(data, batch_size=None, num_workers=count)
    return {
        "base": fed(make(0), body),
        "workers-8": fed(make(workers), body, "load-in-workers", workers),
    }


words = "the a network learns to read long lines of text while its host cuts words into parts and counts".split()


def sentence(at, length=200):
    return " ".join(words[(at * 7 + place * place) % len(words)] for place in range(length))


def tokenizer():
    from tokenizers import Tokenizer, models, pre_tokenizers

    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]
    made = Tokenizer(models.WordPiece({name: at for at, name in enumerate(dict.fromkeys(names))}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return made


@program(
    "bert-tokenise-workers-0",
    "BERT classification; collate_fn tokenises 64 long texts in a DataLoader without workers.",
    "loader-bound",
    "load-in-workers",
)
def bert_tokenise_workers_0():
    from transformers import BertConfig, BertForSequenceClassification

    cut = tokenizer()

    def collate(texts):
        return torch.tensor([cut.encode(text).ids[:64] for text in texts])

    model = BertForSequenceClassification(BertConfig(num_hidden_layers=2, vocab_size=64, hidden_size=256, num_attention_heads=4))
    model = model.to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=on_gpu)
    step = trainer(model, optimizer, lambda net, x: net(input_ids=x).logits.square().mean())
    body = lambda batch: step(batch.to(device))
    few, workers = size(64, 4), size(8, 1)
    make = lambda count: loader(sentence, few, count, collate_fn=collate)
    return {
        "base": fed(make(0), body),
        "workers-8": fed(make(workers), body, "load-in-workers", workers),
    }


def lightning_run(sample, batch, workers):
    import logging

    import lightning

    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)

    class Module(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = mlp(512, 4)

        def training_step(self, batch, _):
            return self.net(batch).square().mean()

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=1e-3)

    class Ticks(lightning.Callback):
        def __init__(self, tick):
            self.tick = tick

        def on_train_batch_end(self, *_):
            self.tick()

    def run(count, tick):
        with tempfile.TemporaryDirectory() as folder:
            lightning.Trainer(
                max_steps=count,
                callbacks=[Ticks(tick)],
                accelerator="gpu" if on_gpu else "cpu",
                devices=1,
                logger=False,
                enable_checkpointing=False,
                enable_progress_bar=False,
                enable_model_summary=False,
                default_root_dir=folder,
            ).fit(Module(), loader(sample, batch, workers))

    return run


@program(
    "lightning-slow-dataset",
    "A Lightning Trainer whose dataset takes 0.3 ms of Python and numpy a sample, without workers.",
    "loader-bound",
    "load-in-workers",
    needs="lightning",
)
def lightning_slow_dataset():
    signal = np.random.rand(8192).astype(np.float32)

    def sample(at):
        until = time.perf_counter() + 0.0003
        part = signal[at % 4096 :][:512].copy()
        while time.perf_counter() < until:
            part = np.sort(part)[::-1].copy()
        return torch.from_numpy(part)

    few, workers = size(64, 4), size(8, 1)
    return {
        "base": Variant(lightning_run(sample, few, 0)),
        "workers-8": Variant(
            lightning_run(sample, few, workers), ("load-in-workers",), skip=2 * workers + 2, multiple=workers
        ),
    }


@program(
    "sentence-encode-tokenise",
    "sentence-transformers encodes 128 texts a step with a small model: the host cuts the texts.",
    "own-host-work",
    "load-in-workers other-thread",
    needs="sentence_transformers",
)
def sentence_encode_tokenise():
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tempfile.mkdtemp()
    with open(f"{folder}/vocab.txt", "w") as file:
        file.write("\n".join(dict.fromkeys(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words])))
    BertModel(BertConfig(num_hidden_layers=2, hidden_size=128, num_attention_heads=2, intermediate_size=256)).save_pretrained(folder)
    BertTokenizerFast(vocab_file=f"{folder}/vocab.txt").save_pretrained(folder)
    parts = Transformer(folder, max_seq_length=128)
    model = SentenceTransformer(modules=[parts, Pooling(128)], device=str(device))
    texts = [sentence(at) for at in range(size(128, 4))]
    ready = parts.tokenize(texts)

    def base():
        return model.encode(texts, batch_size=len(texts), show_progress_bar=False)

    @torch.no_grad()
    def cut_ahead():
        features = {name: part.to(device) for name, part in ready.items() if torch.is_tensor(part)}
        return torch.nn.functional.normalize(model(features)["sentence_embedding"]).cpu()

    return {"base": steps(base), "cut-ahead": steps(cut_ahead, "load-in-workers")}


@program(
    "audio-crops-workers-0",
    "Speech crops are resampled and scaled in numpy by a DataLoader without workers; a small 1-D CNN trains.",
    "loader-bound",
    "load-in-workers",
    stack=True,
)
def audio_crops_workers_0():
    waves = np.random.randn(16, 160_000).astype(np.float32)
    grid = np.linspace(0, 39_999, 32_000)

    def sample(at):
        start = at * 997 % 120_000
        part = np.interp(grid, np.arange(40_000), waves[at % 16, start : start + 40_000])
        return torch.from_numpy((part / np.abs(part).max()).astype(np.float32))[None]

    conv = lambda a, b: torch.nn.Conv1d(a, b, 9, stride=4)
    model = torch.nn.Sequential(conv(1, 64), torch.nn.ReLU(), conv(64, 128), torch.nn.ReLU(), conv(128, 128)).to(device)
    step = trainer(model, torch.optim.SGD(model.parameters(), lr=1e-3), lambda net, x: net(x).square().mean())
    body = lambda batch: step(batch.to(device))
    few, workers = size(32, 2), size(8, 1)
    return {
        "base": fed(loader(sample, few), body),
        "workers-8": fed(loader(sample, few, workers), body, "load-in-workers", workers),
    }


