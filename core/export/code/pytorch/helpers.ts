/** Helpers that a PyTorch program may need. Only those that it uses are written, in this order. */

export const pytorchHelpers = {
  KiB: 'KiB = 1024',
  MiB: 'MiB = 1024 * 1024',
  GiB: 'GiB = 1024 * 1024 * 1024',

  words: `@functools.lru_cache(maxsize=64)
def words(kind, seed, size, offset=0, factor=1):
    """Bytes of a pattern: little-endian 32-bit words, each multiplied by a factor."""
    first = offset // 4
    index = torch.arange(first, (offset + size + 3) // 4, dtype=torch.int64)
    if kind == "constant":
        word = torch.full_like(index, seed)
    elif kind == "index":
        word = index + seed
    else:
        word = (times(index, 0x9E3779B1) + seed) & 0xFFFFFFFF
        word = times(word ^ (word >> 16), 0x85EBCA6B)
        word = times(word ^ (word >> 13), 0xC2B2AE35)
        word = word ^ (word >> 16)
    word = times(word & 0xFFFFFFFF, factor)
    word = torch.where(word >= 2**31, word - 2**32, word).to(torch.int32)
    return word.view(torch.uint8)[offset - 4 * first :][:size].clone()


def times(word, factor):
    """A product modulo 2^32; in halves, so that it fits into 64 bits."""
    low = (word & 0xFFFF) * factor
    high = ((word >> 16) * factor & 0xFFFF) << 16
    return (low + high) & 0xFFFFFFFF`,

  expect: `wrong_bytes = 0


def expect(name, found, pattern):
    """Compares a region with what should be there."""
    global wrong_bytes
    wrong = int((found.cpu() != pattern).sum())
    if wrong:
        print(f"{name}: {wrong} of {found.numel()} bytes are wrong")
    wrong_bytes += wrong`,

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
    """Tensors of so many bytes in turn, repeated to count of them, with what each holds."""
    made = [words("random", 1000 + i, each[i % len(each)]) for i in range(count)]
    if place == "pinned":
        return [one.pin_memory() for one in made]
    return [one.clone() if place == "pageable" else one.to(place) for one in made]


def expect_tensors(name, copied):
    for i, one in enumerate(copied):
        expect(name, one, words("random", 1000 + i, one.numel()))`,
} as const;
export type PyTorchHelper = keyof typeof pytorchHelpers;

export const pytorchNeeds: Readonly<Partial<Record<PyTorchHelper, readonly PyTorchHelper[]>>> = {
  tensors: ['words', 'expect'],
};

/** Modules that a helper imports. */
export const helperModules: Readonly<Partial<Record<PyTorchHelper, readonly string[]>>> = {
  words: ['functools'],
  work: ['time'],
  arithmetic: ['functools'],
  blockingStream: ['ctypes'],
};
