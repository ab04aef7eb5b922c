/**
 * Checks buffers between allocate and free operations, in each host thread in issue order. For a buffer allocated in
 * one thread and used in another, only checks that it is allocated at all; the hazard check covers the order.
 */
import { accesses } from '../accesses.ts';
import { capturedWork } from '../captures.ts';
import type { Allocator, Instruction, ProgramThread } from '../program.ts';
import type { Report, UncheckedProgram } from './report.ts';

/** Limit of visited instructions; a loop counts once for each state in which it may begin. Engines check the rest. */
const stepBudget = 2_000_000;

type State = 'missing' | 'there' | 'freed';

export function checkLifetimes(program: UncheckedProgram, report: Report): void {
  const check = new LifetimeCheck(program, report);
  check.declarations();
  for (const thread of program.threads) check.thread(thread);
}

class LifetimeCheck {
  readonly #program: UncheckedProgram;
  readonly #report: Report;
  /** Buffers allocated by operations that each graph uses. */
  readonly #graphs: ReadonlyMap<number, ReadonlySet<number>>;
  /** Only thread that uses a buffer; null if several do. */
  readonly #owners = new Map<number, ProgramThread | null>();
  /** Allocator of each buffer that is allocated. */
  readonly #allocators = new Map<number, Allocator>();
  /** Most programs allocate no buffer by an operation. */
  readonly #hasDynamic: boolean;
  #states = new Map<number, State>();
  #steps = stepBudget;

  constructor(program: UncheckedProgram, report: Report) {
    this.#program = program;
    this.#report = report;
    this.#hasDynamic = program.buffers.some(({ allocated }) => allocated === 'by-operation');
    const work = this.#hasDynamic ? [...capturedWork(program.threads)] : [];
    this.#graphs = new Map(work.map(([graph, list]) => [graph, new Set(list.flatMap((one) => this.#used(one)))]));
  }

  declarations(): void {
    for (const thread of this.#program.threads) {
      for (const instruction of thread.instructions) {
        this.#declare(instruction);
        if (!this.#hasDynamic) continue;
        for (const buffer of this.#touched(instruction)) {
          const owner = this.#owners.get(buffer);
          this.#owners.set(buffer, owner === undefined || owner === thread ? thread : null);
        }
      }
    }
  }

  thread(thread: ProgramThread): void {
    if (!this.#hasDynamic) return;
    this.#states = new Map();
    this.#block(thread, 0, thread.instructions.length);
  }

  #declare(instruction: Instruction): void {
    if (instruction.code === 'pin') {
      if (this.#isDynamic(instruction.dst)) this.#allocator(instruction.dst, 'caching', instruction.op);
      return;
    }
    if (instruction.code !== 'allocate' && instruction.code !== 'free') return;
    const { buffer, op, code } = instruction;
    if (code === 'allocate') this.#allocator(buffer, instruction.allocator, op);
    if (this.#isDynamic(buffer)) return;
    const message = `"${this.#name(buffer)}" exists before the run, so no operation can ${code} it.`;
    this.#report(op, message, 'Declare the buffer with "allocated": "by-operation", or delete this operation.');
  }

  #allocator(buffer: number, allocator: Allocator, op: number): void {
    const other = this.#allocators.get(buffer) ?? allocator;
    this.#allocators.set(buffer, other);
    if (other === allocator) return;
    const message = `"${this.#name(buffer)}" is allocated by ${other} elsewhere, and by ${allocator} here.`;
    this.#report(op, message, 'Use one allocator for a buffer, or two buffers.');
  }

  #block(thread: ProgramThread, from: number, to: number): void {
    for (let index = from; index < to && this.#steps > 0; index += 1) {
      const instruction = thread.instructions[index];
      if (instruction === undefined) return;
      this.#steps -= 1;
      if (instruction.code !== 'repeat') {
        this.#step(thread, instruction);
        continue;
      }
      // A second round begins in the state in which the first one ended, and so does every later one.
      const before = new Map(this.#states);
      this.#block(thread, index + 1, instruction.end);
      if (instruction.count > 1 && !sameStates(before, this.#states)) this.#block(thread, index + 1, instruction.end);
      index = instruction.end;
    }
  }

  #step(thread: ProgramThread, instruction: Instruction): void {
    for (const buffer of this.#touched(instruction)) {
      if (this.#owners.get(buffer) === thread) this.#touch(instruction, buffer);
      else this.#neverAllocated(instruction, buffer);
    }
  }

  #touch(instruction: Instruction, buffer: number): void {
    const state = this.#states.get(buffer) ?? 'missing';
    const name = this.#name(buffer);
    const { op } = instruction;
    const begins = instruction.code === 'allocate' || (instruction.code === 'pin' && instruction.dst === buffer);
    if (begins) {
      const remedy =
        instruction.code === 'pin'
          ? 'A pin allocates its target itself: remove the other allocation, or free it before.'
          : 'Free it before, or use another buffer.';
      if (state === 'there') this.#report(op, `"${name}" is allocated already.`, remedy);
      this.#states.set(buffer, 'there');
      return;
    }
    if (state === 'missing') {
      const message = `"${name}" is ${instruction.code === 'free' ? 'freed' : 'used'} before it is allocated.`;
      this.#report(op, message, 'Allocate it first, or declare it with "allocated": "before-run".');
    } else if (state === 'freed') {
      const message =
        instruction.code === 'free' ? `"${name}" is freed twice.` : `"${name}" is used after it is freed.`;
      const remedy = instruction.code === 'free' ? 'Delete one of both.' : 'Free it later, or allocate it again.';
      this.#report(op, message, remedy);
    }
    if (instruction.code === 'free') this.#states.set(buffer, 'freed');
  }

  #neverAllocated({ op }: Instruction, buffer: number): void {
    if (this.#allocators.has(buffer)) return;
    this.#report(
      op,
      `nothing allocates "${this.#name(buffer)}".`,
      'Allocate it, or declare it with "allocated": "before-run".',
    );
  }

  /** Returns the buffers allocated by operations that an instruction uses. */
  #touched(instruction: Instruction): ReadonlySet<number> {
    if (instruction.code === 'launchGraph') return this.#graphs.get(instruction.graph) ?? nothing;
    return new Set(this.#used(instruction));
  }

  #used(instruction: Instruction): number[] {
    const used = accesses(instruction).map(({ buffer }) => buffer);
    if (instruction.code === 'kernel') used.push(...instruction.reads, ...instruction.writes);
    if (instruction.code === 'recordStream') used.push(instruction.buffer);
    return used.filter((buffer) => this.#isDynamic(buffer));
  }

  #isDynamic(buffer: number): boolean {
    return this.#program.buffers[buffer]?.allocated === 'by-operation';
  }

  #name(buffer: number): string {
    return this.#program.buffers[buffer]?.id ?? '';
  }
}

const nothing: ReadonlySet<number> = new Set();

const sameStates = (a: ReadonlyMap<number, State>, b: ReadonlyMap<number, State>): boolean =>
  a.size === b.size && [...a].every(([buffer, state]) => b.get(buffer) === state);
