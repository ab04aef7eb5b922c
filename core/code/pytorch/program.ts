/** Writes a whole PyTorch program that does what an experiment does. */

import { pythonComment, pythonEncoding } from '../../media.ts';
import type { Instruction, ProgramBuffer } from '../../program/program.ts';
import { isBlockCopy, tableOf } from '../blocks.ts';
import { Listing } from '../listing.ts';
import { bufferOf, commentsOf, fillByte, required, type Subject } from '../subject.ts';
import { helperModules, type PyTorchHelper, pytorchHelpers } from './helpers.ts';
import { oneLine, writeInstructions } from './instructions.ts';
import { tensorsExpression } from './multiCopy.ts';
import { PyTorchScope } from './scope.ts';

export function pytorchProgram(subject: Subject): Listing {
  const scope = new PyTorchScope(subject);
  const body = new Listing('    ', pythonComment);
  new Script(scope, body).write();
  const helpers = inOrder(scope.used);
  const whole = new Listing('    ', pythonComment);
  writeHead(scope, helpers, whole);
  helpers.forEach((helper, index) => {
    // Constants have no empty line in between, functions do.
    if (index === 0 || !isConstant(helper)) whole.add(isConstant(helper) ? '' : '\n');
    whole.add(pytorchHelpers[helper]);
  });
  whole.add('\n');
  whole.append(body);
  return whole;
}

function writeHead(scope: PyTorchScope, helpers: readonly PyTorchHelper[], listing: Listing): void {
  const { experiment, program } = scope.subject;
  listing.add(pythonEncoding);
  listing.comment(experiment.name);
  if (experiment.description !== '') {
    listing.add('#');
    listing.comment(experiment.description);
  }
  const modules = new Set([...scope.modules, 'time', ...helpers.flatMap((helper) => helperModules[helper] ?? [])]);
  const mask = program.visibleDevices !== null || program.launchBlocking;
  if (mask) modules.add('os');
  if (program.threads.length > 1) modules.add('threading');
  if (program.signals.length > 0) modules.add('queue');
  for (const module of [...modules].sort()) listing.add(`import ${module}`);
  if (mask) listing.add('');
  // Both are read when CUDA starts.
  if (program.launchBlocking) listing.add('os.environ["CUDA_LAUNCH_BLOCKING"] = "1"');
  if (program.visibleDevices !== null) {
    listing.add(`os.environ["CUDA_VISIBLE_DEVICES"] = "${program.visibleDevices.join(',')}"`);
  }
  listing.add('');
  listing.add('import torch');
}

/** In the order of their file. */
const inOrder = (used: ReadonlySet<PyTorchHelper>): PyTorchHelper[] =>
  (Object.keys(pytorchHelpers) as PyTorchHelper[]).filter((helper) => used.has(helper));

const isConstant = (helper: PyTorchHelper): boolean => helper.endsWith('iB');

class Script {
  readonly #scope: PyTorchScope;
  readonly #subject: Subject;
  readonly #listing: Listing;

  constructor(scope: PyTorchScope, listing: Listing) {
    this.#scope = scope;
    this.#subject = scope.subject;
    this.#listing = listing;
  }

  write(): void {
    const { program } = this.#subject;
    const { warmups, iterations } = this.#subject.experiment.environment;
    this.#buffers();
    this.#add('');
    this.#handles();
    this.#tensors();
    this.#tables();
    program.threads.forEach((_, thread) => {
      this.#thread(thread);
    });
    this.#add('\n');
    this.#listing.comment(`${warmups} warm-ups, then ${iterations} iterations that are timed.`);
    this.#add(`for iteration in range(${-warmups}, ${iterations}):`);
    this.#listing.inside(() => this.#iteration());
  }

  #add(text: string, op = -1): void {
    this.#listing.add(text, op);
  }

  #note(text: string): void {
    this.#listing.note(text);
  }

  #buffers(): void {
    const { program, marks } = this.#subject;
    for (const [index, buffer] of program.buffers.entries()) {
      this.#listing.markedAs(marks.declared.buffers.get(buffer.id), () => this.#buffer(buffer, index));
    }
  }

  #buffer(buffer: ProgramBuffer, index: number): void {
    const name = this.#scope.name(index);
    if (buffer.allocated === 'by-operation') {
      this.#add(`${name} = None`);
      return;
    }
    const [bytes, byte] = [this.#scope.bytes(buffer.bytes), fillByte(buffer)];
    const filled = `${byte === '1' ? `torch.ones(${bytes}` : `torch.full((${bytes},), ${byte}`}, dtype=torch.uint8`;
    switch (buffer.memory) {
      case 'device':
        this.#add(`${name} = ${filled}, device=${this.#scope.device(buffer.device)})`);
        break;
      case 'pageable':
        this.#add(`${name} = ${filled})`);
        break;
      case 'registered':
        this.#scope.use('register');
        this.#add(`${name} = register(${filled}))`);
        break;
      default:
        if (buffer.memory !== 'pinned') this.#note(`PyTorch has no ${buffer.memory} memory: ${name} is pinned.`);
        this.#add(`${name} = ${filled}, pin_memory=True)`);
    }
  }

  #handles(): void {
    const { experiment, marks, program } = this.#subject;
    experiment.streams.forEach(({ id }, index) => {
      this.#listing.markedAs(marks.declared.streams.get(id), () => this.#stream(index));
    });
    experiment.events.forEach(({ id }, index) => {
      const { timing } = required(program.events, index);
      this.#listing.markedAs(marks.declared.events.get(id), () =>
        this.#add(`${required(this.#scope.events, index)} = torch.cuda.Event(${timing ? 'enable_timing=True' : ''})`),
      );
    });
    for (const name of this.#scope.graphs) this.#add(`${name} = None`);
  }

  #stream(index: number): void {
    const { kind, device, priority } = required(this.#subject.program.streams, index);
    const [name, place] = [this.#scope.stream(index), this.#scope.device(device)];
    if (kind !== 'blocking') {
      const urgent = priority === 0 ? '' : `, priority=${priority}`;
      this.#add(`${name} = torch.cuda.Stream(${place}${urgent})`);
      return;
    }
    this.#scope.use('blockingStream');
    if (priority !== 0)
      this.#note(`PyTorch's CUDA runtime calls give a blocking stream no priority (${priority} is meant).`);
    this.#add(`${name} = blocking_stream(${place})`);
  }

  #tensors(): void {
    const { program, instructions } = this.#subject;
    program.multiCopies.forEach((copy, index) => {
      this.#scope.use('tensors');
      const issued = instructions.find((one) => one.code === 'multiCopy' && one.plan === index);
      const device = issued?.code === 'multiCopy' ? required(program.streams, issued.stream).device : 0;
      this.#add(`${required(this.#scope.tensors, index)} = ${tensorsExpression(this.#scope, copy, device)}`);
    });
  }

  #tables(): void {
    const looped = this.#subject.instructions.filter((one) => isBlockCopy(one) && oneLine(this.#scope, one) === null);
    for (const [blocks, name] of this.#scope.tables) {
      if (!looped.some((one) => 'blocks' in one && one.blocks === blocks)) continue;
      const { count, from, to, bytes } = tableOf(blocks, this.#scope, (values) => `[${values.join(', ')}][i]`);
      this.#add(`${name} = [(${from}, ${to}, ${bytes}) for i in range(${count})]`);
    }
  }

  #thread(thread: number): void {
    const { device, instructions } = required(this.#subject.program.threads, thread);
    this.#add('\n');
    this.#add(`def ${required(this.#scope.threads, thread)}():`);
    this.#listing.inside(() => {
      const assigned = this.#assignedIn(instructions);
      if (assigned.length > 0) this.#add(`global ${assigned.join(', ')}`);
      if (thread > 0 || this.#scope.device(device) !== '"cuda:0"') {
        this.#add(`torch.cuda.set_device(${this.#scope.device(device)})`);
      }
      let last = -1;
      writeInstructions(this.#scope, this.#listing, thread, (instruction) => {
        const comments = instruction.op === last ? [] : commentsOf(this.#subject, instruction.op);
        last = instruction.op;
        for (const comment of comments) this.#listing.comment(comment, instruction.op);
      });
    });
  }

  /** Returns names that a thread's function assigns again. */
  #assignedIn(instructions: readonly Instruction[]): string[] {
    const names = instructions.flatMap((one): string[] => {
      switch (one.code) {
        case 'allocate':
        case 'free':
          return [this.#scope.name(one.buffer)];
        case 'pin':
          return bufferOf(this.#subject, one.dst).allocated === 'by-operation' ? [this.#scope.name(one.dst)] : [];
        case 'beginCapture':
          return [required(this.#scope.graphs, one.graph)];
        case 'multiCopy':
          return [required(this.#scope.results, one.plan)];
        default:
          return [];
      }
    });
    return [...new Set(names)];
  }

  #iteration(): void {
    const { program } = this.#subject;
    program.buffers.forEach(({ allocated }, index) => {
      if (allocated === 'by-operation') this.#add(`${this.#scope.name(index)} = None`);
    });
    // Made anew in each iteration, because one may end with signals that nobody has waited for.
    program.signals.forEach(({ capacity }, index) => {
      this.#add(`${required(this.#scope.signals, index)} = queue.Queue(maxsize=${capacity})`);
    });
    this.#emptyLibraries();
    const synchronize = (): void => {
      for (const [device] of program.devices.entries())
        this.#add(`torch.cuda.synchronize(${this.#scope.device(device)})`);
    };
    const [first, ...rest] = this.#scope.threads;
    if (rest.length === 0) {
      synchronize();
      this.#add('begin = time.perf_counter()');
      this.#add(`${first}()`);
    } else {
      this.#scope.use('startTogether');
      this.#add(`start = threading.Barrier(${this.#scope.threads.length + 1})`);
      const list = this.#scope.threads.map((name) => `start_together(start, ${name})`).join(', ');
      this.#add(`threads = [${list}]`);
      synchronize();
      this.#add('start.wait()');
      this.#add('begin = time.perf_counter()');
      this.#add('for one in threads:\n    one.join()');
    }
    synchronize();
    this.#add('took = time.perf_counter() - begin');
    this.#add('if iteration >= 0:\n    print(f"{took * 1e3:.3f} ms")');
  }

  /** Drops the plans and work spaces that first uses in the iteration make again. */
  #emptyLibraries(): void {
    const made = [...this.#scope.libraries.values()].filter(({ firstUse }) => firstUse);
    const isProduct = made.some(({ kernel }) => kernel.kind === 'matmul');
    if (isProduct) {
      this.#note('PyTorch gives back the work spaces of cuBLAS, and keeps its handles.');
      this.#add('torch._C._cuda_clearCublasWorkspaces()');
    }
    const devices = made
      .filter(({ kernel }) => kernel.kind === 'fft')
      .map(({ stream }) => required(this.#subject.program.streams, stream).device);
    for (const device of new Set(devices)) {
      const { index } = required(this.#subject.program.devices, device);
      this.#add(`torch.backends.cuda.cufft_plan_cache[${index}].clear()`);
    }
  }
}
