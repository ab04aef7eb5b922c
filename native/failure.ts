/** Converts the addon's errors to CopyscopeErrors. */
import { CopyscopeError, type ErrorInfo, toErrorInfo } from '../core/errors.ts';

/** An error of the addon carries code, remedy, field and op as properties. */
export function fromAddon(thrown: unknown): CopyscopeError {
  if (thrown instanceof CopyscopeError) return thrown;
  const { code, remedy, field, op } = Object(thrown) as Record<string, unknown>;
  const info: ErrorInfo = {
    ...toErrorInfo(thrown, 'engine.failed'),
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof remedy === 'string' ? { remedy } : {}),
    ...(typeof field === 'string' ? { field } : {}),
    ...(typeof op === 'number' ? { op } : {}),
  };
  return new CopyscopeError(info, { cause: thrown });
}
