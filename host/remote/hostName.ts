/** Valid hosts on ssh's command line: a name, user@name or an address, but never an option. */
import { CopyscopeError } from '../../core/errors.ts';

const pattern = /^[\p{L}\p{N}_[][^\s'"\\$`;&|<>(){}!*?]{0,199}$/u;

/** Throws `host.name`. */
export function requireHostName(name: string): string {
  if (pattern.test(name)) return name;
  throw new CopyscopeError({
    code: 'host.name',
    field: 'host',
    message: `${JSON.stringify(name)} is no name that ssh takes for a host.`,
    remedy: 'Use a name of your ssh configuration, or user@address.',
  });
}
