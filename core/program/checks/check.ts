/** What a document can't say wrongly, but a program can: each rule that CUDA would only enforce once it runs. */
import type { ErrorInfo } from '../../errors.ts';
import { experimentError } from '../../experiment/parse.ts';
import { fieldPath } from '../../shape/path.ts';
import { checkCaptures } from './captures.ts';
import { checkDevices } from './devices.ts';
import { checkLifetimes } from './lifetimes.ts';
import { checkMemory } from './memory.ts';
import type { Report, UncheckedProgram } from './report.ts';

/** Throws a CopyscopeError `experiment.invalid` with every problem found. */
export function requireSound(program: UncheckedProgram): void {
  const problems = programProblems(program);
  if (problems.length > 0) throw experimentError(problems);
}

export function programProblems(program: UncheckedProgram): ErrorInfo[] {
  const problems: ErrorInfo[] = [];
  const seen = new Set<string>();
  const report: Report = (where, message, remedy) => {
    const path = typeof where === 'number' ? (program.operations[where]?.path ?? []) : where;
    const problem: ErrorInfo = { code: 'experiment.invalid', field: fieldPath(path), message, remedy };
    // A loop's body is looked at twice.
    const key = `${problem.field} ${message}`;
    if (!seen.has(key)) problems.push(problem);
    seen.add(key);
  };
  checkCaptures(program, report);
  checkDevices(program, report);
  checkMemory(program, report);
  // Which work a graph holds is clear only where its captures are sound.
  if (problems.length === 0) checkLifetimes(program, report);
  return problems;
}
