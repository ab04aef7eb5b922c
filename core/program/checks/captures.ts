/**
 * Checks graph captures: allowed operations, streams that join them, and that graphs are captured before they are
 * launched. Source: CUDA C++ Programming Guide, CUDA graphs, creating a graph using stream capture.
 */
import { isCapturable } from '../captures.ts';
import type { Instruction, InstructionCode, InstructionOf, ProgramThread } from '../program.ts';
import type { Report, UncheckedProgram } from './report.ts';

/** Host instructions that a capture allows: they run at once, and touch neither streams nor CUDA's memory. */
const allowed: ReadonlySet<InstructionCode> = new Set([
  'work',
  'write',
  'read',
  'signal',
  'waitSignal',
  'repeat',
  'endRepeat',
  'beginRange',
  'endRange',
] satisfies InstructionCode[]);

export function checkCaptures(program: UncheckedProgram, report: Report): void {
  // A graph exists once something names it. Without graphs there are no captures and launches.
  if (program.graphs.length === 0) return;
  const check = new CaptureCheck(program, report);
  for (const thread of program.threads) check.thread(thread);
}

class CaptureCheck {
  readonly #program: UncheckedProgram;
  readonly #report: Report;
  /** Threads that capture each graph. */
  readonly #capturers: ReadonlyMap<number, ReadonlySet<ProgramThread>>;
  /** Events recorded in captures: they have no meaning outside. */
  readonly #capturedEvents: ReadonlySet<number>;

  constructor(program: UncheckedProgram, report: Report) {
    this.#program = program;
    this.#report = report;
    this.#capturers = capturers(program.threads);
    this.#capturedEvents = capturedEvents(program.threads);
  }

  thread(thread: ProgramThread): void {
    const captured = new Set<number>();
    let open: OpenCapture | null = null;
    let nested = 0;
    for (const instruction of thread.instructions) {
      if (instruction.code === 'beginCapture') {
        if (open === null) open = this.#begin(instruction);
        else {
          nested += 1;
          this.#refuse(instruction, 'begins a capture inside another one', 'Capture them one after the other.');
        }
      } else if (instruction.code === 'endCapture') {
        if (nested > 0) nested -= 1;
        else {
          this.#end(instruction, open);
          captured.add(instruction.graph);
          open = null;
        }
      } else if (open === null) this.#outside(instruction, thread, captured);
      else this.#inside(instruction, open);
    }
  }

  #begin(instruction: InstructionOf<'beginCapture'>): OpenCapture {
    if (this.#program.streams[instruction.stream]?.kind === 'legacy-default') {
      const remedy = 'Capture a declared stream, or the per-thread default stream.';
      this.#refuse(instruction, 'captures the legacy default stream, which CUDA refuses', remedy);
    }
    return new OpenCapture(instruction.stream);
  }

  #end({ op }: InstructionOf<'endCapture'>, open: OpenCapture | null): void {
    for (const stream of open?.unjoined() ?? []) {
      const name = this.#stream(stream);
      const message = `stream "${name}" was taken into the capture and isn't joined when it ends.`;
      this.#report(op, message, `Record an event in "${name}" last, and have the captured stream wait for it.`);
    }
  }

  #outside(instruction: Instruction, thread: ProgramThread, captured: ReadonlySet<number>): void {
    if (instruction.code === 'launchGraph') this.#launch(instruction, thread, captured);
    for (const event of eventsUsed(instruction)) {
      if (!this.#capturedEvents.has(event)) continue;
      const name = this.#program.events[event]?.id ?? '';
      const remedy = 'Use another event outside: one that is recorded in a capture has no meaning outside.';
      this.#refuse(instruction, `uses event "${name}", which a graph capture records`, remedy);
    }
  }

  #launch(instruction: InstructionOf<'launchGraph'>, thread: ProgramThread, captured: ReadonlySet<number>): void {
    const name = this.#program.graphs[instruction.graph]?.id ?? '';
    const by = this.#capturers.get(instruction.graph);
    if (by === undefined) {
      this.#refuse(instruction, `launches graph "${name}", which nothing captures`, 'Capture it first.');
    } else if (by.size === 1 && by.has(thread) && !captured.has(instruction.graph)) {
      this.#refuse(instruction, `launches graph "${name}" before it is captured`, 'Capture it first.');
    }
  }

  #inside(instruction: Instruction, open: OpenCapture): void {
    if (!isCapturable(instruction) || !('stream' in instruction)) {
      if (!allowed.has(instruction.code)) this.#forbidden(instruction);
      return;
    }
    if (instruction.code === 'copy' && instruction.blocking) {
      this.#refuse(instruction, 'copies with cudaMemcpy, which waits, inside a capture', 'Use mode "async".');
      return;
    }
    if (instruction.code === 'waitEvent' && !open.recorded(instruction.event)) {
      const name = this.#program.events[instruction.event]?.id ?? '';
      const remedy = 'Record the event earlier in the same capture, or wait for it before the capture.';
      this.#refuse(instruction, `waits inside a capture for event "${name}", which it didn't record`, remedy);
      return;
    }
    if (open.take(instruction)) return;
    const name = this.#stream(instruction.stream);
    const remedy = `Have "${name}" wait for an event recorded in the captured stream, or use that stream.`;
    this.#refuse(instruction, `uses stream "${name}", which the capture doesn't take in`, remedy);
  }

  #forbidden(instruction: Instruction): void {
    const why = instruction.code === 'synchronizeStream' ? 'waits for a stream' : "can't be captured";
    const remedy = 'Move it out of the capture: only asynchronous work of streams becomes part of a graph.';
    this.#refuse(instruction, `${why}`, remedy);
  }

  #refuse({ op }: Instruction, what: string, remedy: string): void {
    const info = this.#program.operations[op];
    this.#report(op, `operation ${info?.kind ?? ''} ${what}.`, remedy);
  }

  #stream(stream: number): string {
    return this.#program.streams[stream]?.id ?? '';
  }
}

/** Number of operations of each stream that another stream has waited for. */
type Progress = ReadonlyMap<number, number>;

/** Streams that have joined a capture, and what each knows of the others through events. */
class OpenCapture {
  readonly #origin: number;
  readonly #known = new Map<number, Map<number, number>>();
  readonly #events = new Map<number, Progress>();

  constructor(origin: number) {
    this.#origin = origin;
    this.#known.set(origin, new Map([[origin, 0]]));
  }

  recorded(event: number): boolean {
    return this.#events.has(event);
  }

  /** Adds an operation to the capture. Returns false if its stream isn't part of it. */
  take(instruction: Instruction & { readonly stream: number }): boolean {
    const { stream } = instruction;
    if (instruction.code === 'waitEvent') {
      const known = this.#known.get(stream) ?? new Map<number, number>([[stream, 0]]);
      for (const [other, count] of this.#events.get(instruction.event) ?? []) {
        known.set(other, Math.max(known.get(other) ?? 0, count));
      }
      this.#known.set(stream, known);
      return true;
    }
    const known = this.#known.get(stream);
    if (known === undefined) return false;
    if (instruction.code === 'recordEvent') this.#events.set(instruction.event, new Map(known));
    else known.set(stream, (known.get(stream) ?? 0) + 1);
    return true;
  }

  /** Returns streams with work that the captured stream hasn't waited for. */
  unjoined(): number[] {
    const origin = this.#known.get(this.#origin);
    return [...this.#known].flatMap(([stream, known]) =>
      stream === this.#origin || origin?.get(stream) === known.get(stream) ? [] : [stream],
    );
  }
}

function capturers(threads: readonly ProgramThread[]): ReadonlyMap<number, ReadonlySet<ProgramThread>> {
  const found = new Map<number, Set<ProgramThread>>();
  for (const thread of threads) {
    for (const instruction of thread.instructions) {
      if (instruction.code !== 'endCapture') continue;
      found.set(instruction.graph, (found.get(instruction.graph) ?? new Set()).add(thread));
    }
  }
  return found;
}

function capturedEvents(threads: readonly ProgramThread[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (const { instructions } of threads) {
    let depth = 0;
    for (const instruction of instructions) {
      if (instruction.code === 'beginCapture') depth += 1;
      else if (instruction.code === 'endCapture') depth -= 1;
      else if (instruction.code === 'recordEvent' && depth > 0) found.add(instruction.event);
    }
  }
  return found;
}

function eventsUsed(instruction: Instruction): number[] {
  switch (instruction.code) {
    case 'recordEvent':
    case 'waitEvent':
    case 'synchronizeEvent':
    case 'queryEvent':
      return [instruction.event];
    case 'elapsedTime':
      return [instruction.start, instruction.end];
    default:
      return [];
  }
}
