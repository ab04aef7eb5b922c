"""Programs that allocate, free or lock memory in every step."""

import timm
import torch

from .common import device, mlp, program, rotate, size, steps, trainer

on_gpu = device.type == "cuda"


@program(
    "empty-cache-train",
    "timm ResNet-10 training that calls torch.cuda.empty_cache() after every step.",
    "allocation",
    "keep-memory",
)
def empty_cache_train():
    net = timm.create_model("resnet10t", num_classes=10).to(device, torch.bfloat16)
    x = torch.randn(size(32, 1), 3, size(160, 64), size(160, 64), device=device, dtype=torch.bfloat16)
    step = trainer(net, torch.optim.SGD(net.parameters(), lr=0.01), lambda net, x: net(x).float().square().mean())

    def base():
        step(x)
        torch.cuda.empty_cache()

    return {"base": steps(base), "kept": steps(lambda: step(x), "keep-memory", traced=True)}


@program(
    "empty-cache-chunks",
    "Evaluation that frees the cache after each of four chunks of large intermediate results.",
    "allocation",
    "keep-memory",
    stack=True,
)
def empty_cache_chunks():
    width = size(4096, 16)
    model = mlp(width, 2, dtype=torch.bfloat16)
    parts = torch.randn(4, size(8192, 2), width, device=device, dtype=torch.bfloat16)

    @torch.no_grad()
    def chunks(free):
        for part in parts:
            total = model(part).float().softmax(1).amax()
            if free:
                torch.cuda.empty_cache()
        return total

    return {"base": steps(lambda: chunks(True)), "kept": steps(lambda: chunks(False), "keep-memory")}


@program(
    "register-each-step",
    "A batch of 64 MB is page-locked with cudaHostRegister, copied and unlocked in every step.",
    "allocation",
    "keep-memory pin",
    stack=True,
    active=5,
)
def register_each_step():
    width = size(4096, 16)
    batches = [torch.randn(width, width) for _ in range(3)]
    kept = rotate([batch.pin_memory() for batch in batches])
    take = rotate(batches)
    model = mlp(width, 2)
    runtime = torch.cuda.cudart() if on_gpu else None

    @torch.no_grad()
    def base():
        x = take()
        runtime.cudaHostRegister(x.data_ptr(), x.nbytes, 0)
        model(x.to(device, non_blocking=True))
        torch.cuda.synchronize()
        runtime.cudaHostUnregister(x.data_ptr())

    @torch.no_grad()
    def once():
        model(kept().to(device, non_blocking=True))
        torch.cuda.synchronize()

    return {"base": steps(base), "once": steps(once, "keep-memory")}


@program(
    "cupy-without-pool",
    "A CuPy filter whose memory pool is turned off: each temporary is a cudaMalloc and a cudaFree.",
    "allocation",
    "keep-memory",
    needs="cupy",
)
def cupy_without_pool():
    import cupy

    x = cupy.random.rand(size(4_000_000, 100), dtype=cupy.float32)
    pool = cupy.cuda.MemoryPool()

    def work():
        y = x
        for _ in range(8):
            y = cupy.sqrt(y * y + 1) - y * 0.5
        return y

    def base():
        cupy.cuda.set_allocator(None)
        work()

    def pooled():
        cupy.cuda.set_allocator(pool.malloc)
        work()

    return {"base": steps(base), "pool": steps(pooled, "keep-memory")}


@program(
    "workspace-resized",
    "Inference over lengths that differ in each call, with the cache freed whenever the length changes.",
    "allocation",
    "keep-memory",
    stack=True,
    active=5,
)
def workspace_resized():
    width = size(2048, 16)
    model = mlp(width, 3, dtype=torch.bfloat16)
    lengths = [size(length, 4) for length in (3000, 5000, 7000, 4000, 6000, 8000)]
    inputs = [torch.randn(length, width, device=device, dtype=torch.bfloat16) for length in lengths]

    @torch.no_grad()
    def bodies(free):
        for x in inputs:
            model(x)
            if free:
                torch.cuda.empty_cache()

    return {"base": steps(lambda: bodies(True)), "kept": steps(lambda: bodies(False), "keep-memory")}
