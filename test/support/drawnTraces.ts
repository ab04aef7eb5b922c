/** Drawn traces of programs whose remedy is not pinning: six steps each, in the format of PyTorch's profiler. */
/** Returns a complete event in Kineto's form: times in microseconds. */
export const complete = (cat: string, name: string, ts: number, dur: number, args: object = {}, tid: unknown = 7) => ({
  ph: 'X',
  cat,
  name,
  pid: cat.startsWith('gpu') || cat === 'kernel' ? 0 : 42,
  tid,
  ts,
  dur,
  args,
});

/** Writes the events of a program with one stream. Launches return at once, pageable copies at their end. */
export class Program {
  readonly events: ReturnType<typeof complete>[] = [];
  #at = 1000;
  #free = 0;
  #correlation = 0;

  step(body: () => void): void {
    const from = this.#at;
    body();
    this.events.push(complete('user_annotation', `ProfilerStep#${this.events.length}`, from, this.#at - from));
    this.#at += 2;
  }

  kernel(us: number, name = 'gemm', stream = 7): void {
    const correlation = ++this.#correlation;
    this.events.push(complete('cuda_runtime', 'cudaLaunchKernel', this.#at, 5, { correlation }));
    this.events.push(complete('kernel', name, this.#startOf(us), us, { correlation, device: 0, stream }));
    this.#at += 6;
  }

  copy(direction: 'HtoD' | 'DtoH', bytes: number, us: number): void {
    const correlation = ++this.#correlation;
    const name = `Memcpy ${direction} (${direction === 'HtoD' ? 'Pageable -> Device' : 'Device -> Pageable'})`;
    const start = this.#startOf(us);
    const held = start + us + 2 - this.#at;
    this.events.push(complete('cuda_runtime', 'cudaMemcpyAsync', this.#at, held, { correlation }));
    this.events.push(complete('gpu_memcpy', name, start, us, { correlation, device: 0, stream: 7, bytes }));
    this.#at += held + 1;
  }

  /** Returns the device's start of work issued now that takes `us` microseconds. */
  #startOf(us: number): number {
    const start = Math.max(this.#free, this.#at + 8);
    this.#free = start + us;
    return start;
  }

  operator(name: string, us: number): void {
    this.events.push(complete('cpu_op', name, this.#at, us));
    this.#at += us + 1;
  }

  python(name: string, us: number): void {
    this.events.push(complete('python_function', name, this.#at, us));
    this.#at += us;
  }

  silence(us: number): void {
    this.#at += us;
  }

  loader(us: number, kind: 'SingleProcess' | 'MultiProcessing' = 'SingleProcess'): void {
    const name = `enumerate(DataLoader)#_${kind}DataLoaderIter.__next__`;
    this.events.push(complete('user_annotation', name, this.#at, us));
    this.#at += us + 1;
  }

  call(name: string, us: number): void {
    this.events.push(complete('cuda_runtime', name, this.#at, us, { correlation: ++this.#correlation }));
    this.#at += us + 1;
  }
}

/** Returns the text of a trace of six steps. */
export function drawnTrace(step: (program: Program) => void): string {
  const program = new Program();
  for (let number = 0; number < 6; number += 1) program.step(() => step(program));
  return JSON.stringify({ traceEvents: program.events });
}

export const MB = 1e6;

/** Plays layers that fetch their weights in every forward: 8 copies of 1.5 ms, and 0.2 ms of kernels each. */
export const weights = (program: Program): void => {
  for (let layer = 0; layer < 8; layer += 1) {
    program.copy('HtoD', (8 + layer) * MB, 1500);
    program.kernel(200);
  }
};

export const sampling = (program: Program): void => {
  program.kernel(1000);
  program.copy('DtoH', 4 * MB, 500);
  program.operator('aten::softmax', 3000);
  program.operator('aten::multinomial', 5000);
  program.copy('HtoD', 512, 4);
};

export const gathering = (program: Program): void => {
  program.operator('aten::index', 8000);
  program.copy('HtoD', 64 * MB, 7000);
  program.kernel(1500);
};

export const features = (program: Program): void => {
  program.operator('aten::_fft_r2c', 4000);
  program.operator('aten::abs', 4000);
  program.copy('HtoD', 2 * MB, 200);
  program.kernel(1500);
};

export const normalising = (program: Program): void => {
  program.operator('aten::copy_', 5000);
  program.operator('aten::div_', 3000);
  program.copy('HtoD', 48 * MB, 6000);
  program.kernel(4000);
};

export const loading = (program: Program): void => {
  program.loader(42_000);
  program.kernel(6000);
};

export const allocating = (program: Program): void => {
  program.call('cudaMalloc', 3000);
  program.kernel(4000);
  program.call('cudaFree', 2000);
};

export const batch = (program: Program): void => {
  program.copy('HtoD', 32 * MB, 3000);
  for (let layer = 0; layer < 8; layer += 1) program.kernel(500);
};

export const communicating = (program: Program): void => {
  program.kernel(5000);
  program.kernel(15_000, 'ncclDevKernel_AllReduce_Sum_f32_RING_LL', 20);
};
