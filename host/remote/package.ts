/** The files copied to a remote host: this program with the addon that fits there, and a Node if there is none. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { arch } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { create } from 'tar';
import { CopyscopeError } from '../../core/errors.ts';
import { addonFolder, prebuiltFolders } from '../../native/addon.ts';
import { inTemporaryFolder } from '../files/temporaryFolder.ts';
import { programVersion } from '../paths.ts';

export interface ProgramPackage {
  /** Version and digest of all files, such as `0.1.0-0123456789ab`. */
  readonly build: string;
  readonly version: string;
  readonly files: readonly PackedFile[];
}

interface PackedFile {
  readonly from: string;
  /** Path below the folder there. */
  readonly to: string;
  /** Processor of a file compiled for Linux, as uname prints it; null if it runs on all. */
  readonly arch: string | null;
}

/** System and processor of a host, as uname prints them. */
interface Platform {
  readonly system: string;
  readonly arch: string;
}

/** Reads the names and the digest of the files to copy. Rejects with `host.not-built`. */
export async function readPackage(program: string): Promise<ProgramPackage> {
  const folders = ['dist/host', 'dist/renderer', 'assets'];
  const parts = await Promise.all(folders.map((folder) => filesBelow(program, folder)));
  const missing = folders.find((_, index) => parts[index]?.length === 0);
  if (missing !== undefined) throw notBuilt(missing);
  const files = [...parts.flat(), ...(await compiledFiles(program))];
  const hash = createHash('sha256');
  for (const { from, to } of files) {
    const content = await readFile(from);
    hash.update(`${to} ${content.byteLength}\n`).update(content);
  }
  const version = programVersion(program);
  return { version, build: `${version}-${hash.digest('hex').slice(0, 12)}`, files };
}

async function filesBelow(program: string, folder: string): Promise<PackedFile[]> {
  const entries = await readdir(join(program, folder), { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((from) => ({ from, to: relative(program, from).split(sep).join('/'), arch: null }))
    .sort((a, b) => (a.to < b.to ? -1 : 1));
}

const unameArch: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' };
const ownArch = process.platform === 'linux' ? (unameArch[arch()] ?? null) : null;

/** Returns for each processor the files built here, else those in the package. */
async function compiledFiles(program: string): Promise<PackedFile[]> {
  const prebuilt = prebuiltFolders(program).map((folder, index) => [folder, ['x86_64', 'aarch64'][index]] as const);
  const found = new Map<string, PackedFile[]>();
  for (const [folder, its] of [[addonFolder(program), ownArch] as const, ...prebuilt]) {
    const names = (await readdir(folder).catch(() => [])).filter((name) => /\.(node|so)$/.test(name)).sort();
    if (its == null || names.length === 0 || found.has(its)) continue;
    found.set(
      its,
      names.map((name) => ({ from: join(folder, name), to: `native/build/Release/${name}`, arch: its })),
    );
  }
  return [...found.values()].flat();
}

/** Returns the Node of this process if that host could run it. */
export const ownNode = (there: Platform): string | null =>
  there.system === 'Linux' && there.arch === ownArch && process.versions['electron'] === undefined
    ? process.execPath
    : null;

/** Returns a compressed tar archive with `node`, or with a start script for `nodeThere`, the host's own Node. */
export function pack(
  { version, files }: ProgramPackage,
  there: Platform,
  { node, nodeThere }: { readonly node: string | null; readonly nodeThere: string | null },
): Promise<Buffer> {
  const fitting = files.filter((file) => file.arch === null || (there.system === 'Linux' && file.arch === there.arch));
  return inTemporaryFolder(async ({ path: folder }) => {
    for (const { from, to } of fitting) await copyInto(from, join(folder, to));
    if (node !== null) await copyInto(node, join(folder, 'node/bin/node'));
    // The program finds its folder by package.json and assets.
    await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'copyscope', version, type: 'module' }));
    const runtime = node === null ? `"${nodeThere}"` : '"$d/node/bin/node"';
    const start = `#!/bin/sh\nd=$(dirname "$0")\nexec ${runtime} "$d/dist/host/cli.js" "$@"\n`;
    await writeFile(join(folder, 'start'), start, { mode: 0o755 });
    const chunks: Uint8Array[] = [];
    for await (const chunk of create({ cwd: folder, portable: true, gzip: true }, ['.'])) chunks.push(chunk);
    return Buffer.concat(chunks);
  });
}

async function copyInto(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await copyFile(from, to, constants.COPYFILE_FICLONE);
}

const notBuilt = (folder: string): CopyscopeError =>
  new CopyscopeError({
    code: 'host.not-built',
    message: `${folder} is not built here.`,
    remedy: 'Build it with: npm run build',
  });
