"""Programs that bench/gpu/record.py records: record_programs.py NAME STEPS [PROFILE.json].

Each warms up, then takes STEPS steps without recording, STEPS within an NVTX range "measured", and STEPS without again, so
that a recorder which is asked for that range records the middle ones only; with a third argument torch.profiler does.
Prints the medians of the three as JSON. Lines of copies and waits that a recorder must name end in "# line".
"""

import json
import statistics
import sys
import threading
import time

import torch

dev = "cuda"


def net():
    torch.manual_seed(0)
    layers = [torch.nn.Linear(1024, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 1024)]
    return torch.nn.Sequential(*layers).to(dev)


def pageable():
    model, data = net(), torch.randn(2048, 1024)

    def step():
        x = data.to(dev)  # line
        model(x).sum().item()  # line

    return step


def pinned():
    model, data = net(), torch.randn(2048, 1024).pin_memory()

    def step():
        x = data.to(dev, non_blocking=True)  # line
        model(x)
        torch.cuda.current_stream().synchronize()  # line

    return step


def training():
    model, data = net(), torch.randn(2048, 1024)
    optimiser = torch.optim.SGD(model.parameters(), lr=0.01)

    def step():
        x = data.to(dev)  # line
        optimiser.zero_grad()
        loss = model(x).square().mean()
        loss.backward()  # line
        optimiser.step()
        loss.item()  # line

    return step


def streams():
    model, data = net(), torch.randn(2048, 1024).pin_memory()
    side, ready = torch.cuda.Stream(), torch.cuda.Event()

    def step():
        with torch.cuda.stream(side):
            x = data.to(dev, non_blocking=True)  # line
            ready.record(side)
        torch.cuda.current_stream().wait_event(ready)
        x.record_stream(torch.cuda.current_stream())
        model(x)
        torch.cuda.synchronize()  # line

    return step


def events():
    model, data = net(), torch.randn(2048, 1024, device=dev)
    done = torch.cuda.Event()

    def step():
        model(data)
        done.record()
        done.synchronize()  # line

    return step


def launches():
    data = torch.randn(64, device=dev)

    def step():
        x = data
        for _ in range(300):
            x = x + 1
        x.sum().cpu()  # line

    return step


def graphs():
    model, data = net(), torch.randn(256, 1024, device=dev)
    model(data)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        model(data)

    def step():
        graph.replay()
        torch.cuda.synchronize()  # line

    return step


def threads():
    model, data = net(), [torch.randn(512, 1024) for _ in range(2)]

    def work(part):
        x = part.to(dev)  # line
        model(x).sum().item()  # line

    def step():
        all_threads = [threading.Thread(target=work, args=(part,)) for part in data]
        for one in all_threads:
            one.start()
        for one in all_threads:
            one.join()

    return step


class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 4096

    def __getitem__(self, index):
        return torch.full((1024,), float(index))


def loader():
    model = net()
    rows = torch.utils.data.DataLoader(Rows(), batch_size=64, num_workers=2, pin_memory=True, persistent_workers=True)

    def batches():
        while True:
            yield from rows

    source = batches()

    def step():
        x = next(source).to(dev, non_blocking=True)  # line
        model(x).sum().item()  # line

    return step


def prefetch():
    """The next batch is copied while the kernels of this one run."""
    model = net()
    data = [torch.randn(2048, 1024).pin_memory() for _ in range(4)]
    side, held = torch.cuda.Stream(), {}

    def fetch(number):
        with torch.cuda.stream(side):
            held[number] = data[number % 4].to(dev, non_blocking=True)  # line

    fetch(0)
    torch.cuda.synchronize()
    numbers = iter(range(1 << 30))

    def step():
        number = next(numbers)
        x = held.pop(number)
        fetch(number + 1)
        for _ in range(8):
            model(x)

    return step


def compiled():
    model, data = torch.compile(net()), torch.randn(2048, 1024)

    def step():
        x = data.to(dev)  # line
        model(x).sum().item()  # line

    return step


def bert():
    """Training steps of a small BERT, which launches bind."""
    from transformers import BertConfig, BertForSequenceClassification

    config = BertConfig(hidden_size=256, num_hidden_layers=8, num_attention_heads=4, intermediate_size=1024)
    model = BertForSequenceClassification(config).to(dev)
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-4)
    tokens, labels = torch.randint(0, 30000, (16, 64)), torch.randint(0, 2, (16,))

    def step():
        loss = model(input_ids=tokens.to(dev), labels=labels.to(dev)).loss  # line
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()

    return step


def cnn():
    """Training steps of a ResNet-18 from pageable images."""
    from torchvision.models import resnet18

    model = resnet18().to(dev)
    optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
    images, labels = torch.rand(64, 3, 224, 224), torch.randint(0, 1000, (64,))

    def step():
        loss = torch.nn.functional.cross_entropy(model(images.to(dev)), labels.to(dev))  # line
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()

    return step


def small_copies():
    """Two hundred tensors of 4 KiB, copied one by one."""
    tensors = [torch.rand(1024) for _ in range(200)]

    def step():
        for tensor in tensors:
            tensor.to(dev)  # line

    return step


programs = {
    made.__name__: made
    for made in (pageable, pinned, training, streams, prefetch, events, launches, graphs, threads, loader, compiled, bert, cnn, small_copies)
}


def median_us(step, steps):
    times = []
    for _ in range(steps):
        before = time.perf_counter()
        step()
        torch.cuda.synchronize()  # line
        times.append((time.perf_counter() - before) * 1e6)
    return statistics.median(times)


def measured(step, steps, profile):
    if profile is None:
        torch.cuda.nvtx.range_push("measured")
        median = median_us(step, steps)
        torch.cuda.nvtx.range_pop()
        return median
    from torch.profiler import ProfilerActivity, record_function
    from torch.profiler import profile as profiler

    with profiler(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as session:
        with record_function("measured"):
            median = median_us(step, steps)
    session.export_chrome_trace(profile)
    return median


def main():
    name, steps = sys.argv[1], int(sys.argv[2])
    profile = sys.argv[3] if len(sys.argv) > 3 else None
    step = programs[name]()
    median_us(step, 10)
    before = median_us(step, steps)
    during = measured(step, steps, profile)
    after = median_us(step, steps)
    print(json.dumps({"before": before, "during": during, "after": after}), flush=True)


if __name__ == "__main__":
    main()
