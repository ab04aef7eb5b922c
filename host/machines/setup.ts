/** Sets a machine up, and takes what was put there away again. Nothing here needs more rights than its user has. */
import { Readable } from 'node:stream';
import { CopyscopeError } from '../../core/errors.ts';
import type { DeviceReport } from '../../core/program/engine.ts';
import { formatBytes } from '../../core/units.ts';
import { EngineSupervisor } from '../engine/supervisor.ts';
import { type Bundle, type BundledFile, filesFor, ownNode, pack } from './bundle.ts';
import { type MachineOptions, machineChild } from './machineChild.ts';
import type { Machine } from './machineStore.ts';
import { baseFolder, programPath } from './places.ts';
import type { Probe } from './probe.ts';
import { runSsh } from './ssh.ts';

export interface Plan {
  readonly host: string;
  readonly bundle: Bundle;
  readonly probe: Probe;
  /** Those for that machine. */
  readonly files: readonly BundledFile[];
  /** A Node of this machine that goes with it. */
  readonly node: string | null;
  /** Other builds there, which are taken away. */
  readonly replaced: readonly string[];
  /** A sentence for each thing that is found or will be done. */
  readonly says: readonly string[];
}

/** Decides what has to be done. Rejects with `host.other-version`, `host.no-node` or `host.disk-full`. */
export function plan(
  host: string,
  bundle: Bundle,
  probe: Probe,
  { replace, node: named }: { readonly replace: boolean; readonly node?: string | undefined },
): Plan {
  const replaced = probe.builds.filter((build) => build !== bundle.build);
  if (replaced.length > 0 && !replace) throw otherVersion(host, replaced, bundle);
  const files = filesFor(bundle, probe);
  const node = probe.node !== null && named === undefined ? null : (named ?? ownNode(probe));
  if (probe.node === null && node === null) throw noNode(host, probe);
  // Packed and unpacked at once; a Node is about as large again as all else.
  const needed = 2 * bytesOf(files) + (node === null ? 0 : nodeBytes);
  if (probe.freeBytes !== null && probe.freeBytes < needed) throw diskFull(host, probe.freeBytes, needed);
  const says = describe({ host, bundle, probe, files, node, replaced });
  return { host, bundle, probe, files, node, replaced, says };
}

const bytesOf = (files: readonly BundledFile[]): number => files.reduce((sum, { bytes }) => sum + bytes, 0);

const nodeBytes = 150 * 2 ** 20;

function describe({ host, bundle, probe, files, node, replaced }: Omit<Plan, 'says'>): string[] {
  const gpus = probe.gpus.length === 0 ? 'no GPU that nvidia-smi lists' : probe.gpus.join(', ');
  const driver = probe.driver === null ? 'no NVIDIA driver' : `NVIDIA driver ${probe.driver}`;
  return [
    `${host}: ${probe.system} ${probe.arch}, ${driver}, ${gpus}, ${probe.node === null ? 'no Node 20.19 or newer' : `Node ${probe.node.version} at ${probe.node.path}`}.`,
    `Copyscope ${bundle.version} (build ${bundle.build}, ${formatBytes(bytesOf(files))}) will be copied into ~/.local/share/copyscope-host of your user there.`,
    ...(files.some(({ arch }) => arch !== null)
      ? []
      : [
          `Its native engines will not: none is built here for ${probe.system} ${probe.arch}. The simulator runs there.`,
        ]),
    ...(node === null ? [] : [`A Node will be copied with it: ${node}.`]),
    ...replaced.map((build) => `Build ${build} there will be deleted.`),
  ];
}

/** Copies what is needed. From then on it is there, until it is taken back or uninstalled. */
export async function copyThere(
  { host, bundle: { build, version }, bundle, probe, files, node }: Plan,
  environment: NodeJS.ProcessEnv,
  onTaken?: (done: number, total: number) => void,
): Promise<Machine> {
  const archive = await pack(bundle, { files, node, nodeThere: probe.node?.path ?? null, onTaken });
  await runSsh(host, unpackCommand(build), environment, archive);
  return { name: host, version, build, system: `${probe.system} ${probe.arch}`, addedAt: new Date().toISOString() };
}

/** Takes back what was copied. False where it stays: it was there before, or there is no way to the machine any more. */
export async function takeBack({ host, bundle, probe }: Plan, environment: NodeJS.ProcessEnv): Promise<boolean> {
  if (probe.builds.includes(bundle.build)) return false;
  return runSsh(host, takeBackCommand(bundle.build), environment).then(
    () => true,
    () => false,
  );
}

/** Deletes the builds there that this one replaces. */
export async function deleteReplaced({ host, replaced }: Plan, environment: NodeJS.ProcessEnv): Promise<void> {
  if (replaced.length > 0) await runSsh(host, 'exec sh -s', environment, Readable.from([forgetScript(replaced)]));
}

/** Beside its place first: a copy that was cut off is never taken for a whole one. */
const unpackCommand = (build: string): string =>
  `umask 077; t="${programPath(`.${build}.$$`)}"; p="${programPath(build)}"; ` +
  `mkdir -p "$t" && tar -xzf - -C "$t" && rm -rf "$p" && mv "$t" "$p" || { c=$?; rm -rf "$t"; exit $c; }`;

/** With the folders around it, unless something else is in them. */
const takeBackCommand = (build: string): string =>
  `rm -rf "${programPath(build)}"; rmdir "${baseFolder}/programs" "${baseFolder}" 2>/dev/null; true`;

/** What jobs of a cluster are still to be started with stays until there are none. */
const forgetScript = (builds: readonly string[]): string =>
  builds
    .map((build) => programPath(safe(build)))
    .map((path) => `grep -qsF "${path}/" "${baseFolder}"/slurm/*/script-*.sh || rm -rf "${path}"\n`)
    .join('');

/** A name that a folder there has is no part of a command unless it is one that we gave. */
function safe(build: string): string {
  if (/^[\w.-]+$/.test(build)) return build;
  throw new CopyscopeError({ code: 'host.failed', message: `${JSON.stringify(build)} is no build of Copyscope.` });
}

/** Has what was copied answer. */
export async function firstReport(options: MachineOptions): Promise<DeviceReport> {
  const engine = new EngineSupervisor({ spawn: () => machineChild(options), host: options.host });
  try {
    return await engine.report();
  } finally {
    engine.close();
  }
}

/** Deletes all of ours there. What is in progress there ends. */
export async function uninstall(host: string, environment: NodeJS.ProcessEnv): Promise<void> {
  await runSsh(host, `rm -rf "${baseFolder}"`, environment);
}

const otherVersion = (host: string, builds: readonly string[], bundle: Bundle): CopyscopeError =>
  new CopyscopeError({
    code: 'host.other-version',
    message: `${host} has Copyscope ${builds.join(', ')}; here it is ${bundle.build}.`,
    remedy: `Replace it with: copyscope host add ${host} --replace`,
  });

const noNode = (host: string, { system, arch }: Probe): CopyscopeError =>
  new CopyscopeError({
    code: 'host.no-node',
    message: `${host} has no Node 20.19 or newer, and this one doesn't run on ${system} ${arch}.`,
    remedy: 'Install one there, or name a Node for that system with --node FILE, which is copied.',
  });

const diskFull = (host: string, free: number, needed: number): CopyscopeError =>
  new CopyscopeError({
    code: 'host.disk-full',
    message: `${host} has ${formatBytes(free)} free for your home, and ${formatBytes(needed)} are needed.`,
    remedy: 'Make room there.',
  });
