/** Makes packages around stand-ins, in a folder of their own, and judges what is in them. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { runBuilder } from './builder.mjs';
import { artifactProblems, infoProblems, integrityProblems, packageProblems } from './package-check.mjs';
import { architectures, packageTools, possibleTargets } from './package-tools.mjs';
import { inRoot, root } from './paths.mjs';
import { prebuiltFiles } from './prebuilds.mjs';
import { digests, hashInProgram, readArchive, readArtifact, readFuses, readInfo } from './read-package.mjs';
import { writeStandIn } from './stand-in-electron.mjs';

/** Of each system: where its app lies in what electron-builder made, and the program whose fuses are set. */
const systems = [
  ...architectures.map((arch) => ({
    name: `linux-${arch}`,
    system: 'linux',
    options: ['--linux', ...possibleTargets().targets, `--${arch}`],
    app: arch === 'x64' ? 'linux-unpacked' : `linux-${arch}-unpacked`,
    program: arch === 'x64' ? 'linux-unpacked/copyscope' : `linux-${arch}-unpacked/copyscope`,
    resources: 'resources',
  })),
  {
    name: 'win32-x64',
    system: 'win32',
    options: ['--win', 'dir', '--x64'],
    app: 'win-unpacked',
    program: 'win-unpacked/Copyscope.exe',
    resources: 'resources',
  },
  {
    name: 'darwin-arm64',
    system: 'darwin',
    options: ['--mac', 'dir', '--arm64'],
    app: 'mac-arm64/Copyscope.app/Contents',
    program: 'mac-arm64/Copyscope.app',
    resources: 'Resources',
  },
];

/** Files below a folder of the clone, as the archive names them. */
function filesBelow(folder) {
  const entries = readdirSync(inRoot(folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
}

/** The icons are built into the page. */
const assets = () => filesBelow('assets').filter((file) => !file.startsWith('assets/icons/'));

/** Builds for each system; gives its files, problems and packages with their bytes. */
export async function checkPackages(homepage) {
  const work = mkdtempSync(join(tmpdir(), 'copyscope-package-'));
  try {
    const env = { ...process.env, ...packageTools(work) };
    const results = [];
    for (const system of systems) results.push(await checkSystem(system, { work, env, homepage }));
    return results;
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function checkSystem({ name, system, options, app, program, resources }, { work, env, homepage }) {
  const [standIn, output] = [join(work, `electron-${name}`), join(work, name)];
  await writeStandIn(standIn, system);
  const folders = [`-c.electronDist=${standIn}`, `-c.directories.output=${output}`];
  const { status, stdout, stderr } = runBuilder([...options, homepage, ...folders], { encoding: 'utf8', env });
  if (status !== 0)
    return { name, problems: [`electron-builder failed:\n${stdout}${stderr}`], files: [], packages: [] };
  const packed = await readArchive(join(output, app, resources));
  const problems = packageProblems({
    ...packed,
    fuses: await readFuses(join(output, program)),
    assets: assets(),
    localPaths: [root, homedir()].filter((path) => path.length > 6),
    addons: prebuiltFiles(name),
  });
  if (system === 'darwin') problems.push(...infoProblems(await readInfo(join(output, app)), packed.hash));
  if (system === 'win32') {
    problems.push(...integrityProblems(await hashInProgram(join(output, program)), packed.hash));
  }
  const packages = system === 'linux' ? checkArtifacts(output, app) : [];
  return {
    name,
    files: packed.files,
    packages,
    problems: [...problems, ...packages.flatMap(({ file, wrong }) => wrong.map((words) => `${file}: ${words}`))],
  };
}

/** Each package that was made, unpacked and held against the app that it was made of. */
function checkArtifacts(output, app) {
  const packed = digests(join(output, app));
  const unpacked = join(output, 'unpacked');
  mkdirSync(unpacked);
  return possibleTargets().targets.map((target) => {
    const file = readdirSync(output).find((name) => name.endsWith(`.${target}`));
    if (file === undefined) return { file: target, bytes: 0, wrong: ['it was not made.'] };
    const artifact = readArtifact(target, join(output, file), join(unpacked, target));
    const wrong = artifactProblems({ ...artifact, packed }, target === 'tar.gz');
    return { file, bytes: statSync(join(output, file)).size, wrong };
  });
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

/** Says all of it; the exit code. */
export function reportCheck(results) {
  for (const { name, files, packages } of results) {
    const addons = files.filter((file) => /\.(node|so)$/.test(file));
    console.log(
      `${name}: ${files.length} files, ${addons.length === 0 ? 'no addon: the simulator only' : addons.join(', ')}`,
    );
    for (const { file, bytes } of packages) console.log(`  ${file}: ${megabytes(bytes)}, without Electron`);
  }
  for (const [target, programs] of possibleTargets().missing) {
    console.log(`No ${target} is made here: there is no ${programs.join(', and no ')}.`);
  }
  const problems = results.flatMap(({ name, problems: wrong }) => wrong.map((words) => `${name}: ${words}`));
  for (const problem of problems) console.error(`Wrong: ${problem}`);
  console.log(problems.length === 0 ? 'The packages hold what they should.' : `${problems.length} problems.`);
  return problems.length === 0 ? 0 : 1;
}
