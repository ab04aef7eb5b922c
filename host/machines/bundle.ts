/** What is copied to another machine: the engine process, what keeps its runs, the addon, and a Node where there is none. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, mkdir, open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { arch } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { create } from 'tar';
import { CopyscopeError } from '../../core/errors.ts';
import { addonFolder, prebuiltFolders } from '../../native/addon.ts';
import { programVersion } from '../paths.ts';
import { temporaryFolder } from '../service/temporaryFolder.ts';
import type { Probe } from './probe.ts';

export interface Bundle {
  readonly version: string;
  /** Names what is in it: the version, and a digest of all files. */
  readonly build: string;
  readonly files: readonly BundledFile[];
}

export interface BundledFile {
  /** Where it is here, and below the folder there. */
  readonly from: string;
  readonly to: string;
  readonly bytes: number;
  /** The processor that it is compiled for, of Linux and as uname says it; null where it runs on all. */
  readonly arch: string | null;
}

const hostFiles = ['dist/host/machine.js', 'dist/host/engine-process.js', 'dist/host/licenses.md'];

/** Rejects with `host.not-built`. */
export async function readBundle(program: string): Promise<Bundle> {
  const chunks = await filesIn(join(program, 'dist/host/chunks'));
  const found: Omit<BundledFile, 'bytes'>[] = [
    ...hostFiles.map((file) => ({ from: join(program, file), to: file, arch: null })),
    ...chunks.map((name) => ({
      from: join(program, 'dist/host/chunks', name),
      to: `dist/host/chunks/${name}`,
      arch: null,
    })),
    ...(await compiledFiles(program)),
  ];
  const hash = createHash('sha256');
  const files: BundledFile[] = [];
  for (const file of found) {
    const content = await readFile(file.from).catch((cause: unknown) => {
      throw notBuilt(file.to, cause);
    });
    hash.update(`${file.to} ${content.byteLength}\n`).update(content);
    files.push({ ...file, bytes: content.byteLength });
  }
  const version = programVersion(program);
  return { version, build: `${version}-${hash.digest('hex').slice(0, 12)}`, files };
}

/** For each processor that there are any for: those that were built here, else those that a package brought. */
async function compiledFiles(program: string): Promise<Omit<BundledFile, 'bytes'>[]> {
  const found = new Map<string, Omit<BundledFile, 'bytes'>[]>();
  for (const folder of [addonFolder(program), ...prebuiltFolders(program)]) {
    const names = (await filesIn(folder)).filter((name) => /\.(node|so)$/.test(name));
    const archs = await Promise.all(names.map((name) => linuxArch(join(folder, name))));
    const [arch = null] = archs;
    if (arch === null || archs.some((other) => other !== arch) || found.has(arch)) continue;
    found.set(
      arch,
      names.map((name) => ({ from: join(folder, name), to: `native/build/Release/${name}`, arch })),
    );
  }
  return [...found.values()].flat();
}

const elfMachines: Readonly<Record<number, string>> = { 62: 'x86_64', 183: 'aarch64' };

/** What its header says: null of what isn't Linux's, or of a processor that nothing is built for. */
async function linuxArch(path: string): Promise<string | null> {
  const file = await open(path);
  try {
    const header = new DataView(new ArrayBuffer(20));
    await file.read(header, 0, 20, 0);
    // '\x7fELF', 64 bits, little-endian.
    const isElf = header.getUint32(0) === 0x7f454c46 && header.getUint8(4) === 2 && header.getUint8(5) === 1;
    return isElf ? (elfMachines[header.getUint16(18, true)] ?? null) : null;
  } finally {
    await file.close();
  }
}

async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.sort();
}

const unameArch: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' };

/** The files for that machine: what is compiled only where it is compiled for such a one. */
export const filesFor = ({ files }: Bundle, { system, arch: there }: Probe): readonly BundledFile[] =>
  files.filter(({ arch: its }) => its === null || (system === 'Linux' && its === there));

/** The Node of this process, where it is one that the other machine could run. */
export function ownNode({ system, arch: there }: Probe): string | null {
  const isAlike = process.platform === 'linux' && system === 'Linux' && there === unameArch[arch()];
  return isAlike && process.versions['electron'] === undefined ? process.execPath : null;
}

export interface PackOptions {
  readonly files: readonly BundledFile[];
  /** A Node for that machine. */
  readonly node: string | null;
  /** The Node there, where none goes with it. */
  readonly nodeThere: string | null;
  /** Hears of how much has been taken, before it is compressed. */
  readonly onTaken?: ((done: number, total: number) => void) | undefined;
}

/** The bundle as a compressed tar archive. What it needs on this disk meanwhile goes when the stream ends. */
export async function pack({ version }: Bundle, options: PackOptions): Promise<Readable> {
  const { path: folder, remove } = temporaryFolder();
  try {
    for (const { from, to } of options.files) await copyInto(from, join(folder, to));
    if (options.node !== null) await copyInto(options.node, join(folder, 'node/bin/node'));
    await mkdir(join(folder, 'assets'), { recursive: true });
    // By these two the program knows its folder.
    await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'copyscope', version, type: 'module' }));
    await writeFile(join(folder, 'start'), startScript(options));
    const archive = Readable.from(
      counted(create({ cwd: folder, portable: true }, ['.']), await packed(folder), options),
    );
    const compressed = createGzip();
    pipeline(archive, compressed, () => void remove());
    return compressed;
  } catch (error) {
    await remove();
    throw error;
  }
}

const packed = async (folder: string): Promise<number> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(({ parentPath, name }) => stat(join(parentPath, name))));
  return sizes.reduce((sum, { size }) => sum + size, 0);
};

/** What tar adds to the files' own bytes counts as nothing. */
async function* counted(
  parts: AsyncIterable<Uint8Array>,
  total: number,
  { onTaken }: PackOptions,
): AsyncGenerator<Uint8Array> {
  let done = 0;
  for await (const part of parts) {
    done += part.byteLength;
    onTaken?.(Math.min(done, total), total);
    yield part;
  }
}

async function copyInto(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await copyFile(from, to, constants.COPYFILE_FICLONE);
}

function startScript({ node, nodeThere }: PackOptions): string {
  const runtime = node === null ? `"${nodeThere}"` : '"$d/node/bin/node"';
  return `#!/bin/sh\n# Written by Copyscope.\nd=$(dirname "$0")\nexec ${runtime} "$d/dist/host/machine.js" "$@"\n`;
}

const notBuilt = (file: string, cause: unknown): CopyscopeError =>
  new CopyscopeError(
    { code: 'host.not-built', message: `${file} is not built here.`, remedy: 'Build it with: npm run build' },
    { cause },
  );
