/**
 * Known vulnerabilities in what Copyscope hands on, as the registry tells `npm audit`. There are no production dependencies
 * (what runs is bundled), so `npm audit --omit=dev` asks nothing: all packages are asked for, and what only builds and tests
 * is left out of the answer.
 */
import { spawnSync } from 'node:child_process';
import { licencesText } from './licences.mjs';
import { root } from './paths.mjs';

/** Returns bundled or compiled packages, from the page of licences, and the desktop app's runtime. */
const handedOn = () => new Set(['electron', ...[...licencesText().matchAll(/^## (\S+) /gm)].map(([, name]) => name)]);

/** Addresses of advisories that don't concern Copyscope, or wait for a fixed version, each with its reason. */
const accepted = {};

/** The advisories, each as a line; or why the registry doesn't tell. `registry` is another one than npm's own. */
export function auditHandedOn(registry) {
  const options = ['audit', '--json', '--fetch-retries=0', '--fetch-timeout=20000'];
  const { stdout, error } = spawnSync(
    'npm',
    registry === undefined ? options : [...options, `--registry=${registry}`],
    {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      shell: process.platform === 'win32',
    },
  );
  if (error !== undefined) return { unanswered: error.message };
  const { vulnerabilities, message } = JSON.parse(stdout || '{"message": "npm says nothing"}');
  if (vulnerabilities === undefined) return { unanswered: String(message).split('\n')[0] };
  const names = handedOn();
  const advisories = Object.values(vulnerabilities).flatMap(({ via, fixAvailable }) =>
    via
      // A package that depends on a vulnerable one is only named.
      .filter((one) => typeof one === 'object' && names.has(one.name) && accepted[one.url] === undefined)
      .map(({ name, severity, title, url }) => {
        const fix = fixAvailable === false ? 'no fixed version yet' : 'a fixed version is there';
        return `${name} (${severity}; ${fix}): ${title}, ${url}`;
      }),
  );
  return { advisories: [...new Set(advisories)].sort() };
}
