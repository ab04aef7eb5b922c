import { CopyscopeError } from '../../../core/errors.ts';
import { bundleError, type ErrorFields } from './manifest.ts';

/** Makes the error to throw; `problem` begins with the path of a file in the bundle. */
type Refuse = (problem: string, fields: ErrorFields) => CopyscopeError;

const refuseBundle: Refuse = (problem, fields) => bundleError('damaged', problem, fields);

/** Adds the name of the bundle's file to an error. */
export function within<Value>(path: string, read: () => Value, refuse: Refuse = refuseBundle): Value {
  try {
    return read();
  } catch (thrown) {
    if (!(thrown instanceof CopyscopeError)) throw thrown;
    const { field, message } = thrown;
    throw refuse(`${path}: ${message}`, { field: field === undefined ? path : `${path}: ${field}`, cause: thrown });
  }
}
