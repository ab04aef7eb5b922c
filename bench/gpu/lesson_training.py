"""A training program whose recordings a lesson shows: lesson_training.py before|after [STEPS].

`before` copies its batches from pageable memory and reads the loss in each step; `after` does what the plan of that recording
says first: pinned batches, copied without blocking, and the loss read every twentieth step. Prints the median step in
milliseconds. bench/gpu/lesson-training.sh records both.
"""

import statistics
import sys
import time

import torch

mended, steps = sys.argv[1] == "after", int(sys.argv[2]) if len(sys.argv) > 2 else 60
torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 64, 7, stride=2),
    torch.nn.ReLU(),
    torch.nn.Conv2d(64, 128, 3, stride=2),
    torch.nn.ReLU(),
    torch.nn.AdaptiveAvgPool2d(1),
    torch.nn.Flatten(),
    torch.nn.Linear(128, 10),
).cuda()
optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
batches = [(torch.randn(64, 3, 224, 224), torch.randint(10, (64,))) for _ in range(4)]
if mended:
    batches = [(images.pin_memory(), labels.pin_memory()) for images, labels in batches]

times = []
for step in range(1, steps + 1):
    before = time.perf_counter()
    torch.cuda.nvtx.range_push("step")
    images, labels = batches[step % len(batches)]
    x = images.to("cuda", non_blocking=mended)
    y = labels.to("cuda", non_blocking=mended)
    loss = torch.nn.functional.cross_entropy(model(x), y)
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    if not mended or step % 20 == 0:
        loss.item()
    torch.cuda.nvtx.range_pop()
    times.append((time.perf_counter() - before) * 1e3)
torch.cuda.synchronize()
# Between two reads of the loss the host runs ahead: the mean of whole spans is what a step takes.
spans = [statistics.mean(times[at : at + 20]) for at in range(20, steps - 19, 20)]
print("%s: %.3f ms a step" % (sys.argv[1], statistics.median(spans)), flush=True)
