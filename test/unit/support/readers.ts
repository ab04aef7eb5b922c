/** Every kind of document: a valid one, and its reader. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseGateRules } from '../../../core/apps/gate/parse.ts';
import { requireFigure } from '../../../core/apps/lessons/figure.ts';
import { requireLesson } from '../../../core/apps/lessons/parse.ts';
import { requireResults } from '../../../core/apps/lessons/results.ts';
import { requireSweep } from '../../../core/apps/sweep/parse.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { parseProfile } from '../../../core/machine/profile/profile.ts';
import { requireArguments } from '../../../core/service/requests.ts';
import { decodeMetadata, encodeMetadata, metadataKeys } from '../../../core/trace/arrow/metadata.ts';
import { parseRunNotes } from '../../../core/trace/notes.ts';
import { parseManifest } from '../../../host/library/bundle/manifest.ts';
import { readKept } from '../../../host/library/keptSweep.ts';
import { parseSettings } from '../../../host/slurm/programs.ts';
import { parseWork } from '../../../host/slurm/work.ts';
import { lanes, runInfo } from '../trace/fixtures.ts';

/** Reads a file of assets below the working folder. */
const asset = (path: string): string => readFileSync(join('assets', path), 'utf8');

const createdAt = '2026-11-20T08:00:00.000Z';
const sweep = {
  format: 'copyscope/sweep',
  version: 1,
  name: 'Chunks',
  base: { template: 'chunked-pipeline', parameters: { streams: 2 } },
  axes: [{ parameter: 'chunkBytes', values: ['1 MiB', 2097152], label: 'chunk' }],
};
const note = { id: 'a', iteration: 0, startNs: 1, endNs: 2, row: null, text: 'here' };
const notes = { format: 'copyscope/notes', version: 1, notes: [note] };
const gateRules = {
  format: 'copyscope/gate-rules',
  version: 1,
  limits: { pageableBytes: '1 MiB', waitingCalls: 1, exposedCopyNs: '2 ms', idleShare: 0.2 },
  steps: { from: 1, to: 3 },
  baseline: { figures: ['stepNs'], leastShare: 0.02 },
  allow: [{ line: 'train.py:44', figures: ['waitingCalls'], reason: 'The loss is logged in each step.' }],
};
const front = {
  format: 'copyscope/lesson',
  version: 1,
  title: 'T',
  summary: 'S',
  group: 'G',
  minutes: 4,
  source: ['s'],
};
const check = { says: 's', measure: 'makespan', atMost: '40 us' };
const run = encodeMetadata({ info: runInfo(), lanes: Object.values(lanes) });

const slurmSettings = {
  partition: 'gpu',
  gpus: 'h200:2',
  time: '30',
  atOnce: 4,
  lines: ['module load cuda'],
  options: ['--qos=short'],
};
export interface Reader {
  readonly document: unknown;
  readonly read: (document: unknown) => unknown;
}

const onText = (read: (text: string) => unknown) => (document: unknown) => read(JSON.stringify(document));

/** Files that a cluster's login node writes, and reads as text. */
export const clusterFiles: Readonly<Record<string, { document: unknown; read: (text: string) => unknown }>> = {
  'settings of Slurm': {
    document: { format: 'copyscope/slurm-settings', version: 1, settings: slurmSettings },
    read: (text) => parseSettings(text, 'slurm-settings.json'),
  },
  'work of Slurm': {
    document: {
      ...{ format: 'copyscope/slurm', version: 1, createdAt },
      submissions: [{ tasks: [[0, 1], [2]] }],
    },
    read: (text) => parseWork(text, 'slurm.json'),
  },
};

export const readers: Readonly<Record<string, Reader>> = {
  experiment: { document: JSON.parse(asset('examples/overlap/pinned-side-stream.json')), read: requireExperiment },
  'text of an experiment': {
    document: JSON.parse(asset('examples/overlap/pinned-side-stream.json')),
    read: onText(requireExperiment),
  },
  profile: { document: JSON.parse(asset('profiles/h200.json')), read: parseProfile },
  sweep: { document: sweep, read: requireSweep },
  'text of a sweep': { document: sweep, read: onText(requireSweep) },
  notes: { document: notes, read: onText(parseRunNotes) },
  'rules of a gate': { document: gateRules, read: onText(parseGateRules) },
  'results of lessons': {
    document: {
      format: 'copyscope/lesson-results',
      version: 1,
      name: 'Ada',
      lessons: [
        {
          ...{ lesson: 'first-overlap', title: 'T', done: true },
          tasks: [{ step: 1, title: 'A', solved: true, hints: 0 }],
          answers: [{ step: 2, ask: 'q', answer: null, right: null }],
        },
      ],
    },
    read: onText((text) => requireResults('ada.json', text)),
  },
  'manifest of a bundle': {
    document: {
      format: 'copyscope/bundle',
      version: 2,
      createdAt,
      program: 'test',
      experiments: [{ id: 'mine', name: 'Mine' }],
      runs: [{ id: 'imported/a', name: 'a', title: 'b', notes: true }],
      sweeps: [{ id: 's', name: 's', runs: [0], notes: [0] }],
    },
    read: onText(parseManifest),
  },
  'kept sweep': {
    document: {
      format: 'copyscope/kept-sweep',
      version: 1,
      createdAt,
      engine: 'sim',
      profile: 'h200',
      iterations: 3,
      device: 'h200',
      points: 2,
      imported: false,
      sweep,
    },
    read: onText((text) => readKept('s', text, '')),
  },
  'description of a run': {
    document: JSON.parse(run.get(metadataKeys.run) ?? ''),
    read: onText((text) => decodeMetadata(new Map([...run, [metadataKeys.run, text]]))),
  },
  ...Object.fromEntries(
    Object.entries(clusterFiles).map(([name, { document, read }]) => [name, { document, read: onText(read) }]),
  ),
  figure: { document: JSON.parse(asset('lessons/figures/one-tensor.json')), read: requireFigure },
  lesson: {
    document: {
      ...front,
      experiments: { start: { example: 'overlap/pinned-side-stream' } },
      steps: [{ title: 'A', experiment: 'start', task: { do: 'd', checks: [check], hints: ['h'] } }],
    },
    // JSON is YAML.
    read: (document) => requireLesson('test', `---\n${JSON.stringify(document, null, 1)}\n---\n## A\nText.\n`),
  },
  'request to start a run': {
    document: [{ experiment: {}, engine: 'sim', profile: 'h200', iterations: 3, whileRecording: false }],
    read: (args) => requireArguments('startRun', args),
  },
  'request to submit a sweep': {
    document: [{ sweep: {}, engine: 'cuda', slurm: { pointsPerJob: 2 } }],
    read: (args) => requireArguments('startSweep', args),
  },
  'request to end a connection': {
    document: ['gpu-box', 'remove'],
    read: (args) => requireArguments('endRemote', args),
  },
  'request to rename a run': { document: ['imported/a', 'b'], read: (args) => requireArguments('renameRun', args) },
  'request to save notes': {
    document: ['run', { notes, by: '00000000-0000-4000-8000-000000000000' }],
    read: (args) => requireArguments('saveNotes', args),
  },
  'request to pack a bundle': {
    document: [{ experiments: ['a'], runs: ['imported/a'], sweeps: [] }],
    read: (args) => requireArguments('packBundle', args),
  },
};
