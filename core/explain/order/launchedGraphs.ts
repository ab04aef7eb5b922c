/** Finds what launches of graphs run, and in which streams, as instructions arrive thread by thread. */
import { capturedWork, isCapturable } from '../../program/captures.ts';
import type { Instruction, InstructionOf, Program } from '../../program/program.ts';

interface Graph {
  readonly origin: number;
  readonly work: Instruction[];
}

/** One launch. `graph` is the identity of what was captured at one time. */
export interface Launch {
  readonly graph: object;
  readonly op: number;
  readonly stream: number;
}

interface Node {
  readonly instruction: Instruction;
  readonly stream: number;
  readonly launch: Launch;
}

export class LaunchedGraphs {
  readonly #program: Program;
  /** Latest capture of each graph. */
  readonly #graphs = new Map<number, Graph>();
  /** Branches by graph, captured stream and launch stream, numbered after the program's streams. */
  readonly #branches = new Map<string, number>();
  #capturing: Graph | null = null;

  constructor(program: Program) {
    this.#program = program;
  }

  /** Adds the instruction to a graph if its thread is capturing. Returns whether it did. */
  takes(instruction: Instruction): boolean {
    if (instruction.code === 'beginCapture') {
      this.#capturing = { origin: instruction.stream, work: [] };
      this.#graphs.set(instruction.graph, this.#capturing);
    } else if (instruction.code === 'endCapture') this.#capturing = null;
    if (this.#capturing === null || !isCapturable(instruction)) return false;
    this.#capturing.work.push(instruction);
    return true;
  }

  launched({ graph, op, stream }: InstructionOf<'launchGraph'>): Node[] {
    const captured = this.#graphs.get(graph) ?? this.#elsewhere(graph);
    const launch = { graph: captured, op, stream };
    return captured.work.map((instruction) => {
      const own = 'stream' in instruction ? instruction.stream : captured.origin;
      return { instruction, stream: own === captured.origin ? stream : this.#branch(graph, own, stream), launch };
    });
  }

  /** Returns a graph that a later thread captures. */
  #elsewhere(graph: number): Graph {
    const { threads } = this.#program;
    const begun = threads
      .flatMap(({ instructions }) => instructions)
      .find((one) => one.code === 'beginCapture' && one.graph === graph);
    const origin = begun?.code === 'beginCapture' ? begun.stream : -1;
    const found = { origin, work: [...(capturedWork(threads).get(graph) ?? [])] };
    this.#graphs.set(graph, found);
    return found;
  }

  #branch(graph: number, captured: number, launchedIn: number): number {
    const key = `${graph} ${captured} ${launchedIn}`;
    const known = this.#branches.get(key) ?? this.#program.streams.length + this.#branches.size;
    this.#branches.set(key, known);
    return known;
  }
}
