/** Refuses options without effect, since the user expects one. */
import { CopyscopeError } from '../../core/errors.ts';

/** Throws `usage.invalid` for the first of these options that is given; `goesWith` names what it is for. */
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
