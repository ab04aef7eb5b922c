/** What the launches of graphs run, and in which streams, as a program's instructions come by thread by thread. */
import { capturedWork, isCapturable } from '../../program/captures.ts';
import type { Instruction, InstructionOf, Program } from '../../program/program.ts';

interface Graph {
  readonly origin: number;
  readonly work: Instruction[];
}

interface Node {
  readonly instruction: Instruction;
  readonly stream: number;
}

export class LaunchedGraphs {
  readonly #program: Program;
  /** As captured last. */
  readonly #graphs = new Map<number, Graph>();
  /** Branches by graph and captured stream, numbered behind the program's streams. */
  readonly #branches = new Map<string, number>();
  #capturing: Graph | null = null;

  constructor(program: Program) {
    this.#program = program;
  }

  /** Whether the instruction becomes part of a graph instead of running. */
  takes(instruction: Instruction): boolean {
    if (instruction.code === 'beginCapture') {
      this.#capturing = { origin: instruction.stream, work: [] };
      this.#graphs.set(instruction.graph, this.#capturing);
    } else if (instruction.code === 'endCapture') this.#capturing = null;
    if (this.#capturing === null || !isCapturable(instruction)) return false;
    this.#capturing.work.push(instruction);
    return true;
  }

  launched({ graph, stream }: InstructionOf<'launchGraph'>): Node[] {
    const { origin, work } = this.#graphs.get(graph) ?? this.#elsewhere(graph);
    return work.map((instruction) => {
      const captured = 'stream' in instruction ? instruction.stream : origin;
      return { instruction, stream: captured === origin ? stream : this.#branch(graph, captured) };
    });
  }

  /** A graph that a later thread captures. */
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

  #branch(graph: number, captured: number): number {
    const key = `${graph} ${captured}`;
    const known = this.#branches.get(key) ?? this.#program.streams.length + this.#branches.size;
    this.#branches.set(key, known);
    return known;
  }
}
