/** What is copied to another machine: the engine process, what keeps its runs, the addon, and a Node where there is none. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { arch, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { create } from 'tar';
import { CopyscopeError } from '../../core/errors.ts';
import { addonFolder } from '../../native/addon.ts';
import { programVersion } from '../paths.ts';
import type { Probe } from './probe.ts';

export interface Bundle {
  readonly version: string;
  /** Names what is in it: the version, and a digest of all files. */
  readonly build: string;
  readonly bytes: number;
  readonly files: readonly BundledFile[];
}

interface BundledFile {
  /** Where it is here, and below the folder there. */
  readonly from: string;
  readonly to: string;
  readonly bytes: number;
}

const hostFiles = ['dist/host/machine.js', 'dist/host/engine-process.js', 'dist/host/licenses.md'];

/** Rejects with `host.not-built`. */
export async function readBundle(program: string): Promise<Bundle> {
  const chunks = await filesIn(join(program, 'dist/host/chunks'));
  const pairs = [
    ...hostFiles.map((file) => [join(program, file), file] as const),
    ...chunks.map((name) => [join(program, 'dist/host/chunks', name), `dist/host/chunks/${name}`] as const),
    ...(await addonFiles(program)),
  ];
  const hash = createHash('sha256');
  const files: BundledFile[] = [];
  for (const [from, to] of pairs) {
    const content = await readFile(from).catch((cause: unknown) => {
      throw notBuilt(to, cause);
    });
    hash.update(`${to} ${content.byteLength}\n`).update(content);
    files.push({ from, to, bytes: content.byteLength });
  }
  const version = programVersion(program);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return { version, build: `${version}-${hash.digest('hex').slice(0, 12)}`, bytes, files };
}

async function addonFiles(program: string): Promise<(readonly [from: string, to: string])[]> {
  const folder = addonFolder(program);
  const names = (await filesIn(folder)).filter((name) => /\.(node|so)$/.test(name));
  return names.map((name) => [join(folder, name), `native/build/Release/${name}`] as const);
}

async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.sort();
}

const unameArch: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' };

/** Whether what was compiled here runs there. */
export const fits = ({ system, arch: there }: Probe): boolean =>
  process.platform === 'linux' && system === 'Linux' && there === unameArch[arch()];

/** The Node of this process, where it is one that another machine could run. */
export const ownNode = (): string | null => (process.versions['electron'] === undefined ? process.execPath : null);

export interface PackOptions {
  /** Whether the compiled files go with it. */
  readonly withAddon: boolean;
  /** A Node for that machine. */
  readonly node: string | null;
  /** The Node there, where none goes with it. */
  readonly nodeThere: string | null;
  /** Hears of how much has been taken, before it is compressed. */
  readonly onTaken?: ((done: number, total: number) => void) | undefined;
}

/** The bundle as a compressed tar archive. What it needs on this disk meanwhile goes when the stream ends. */
export async function pack({ version, files }: Bundle, options: PackOptions): Promise<Readable> {
  const folder = await mkdtemp(join(tmpdir(), 'copyscope-machine-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    for (const { from, to } of files) {
      if (options.withAddon || !to.startsWith('native/')) await copyInto(from, join(folder, to));
    }
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
