/** Calls of a compromised window: any method, any arguments, any message, over the channel itself. */
import { CopyscopeError, type ErrorInfo } from '../../../core/errors.ts';
import { decodeMessage, encodeMessage } from '../../../core/service/codec.ts';
import { hostFunctions } from '../../../core/service/requests.ts';
import { type Channel, serveWindow } from '../../../core/service/rpc.ts';
import { settledBy } from '../../support/settledPrediction.ts';
import { heavyFrame } from '../../unit/support/heavyFrame.ts';
import type { Random } from '../../unit/support/random.ts';
import { readers } from '../../unit/support/readers.ts';
import { type HostInFolder, hostInFolder } from '../hostInFolder.ts';
import { requireRefusal, taken, Wrong } from '../judge.ts';
import type { Kind } from '../kind.ts';
import { mutatedBytes } from '../mutateBytes.ts';
import { mutatedValue } from '../mutateText.ts';
import { exampleDocuments } from '../seeds.ts';

const ticket = '6f1c1f0e-6a5b-4f3c-8a9e-0d1c2b3a4f5e';
const items = { experiments: ['mine'], runs: ['imported/a'], sweeps: ['s'] };
const [experiment] = exampleDocuments;
const notes = readers['notes']?.document;
const sweep = readers['sweep']?.document;

/** Valid arguments by function; functions without arguments are left out. */
const rightArguments: Readonly<Record<string, readonly unknown[]>> = {
  devices: [false],
  readProfile: ['h200'],
  readExample: ['overlap/pinned-side-stream'],
  readLesson: ['first-overlap'],
  readExperiment: ['mine'],
  saveExperiment: ['mine', experiment],
  readDraft: ['mine'],
  keepDraft: ['mine', { changedAt: '2026-11-20T09:00:00.000Z', experiment }],
  startRun: [{ experiment, engine: 'sim', profile: 'h200', iterations: 3 }],
  cancelRun: ['imported/a'],
  startRecording: [
    {
      command: ['/nonexistent/program'],
      folder: '/',
      environment: { A: '1' },
      light: false,
      lines: true,
      steps: { from: 1, to: 2 },
    },
  ],
  stopRecording: [ticket, true],
  runFile: ['recorded/overlap/pinned-side-stream'],
  readRun: ['recorded/overlap/pinned-side-stream'],
  readSweep: ['s'],
  startSweep: [{ sweep, engine: 'sim', profile: 'h200', iterations: 1 }],
  continueSweep: ['s', true],
  cancelSweep: ['s'],
  renameRun: ['imported/a', 'b'],
  renameSweep: ['s', 'b'],
  deleteItems: [items, true],
  restoreItems: [ticket],
  beginImport: [{ name: 'a.arrow', modifiedAt: '2026-11-20T09:00:00.000Z' }],
  importPart: [ticket, new Uint8Array(8)],
  endImport: [ticket],
  cancelImport: [ticket],
  connectRemote: ['gpu-box'],
  answerRemote: ['gpu-box', true],
  endRemote: ['gpu-box', 'forget'],
  joinRanks: [['a', 'b']],
  settled: ['h200'],
  keepSettled: [settledBy(1)],
  packBundle: [items],
  readNotes: ['imported/a'],
  saveNotes: ['imported/a', { notes, base: notes, by: ticket }],
};

const methods = [...hostFunctions, '__proto__', 'constructor', 'toString', '$call', 'then', ''];
const beginners = new Set(['startSweep', 'continueSweep']);

interface Message {
  readonly t: unknown;
  readonly m: unknown;
  readonly a: unknown;
  readonly i: unknown;
}

function wrongCall(random: Random): Message {
  const method = random.pick(methods);
  const args = Object.hasOwn(rightArguments, method) ? (rightArguments[method] ?? []) : [];
  const message = { t: 'q', m: method, a: random.chance(0.9) ? mutatedValue(args, random) : args, i: 'call' };
  return random.chance(0.05) ? (mutatedValue(message, random) as Message) : message;
}

/** A channel that delivers one message and returns the answer. */
class Direct implements Channel {
  #handler: (message: unknown) => void = () => {};
  #answered: (message: unknown) => void = () => {};

  post(message: unknown): void {
    if (typeof message === 'object' && message !== null && 't' in message && message.t === 's') this.#answered(message);
  }

  listen(handler: (message: unknown) => void): void {
    this.#handler = handler;
  }

  /** Returns null if the message is no call with an answer. */
  async ask(message: Message): Promise<{ readonly e?: unknown } | null> {
    const isCall = message?.t === 'q' && typeof message.m === 'string' && Array.isArray(message.a);
    const gets = isCall && typeof message.i === 'string' && message.i !== '' && message.i.length <= 64;
    const answer = new Promise<{ readonly e?: unknown }>((resolve) => {
      this.#answered = resolve as (message: unknown) => void;
    });
    this.#handler(message);
    return gets ? answer : null;
  }
}

function calls(): Kind {
  let place: HostInFolder | null = null;
  let channel: Direct | null = null;
  const ask = async (message: Message): Promise<boolean> => {
    place ??= hostInFolder();
    if (channel === null) {
      channel = new Direct();
      serveWindow(channel, place.host.service);
    }
    const { service } = place.host;
    const before = place.content();
    const answer = await channel.ask(message);
    // A call can start work that continues after its answer.
    while (beginners.has(String(message?.m)) && (await service.sweeps()).some(({ status }) => status === 'running')) {
      await new Promise(setImmediate);
    }
    const refusal = answer?.e as ErrorInfo | undefined;
    if (refusal !== undefined) {
      requireRefusal(new CopyscopeError(refusal));
      place.requireSame(before);
    }
    if (({} as Record<string, unknown>)['polluted'] !== undefined) throw new Wrong('a prototype was changed');
    return answer !== null && refusal === undefined;
  };
  return {
    make: (random) => {
      const message = wrongCall(random);
      return { input: JSON.stringify(message) ?? '', run: () => ask(message) };
    },
    close: () => place?.close(),
  };
}

const frame = encodeMessage({ t: 'q', m: 'startRun', a: rightArguments['startRun'], i: 'call' });

/** Frames decoded from `inputOf`. */
const framesOf = (inputOf: (random: Random) => Uint8Array): Kind => ({
  make: (random) => {
    const input = inputOf(random);
    return { input, run: async () => (await taken(() => [decodeMessage(input)])) !== null };
  },
});

export const callKinds = (): Readonly<Record<string, Kind>> => ({
  call: calls(),
  frame: framesOf((random) => mutatedBytes(frame, random)),
  'heavy frame': framesOf((random) => heavyFrame(random, 7)),
});
