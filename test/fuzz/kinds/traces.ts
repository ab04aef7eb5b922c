/** Traces of other programs: PyTorch's, plain and gzipped, Nsight Systems' databases, and our recordings. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { summarizeRun } from '../../../core/explain/summary/summary.ts';
import type { ByteStream } from '../../../core/import/importedRun.ts';
import { readPyTorchTrace } from '../../../core/import/kineto/pytorchTrace.ts';
import { readRecording } from '../../../core/import/recorded/recording.ts';
import { traceAnswers } from '../../../core/lift/answers.ts';
import { experimentOf } from '../../../core/lift/experimentOf.ts';
import { liftTrace } from '../../../core/lift/fromTrace.ts';
import { profileCosts } from '../../../core/machine/cost/profileCosts.ts';
import { parseProfile } from '../../../core/machine/profile/profile.ts';
import { decodeRun, encodeRun } from '../../../core/trace/arrow.ts';
import type { Run } from '../../../core/trace/run.ts';
import { readNsightFile } from '../../../host/library/imports/nsightFile.ts';
import { unpacked } from '../../../host/library/imports/unpacked.ts';
import { damagedDatabase } from '../../unit/import/damagedDatabase.ts';
import { steps } from '../../unit/import/recorded/recordingBytes.ts';
import { pageBytes, smallExport } from '../../unit/import/smallExport.ts';
import type { Random } from '../../unit/support/random.ts';
import { requireNotWhole, taken } from '../judge.ts';
import type { Kind } from '../kind.ts';
import { mutatedBytes, mutatedGzip } from '../mutateBytes.ts';
import { mutatedJson } from '../mutateText.ts';
import { asset, smallTrace } from '../seeds.ts';

const costs = profileCosts(parseProfile(JSON.parse(asset('profiles/h200.json'))));
const options = { name: 'fuzz', version: '0', modifiedAt: new Date(0) };

interface Use {
  /** True if the input is the beginning of a valid file. */
  readonly isCut: boolean;
  /** True if steps and plan are computed too, which takes longer. */
  readonly isAsked: boolean;
}

/** Keeps and explains an accepted run, and lifts it unless that is refused. */
async function use(read: () => Promise<Run> | Run, { isCut, isAsked }: Use): Promise<boolean> {
  const run = await taken(read);
  if (run === null) return false;
  if (isCut) requireNotWhole(run);
  decodeRun(encodeRun(run));
  summarizeRun(run);
  if (isAsked) {
    await taken(() => traceAnswers(run, costs));
    await taken(() => {
      const { experiment } = experimentOf(liftTrace(run.trace, 'fuzz').script, '');
      requireExperiment(JSON.stringify(experiment));
    });
  }
  return true;
}

async function* parts(bytes: Uint8Array, size: number): ByteStream {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

const trace = smallTrace('pytorch-unseen-h200/spectra.prefetch.json.gz', 150);
const text = Buffer.from(JSON.stringify(trace));
const packed = gzipSync(text);

/** Cuts off the last relevant byte and a random part before it. */
const cut = (whole: Uint8Array, random: Random): Uint8Array => whole.slice(0, random.below(whole.length - 1));

function streamed(input: Uint8Array, random: Random, isCut: boolean) {
  const size = random.pick([1, 7, 64, 4096, 1 << 16]);
  const isAsked = random.chance(0.1);
  const bytes = size < 64 && input.length > 20_000 ? 1 << 16 : size;
  return {
    input,
    run: () => use(() => readPyTorchTrace(unpacked(parts(input, bytes)), options), { isCut, isAsked }),
  };
}

const pytorch: Kind = {
  make: (random) => {
    const isCut = random.chance(0.1);
    return streamed(isCut ? cut(text, random) : bytesOfText(mutatedJson(trace, random), random), random, isCut);
  },
};

/** Returns the text's bytes, sometimes not UTF-8. */
function bytesOfText(json: string, random: Random): Uint8Array {
  const bytes = Buffer.from(json);
  return random.chance(0.1) ? mutatedBytes(bytes, random) : bytes;
}

const gzipped: Kind = {
  make: (random) => {
    const isCut = random.chance(0.1);
    return streamed(isCut ? cut(packed, random) : mutatedGzip(packed, random), random, isCut);
  },
};

const recording = (): Kind => {
  const whole = steps(6).bytes();
  return {
    make: (random) => {
      const isCut = random.chance(0.1);
      const input = isCut ? cut(whole, random) : mutatedBytes(whole, random);
      const isAsked = random.chance(0.2);
      return { input, run: () => use(() => readRecording([input], options), { isCut, isAsked }) };
    },
  };
};

function nsight(): Kind {
  const folder = mkdtempSync(join(tmpdir(), 'copyscope-fuzz-nsight-'));
  const whole = smallExport(folder);
  const path = join(folder, 'input.sqlite');
  return {
    make: (random) => {
      const isCut = random.chance(0.1);
      const input = isCut
        ? cut(whole, random)
        : random.chance(0.5)
          ? damagedDatabase(whole, pageBytes, random)
          : mutatedBytes(whole, random);
      const isAsked = random.chance(0.1);
      return {
        input,
        run: () => {
          writeFileSync(path, input);
          return use(() => readNsightFile(path, options), { isCut, isAsked });
        },
      };
    },
    close: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

export const traceKinds = (): Readonly<Record<string, Kind>> => ({
  pytorch,
  'pytorch gzipped': gzipped,
  recording: recording(),
  nsight: nsight(),
});
