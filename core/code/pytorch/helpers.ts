/** Helpers for PyTorch programs, in order of output. A program contains only those that it uses. */

export const pytorchHelpers = {
  KiB: 'KiB = 1024',
  MiB: 'MiB = 1024 * 1024',
  GiB: 'GiB = 1024 * 1024 * 1024',

  matmul: `def matrix(tensor, dtype, rows, columns):
    """The beginning of a buffer as a matrix."""
    return tensor[: rows * columns * dtype.itemsize].view(dtype).view(rows, columns)


def matmul(product, first, second, tf32=False):
    torch.backends.cuda.matmul.allow_tf32 = tf32
    torch.matmul(first, second, out=product)`,

  fft: `def transforms(tensor, batch, size):
    """The beginning of a buffer as complex numbers."""
    return tensor[: batch * size * 8].view(torch.complex64).view(batch, size)`,

  startTogether: `def start_together(start, function):
    """A thread that waits for all others before it begins."""

    def run():
        start.wait()
        function()

    thread = threading.Thread(target=run)
    thread.start()
    return thread`,

  work: `def work(ns):
    """Keeps the host thread busy."""
    until = time.perf_counter_ns() + ns
    while time.perf_counter_ns() < until:
        pass`,

  spin: `def measure_cycles_per_ns():
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda._sleep(1_000_000)
    start.record()
    torch.cuda._sleep(100_000_000)
    end.record()
    end.synchronize()
    return 100_000_000 / (start.elapsed_time(end) * 1e6)


cycles_per_ns = measure_cycles_per_ns()


def spin(ns):
    """A kernel of one thread that is busy for a duration."""
    torch.cuda._sleep(max(1, round(ns * cycles_per_ns)))`,

  multiply: `def multiply(target, source, passes):
    """Passes over 32-bit words: the first from source to target, each later one over the target."""
    torch.mul(source.view(torch.int32), 1664525, out=target.view(torch.int32))
    for _ in range(passes - 1):
        target.view(torch.int32).mul_(1664525)`,

  arithmetic: `@functools.lru_cache(maxsize=None)
def factor_of(flops, device):
    size = max(1, round((flops / 2) ** (1 / 3)))
    return torch.rand(size, size, device=device)


def arithmetic(flops, device):
    """A matrix product of about so many operations."""
    factor = factor_of(flops, device)
    factor @ factor`,

  blockingStream: `def blocking_stream(device):
    """A stream that synchronises with the legacy default stream; those of torch.cuda.Stream don't."""
    handle = ctypes.c_void_p()
    with torch.cuda.device(device):
        torch.cuda.check_error(torch.cuda.cudart().cudaStreamCreate(ctypes.addressof(handle)))
    return torch.cuda.ExternalStream(handle.value, device=device)`,

  register: `def register(tensor):
    """Locks the pages of memory that is there already."""
    torch.cuda.check_error(torch.cuda.cudart().cudaHostRegister(tensor.data_ptr(), tensor.numel(), 0))
    return tensor`,

  tensors: `def make_tensors(each, count, place):
    """Tensors of so many bytes in turn, repeated to count of them."""
    made = [torch.ones(each[i % len(each)], dtype=torch.uint8) for i in range(count)]
    if place == "pinned":
        return [one.pin_memory() for one in made]
    return made if place == "pageable" else [one.to(place) for one in made]`,
} as const;
export type PyTorchHelper = keyof typeof pytorchHelpers;

/** Modules that a helper imports. */
export const helperModules: Readonly<Partial<Record<PyTorchHelper, readonly string[]>>> = {
  work: ['time'],
  arithmetic: ['functools'],
  blockingStream: ['ctypes'],
};
