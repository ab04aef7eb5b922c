/** Calls between the window and its workers over birpc. Errors thrown on one side are CopyscopeErrors on the other. */
import { type BirpcReturn, createBirpc } from 'birpc';
import { CopyscopeError, type ErrorInfo } from '../../core/errors.ts';
import { withError, withErrorInfo } from '../../core/service/errorEnvelope.ts';

type Calls<Functions extends object> = BirpcReturn<Functions, object>;

/** Either side of a worker. */
interface Side {
  postMessage(message: unknown, transfer: Transferable[]): void;
  addEventListener(type: 'message', listener: (event: MessageEvent<unknown>) => void): void;
}

const handedOver = new WeakMap<object, Transferable[]>();

/** Marks memory of an answer that is transferred instead of copied. */
export function handingOver<Answer extends object>(answer: Answer, memory: Transferable[]): Answer {
  handedOver.set(answer, memory);
  return answer;
}

const connected = <Functions extends object>(side: Side, own: object): Calls<Functions> =>
  createBirpc<Functions, object>(own, {
    post: (message: { readonly r?: unknown }) => side.postMessage(message, handedOver.get(message.r as object) ?? []),
    on: (receive) => side.addEventListener('message', ({ data }) => receive(data)),
    serialize: withErrorInfo,
    deserialize: withError,
    bind: 'functions',
    // A simulation may take minutes, and the caller can cancel it.
    timeout: -1,
  });

/** Answers the window's calls in a worker. The returned functions send events to the window. */
export const serveCalls = <Events extends object>(functions: object): Calls<Events> =>
  connected<Events>(self as unknown as Side, functions);

/** A worker that starts at the first call, and again after it has ended. */
export class CalledWorker<Functions extends object> {
  readonly #start: () => Worker;
  readonly #ended: (why: string) => ErrorInfo;
  readonly #events: object;
  #running: { readonly worker: Worker; readonly calls: Calls<Functions> } | null = null;

  /** `ended` returns the error for pending calls if the worker fails. `events` handle other messages of the worker. */
  constructor(start: () => Worker, ended: (why: string) => ErrorInfo, events: object = {}) {
    [this.#start, this.#ended, this.#events] = [start, ended, events];
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** Calls of the running worker; starts one if none runs. */
  get calls(): Calls<Functions> {
    this.#running ??= this.#started();
    return this.#running.calls;
  }

  /** Ends the worker. Pending calls reject with the error. */
  end(error: ErrorInfo): void {
    const running = this.#running;
    this.#running = null;
    running?.worker.terminate();
    running?.calls.$close(new CopyscopeError(error));
  }

  #started() {
    const worker = this.#start();
    worker.addEventListener('error', ({ message }) => {
      if (this.#running?.worker === worker) this.end(this.#ended(message || 'it gave no reason'));
    });
    return { worker, calls: connected<Functions>(worker, this.#events) };
  }
}
