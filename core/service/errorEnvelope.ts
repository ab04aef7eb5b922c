/** Sends errors over a birpc channel as a plain ErrorInfo, and receives them as a CopyscopeError. */
import { CopyscopeError, type ErrorInfo, toErrorInfo } from '../errors.ts';

/** birpc's reply; `e` is what the called function threw. */
interface Reply {
  readonly t: 's';
  readonly e?: unknown;
}

/** For birpc's `serialize`. */
export function withErrorInfo(message: Reply): unknown {
  return message.t === 's' && message.e !== undefined ? { ...message, e: toErrorInfo(message.e) } : message;
}

/** For birpc's `deserialize`. */
export function withError(message: Reply): unknown {
  if (message.t !== 's' || message.e === undefined) return message;
  return { ...message, e: new CopyscopeError(receivedError(message.e)) };
}

function receivedError(received: unknown): ErrorInfo {
  const fields = typeof received === 'object' && received !== null ? (received as Partial<ErrorInfo>) : {};
  const isInfo = typeof fields.code === 'string' && typeof fields.message === 'string';
  return isInfo ? (received as ErrorInfo) : toErrorInfo(received);
}
