/** Options that would change nothing are refused: whoever gives one expects something of it. */
import { CopyscopeError } from '../../core/errors.ts';

/** Throws `usage.invalid` for the first of them that is given, by its name on the command line; `goesWith`: what it is for. */
export function refuseUnused(options: Readonly<Record<`--${string}`, unknown>>, goesWith: string): void {
  for (const [field, value] of Object.entries(options)) {
    if (value === undefined) continue;
    throw new CopyscopeError({
      code: 'usage.invalid',
      field,
      message: `this goes with ${goesWith}.`,
      remedy: `Leave ${field} out.`,
    });
  }
}
