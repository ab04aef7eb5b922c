/** Stand-ins for either side of a worker: what it is sent, where the window is tested; what it answers, where it is. */
import { vi } from 'vitest';

type Listener = (event: { readonly data: unknown }) => void;

/** In the place of the browser's Worker: keeps what it is sent, and answers when a test says so. */
export class FakeWorker<Request = unknown, Answer = unknown> {
  readonly sent: Request[] = [];
  isEnded = false;
  onmessage: Listener | null = null;
  onerror: (() => void) | null = null;
  readonly #listeners = new Map<string, Listener>();

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, listener);
  }

  /** As a message crosses. */
  postMessage(message: Request): void {
    this.sent.push(structuredClone(message));
  }

  terminate(): void {
    this.isEnded = true;
  }

  answer(data: Answer): void {
    const event = { data: structuredClone(data) };
    this.onmessage?.(event);
    this.#listeners.get('message')?.(event);
  }

  fail(): void {
    this.onerror?.();
    this.#listeners.get('error')?.({ data: null });
  }
}

/** Every worker that the window starts from now on, the last one last. */
export function fakeWorkers<Request, Answer>(): FakeWorker<Request, Answer>[] {
  const made: FakeWorker<Request, Answer>[] = [];
  vi.stubGlobal(
    'Worker',
    class extends FakeWorker<Request, Answer> {
      constructor() {
        super();
        made.push(this);
      }
    },
  );
  return made;
}

/** The one that runs now. */
export function lastOf<Request, Answer>(workers: readonly FakeWorker<Request, Answer>[]): FakeWorker<Request, Answer> {
  const last = workers.at(-1);
  if (last === undefined) throw new Error('no worker was started');
  return last;
}

/** Runs a worker's module in this thread. What is returned sends it a request, and gives its answer. */
export async function workerOf<Request, Answer>(load: () => Promise<unknown>): Promise<(request: Request) => Answer> {
  let listener: Listener | null = null;
  const answers: Answer[] = [];
  vi.stubGlobal('self', {
    addEventListener: (_: string, own: Listener) => {
      listener = own;
    },
    postMessage: (answer: Answer) => answers.push(structuredClone(answer)),
  });
  await load();
  return (request) => {
    listener?.({ data: structuredClone(request) });
    const [answer, ...more] = answers.splice(0);
    if (answer === undefined || more.length > 0) throw new Error('a request has one answer');
    return answer;
  };
}
