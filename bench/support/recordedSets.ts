/** The recorded sets that predictions are held against, and which machine each is from. */

export const shippedRuns = 'assets/runs';
const trial = (seed: number): string => `test/fixtures/trials/seed-${seed}`;
/** Trials once, each from an H200, recorded by the engine that gives each host thread a processor of its own. */
const formerTrials = [20261129, 20261130, 20261131, 20261132].map(trial);
export const sets = [
  'test/fixtures/corpus',
  'test/fixtures/corpus2',
  'test/fixtures/blind',
  'test/fixtures/blind2',
  'test/fixtures/blind3',
  'test/fixtures/blind4',
  'test/fixtures/blind5',
  shippedRuns,
  ...formerTrials,
] as const;

/** Each from an H200 that none of the sets is from. */
export const strangeH200s = [20261126, 20261128, 20261133, 20261134, 20261135, 20261136, 20261137].map(trial);
/** Recorded and predicted after `h200` was fitted, so its source doesn't tell of them. */
const since = [20261138, 20261139, 20261140, 20261142, 20261143, 20261144, 20261145].map(trial);
/** Each from an H200 that h200 has not seen, calibrated there too. */
export const unseenTrials: readonly string[] = [...strangeH200s, ...since].sort();
/** Sets from an H100, recorded after the last rule was made. */
const latest = [20261146, 20261147, 20261148].map(trial);
/** Sets predicted before anyone had looked at them, and used in no fit. Includes H100s. */
export const trials = [...unseenTrials, ...[20261124, 20261127].map(trial), ...latest].sort();

/** Recorded on machines that h200 was not fitted to, an H100 among them. */
export const trialsElsewhere: readonly string[] = [...unseenTrials, trial(20261127)].sort();

/** Profile that copyscope calibrate made on a set's machine, minutes before the set was recorded. */
export const calibratedFor = new Map<string, string>([
  ['test/fixtures/blind3', 'test/fixtures/calibrated/blind3.json'],
  ['test/fixtures/corpus2', 'test/fixtures/calibrated/blind3.json'],
  ['test/fixtures/blind4', 'test/fixtures/calibrated/blind4.json'],
  ['test/fixtures/blind5', 'test/fixtures/calibrated/blind5.json'],
  ['test/fixtures/trials/seed-20261124', 'test/fixtures/calibrated/blind4.json'],
  ['test/fixtures/trials/seed-20261126', 'test/fixtures/calibrated/seed-20261126.json'],
  ['test/fixtures/trials/seed-20261127', 'test/fixtures/calibrated/seed-20261127.json'],
  ['test/fixtures/trials/seed-20261128', 'test/fixtures/calibrated/seed-20261128.json'],
  ['test/fixtures/trials/seed-20261129', 'test/fixtures/calibrated/seed-20261129.json'],
  ['test/fixtures/trials/seed-20261131', 'test/fixtures/calibrated/seed-20261131.json'],
  ['test/fixtures/trials/seed-20261132', 'test/fixtures/calibrated/seed-20261132.json'],
  ['test/fixtures/trials/seed-20261133', 'test/fixtures/calibrated/seed-20261133.json'],
  ['test/fixtures/trials/seed-20261134', 'test/fixtures/calibrated/seed-20261134.json'],
  ['test/fixtures/trials/seed-20261135', 'test/fixtures/calibrated/seed-20261135.json'],
  ['test/fixtures/trials/seed-20261136', 'test/fixtures/calibrated/seed-20261136.json'],
  ['test/fixtures/trials/seed-20261137', 'test/fixtures/calibrated/seed-20261137.json'],
  ['test/fixtures/trials/seed-20261138', 'test/fixtures/calibrated/seed-20261138.json'],
  ['test/fixtures/trials/seed-20261139', 'test/fixtures/calibrated/seed-20261139.json'],
  ['test/fixtures/trials/seed-20261140', 'test/fixtures/calibrated/seed-20261140.json'],
  ['test/fixtures/trials/seed-20261142', 'test/fixtures/calibrated/seed-20261142.json'],
  ['test/fixtures/trials/seed-20261143', 'test/fixtures/calibrated/seed-20261143.json'],
  ['test/fixtures/trials/seed-20261144', 'test/fixtures/calibrated/seed-20261144.json'],
  ['test/fixtures/trials/seed-20261145', 'test/fixtures/calibrated/seed-20261145.json'],
  ['test/fixtures/trials/seed-20261146', 'test/fixtures/calibrated/seed-20261146.json'],
  ['test/fixtures/trials/seed-20261147', 'test/fixtures/calibrated/seed-20261146.json'],
  ['test/fixtures/trials/seed-20261148', 'test/fixtures/calibrated/seed-20261146.json'],
]);
