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

  numbers: `def numbers(kind, word):
    """Numbers from -1 to 1 of random words: one of float32 in each, or two of 16 bits."""
    if kind == "float32":
        return (((word >> 9) - 2**22) / 2**22).to(torch.float32)
    dtype, bits = (torch.float16, 11) if kind == "float16" else (torch.bfloat16, 8)
    halves = torch.stack([word, word >> 16], dim=1).reshape(-1) & (2**bits - 1)
    return ((halves - 2 ** (bits - 1)) / 2 ** (bits - 1)).to(dtype)`,

  wrong: 'wrong_bytes = 0',

  matmul: `def matrix(tensor, dtype, rows, columns):
    """The beginning of a buffer as a matrix."""
    return tensor[: rows * columns * dtype.itemsize].view(dtype).view(rows, columns)


def matmul(product, first, second, tf32=False):
    torch.backends.cuda.matmul.allow_tf32 = tf32
    torch.matmul(first, second, out=product)`,

  expectProduct: `def expect_product(name, found, first, second, rounding):
    """Compares a product with the same in double precision. What rounding explains is not wrong."""
    global wrong_bytes
    first, second = first.double(), second.double()
    allowed = (first.abs() @ second.abs()) * rounding
    wrong = int((~((found.double() - first @ second).abs() <= allowed)).sum())
    if wrong:
        print(f"{name}: {wrong} of {found.numel()} numbers are wrong")
    wrong_bytes += wrong * found.element_size()`,

  fft: `def transforms(tensor, batch, size):
    """The beginning of a buffer as complex numbers."""
    return tensor[: batch * size * 8].view(torch.complex64).view(batch, size)`,

  expectTransform: `def expect_transform(name, found, given):
    """Compares transforms with the same in double precision."""
    global wrong_bytes
    size = found.shape[1]
    allowed = (math.log2(size) + 2) * math.sqrt(size) * 1e-6
    wrong = int((~((found - torch.fft.fft(given.to(torch.complex128))).abs() <= allowed)).sum())
    if wrong:
        print(f"{name}: {wrong} of {found.numel()} numbers are wrong")
    wrong_bytes += wrong * found.element_size()`,

  expect: `def expect(name, found, pattern):
    """Compares a region with what should be there."""
    global wrong_bytes
    wrong = int((found.cpu() != pattern).sum())
    if wrong:
        print(f"{name}: {wrong} of {found.numel()} bytes are wrong")
    wrong_bytes += wrong`,

  refill: `def refill(tensor, pattern):
    """Through the device, which is slow to write over what a processor has just written."""
    tensor.copy_(pattern.cuda())`,

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
  expect: ['wrong'],
  expectProduct: ['wrong', 'matmul'],
  expectTransform: ['wrong', 'fft'],
  tensors: ['words', 'expect'],
};

/** Modules that a helper imports. */
export const helperModules: Readonly<Partial<Record<PyTorchHelper, readonly string[]>>> = {
  words: ['functools'],
  work: ['time'],
  expectTransform: ['math'],
  arithmetic: ['functools'],
  blockingStream: ['ctypes'],
};

/** The helper `words` for a program with buffers of numbers. */
export const wordsOfNumbers: string = pytorchHelpers.words.replace(
  '        word = word ^ (word >> 16)\n    word = times',
  `        word = word ^ (word >> 16)
    if "float" in kind:
        return numbers(kind, word).view(torch.uint8)[offset - 4 * first :][:size].clone()
    word = times`,
);
