/** Checks a program for errors that a document's schema can't exclude and CUDA would only find at run time. */
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
    // Removes duplicates, since a loop's body is checked twice.
    const key = `${problem.field} ${message}`;
    if (!seen.has(key)) problems.push(problem);
    seen.add(key);
  };
  checkCaptures(program, report);
  checkDevices(program, report);
  checkMemory(program, report);
  // The content of a graph is only defined if its captures are sound.
  if (problems.length === 0) checkLifetimes(program, report);
  return problems;
}
