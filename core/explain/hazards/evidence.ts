/** Adds a run's data check to hazards: did the hazard happen in that run? */

import { accesses } from '../../program/accesses.ts';
import type { Program } from '../../program/program.ts';
import type { Verification } from '../../trace/run.ts';
import type { Hazard, HazardEvidence, HazardReport } from './hazard.ts';

/**
 * Returns the report with the wrong bytes that the run found in each hazard's buffers. Leaves the report unchanged if
 * the run checked no data. Hazards without a buffer (timing, waits) get no evidence.
 */
export function withEvidence(report: HazardReport, program: Program, verification: Verification): HazardReport {
  if (verification.bytesChecked === 0) return report;
  const spoiled = new Spoiled(program);
  return {
    ...report,
    hazards: report.hazards.map((hazard) =>
      hazard.buffer === null ? hazard : { ...hazard, evidence: evidence(spoiled, hazard, verification) },
    ),
  };
}

function evidence(spoiled: Spoiled, hazard: Hazard, { checks }: Verification): HazardEvidence {
  const buffers = spoiled.by(hazard);
  const meant = checks.filter(
    (check) =>
      buffers.has(check.buffer) || (check.kind === 'read' && [hazard.first.op, hazard.second.op].includes(check.op)),
  );
  return {
    bytesChecked: meant.reduce((sum, check) => sum + check.bytesChecked, 0),
    bytesWrong: meant.reduce((sum, check) => sum + check.bytesWrong, 0),
    wrong: meant
      .filter((check) => check.bytesWrong > 0)
      .map(({ buffer, op, bytesWrong }) => ({ buffer, op, bytesWrong })),
  };
}

/** Finds the buffers that wrong bytes can spread to. */
class Spoiled {
  readonly #program: Program;
  readonly #writes = new Map<number, Set<number>>();
  /** For each buffer, the buffers written by operations that read it. */
  readonly #next = new Map<number, Set<number>>();

  constructor(program: Program) {
    this.#program = program;
    for (const instruction of program.threads.flatMap((thread) => thread.instructions)) {
      const touched = accesses(instruction);
      const written = touched.filter(({ writes }) => writes).map(({ buffer }) => buffer);
      for (const buffer of written) add(this.#writes, instruction.op, buffer);
      for (const { buffer, writes } of touched) if (!writes) for (const to of written) add(this.#next, buffer, to);
    }
  }

  /** Returns the buffers that the two operations write, and all buffers derived from them. */
  by({ first, second }: Hazard): Set<string> {
    const reached = new Set([first.op, second.op].flatMap((op) => [...(this.#writes.get(op) ?? [])]));
    for (const buffer of reached) for (const to of this.#next.get(buffer) ?? []) reached.add(to);
    return new Set([...reached].map((buffer) => this.#program.buffers[buffer]?.id ?? ''));
  }
}

function add(table: Map<number, Set<number>>, key: number, value: number): void {
  const known = table.get(key);
  if (known === undefined) table.set(key, new Set([value]));
  else known.add(value);
}
