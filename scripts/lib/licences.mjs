/**
 * One page with the licence of everything of others that Copyscope hands on: what the bundlers put into each part, as they name
 * it themselves, and what is compiled into the addon and the recorder. The window shows it (Help > Licences).
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { inRoot } from './paths.mjs';

const parts = ['renderer', 'host', 'electron'];
export const licencesFile = 'dist/renderer/third-party.md';

const read = (path) => readFileSync(inRoot(path), 'utf8');
const modules = (path) => `node_modules/${path}`;

/** The packages of one part: each with its text, as "name - version (licence)". */
function bundledIn(part) {
  const file = `dist/${part}/licenses.md`;
  if (!existsSync(inRoot(file))) return [];
  const [, ...entries] = read(file).split(/^## /m);
  return entries.map((entry) => {
    const end = entry.indexOf('\n');
    return { title: entry.slice(0, end).trim(), text: entry.slice(end).trim() };
  });
}

const versionOf = (name) => JSON.parse(read(modules(`${name}/package.json`))).version;

const exceptionOfGcc = `Parts of the C++ runtime and of its headers are compiled in, under the GNU General Public License, version 3, with the
GCC Runtime Library Exception, version 3.1 (https://www.gnu.org/licenses/gcc-exception-3.1.html).`;

/** Returns libraries compiled into native/. A test compares the list with the includes of its sources. */
function compiledIn() {
  return [
    {
      title: `node-addon-api - ${versionOf('node-addon-api')} (MIT)`,
      text: read(modules('node-addon-api/LICENSE.md')),
    },
    {
      title: `node-api-headers - ${versionOf('node-api-headers')} (MIT)`,
      text: read(modules('node-api-headers/LICENSE')),
    },
    { title: 'node-sqlite3-wasm (MIT)', text: read(modules('node-sqlite3-wasm/LICENSE')) },
    {
      title: 'NVIDIA CUDA runtime (NVIDIA CUDA Toolkit EULA)',
      text: `If the CUDA engine is built, the addon contains the CUDA runtime, as the agreement's Attachment A allows:
https://docs.nvidia.com/cuda/eula/. It contains source code provided by NVIDIA Corporation. CUPTI, cuBLAS and cuFFT are opened
where they are installed, and are not in a package.`,
    },
    {
      title: 'NVTX (Apache-2.0 WITH LLVM-exception)',
      text: 'Copyright (c) NVIDIA CORPORATION & AFFILIATES. Its headers are compiled into the recorder. https://nvidia.github.io/NVTX/LICENSE.txt',
    },
    { title: 'libstdc++ (GPL-3.0 WITH GCC-exception-3.1)', text: exceptionOfGcc },
  ];
}

/** Each once, by name. */
export function licencesText() {
  const entries = new Map();
  for (const { title, text } of [...parts.flatMap(bundledIn), ...compiledIn()]) entries.set(title, text.trim());
  const sorted = [...entries].sort(([a], [b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
  return [opening, ...sorted.map(([title, text]) => `## ${title}\n\n${text}\n`)].join('\n');
}

const opening = `# Licences

Copyscope is under the Apache License 2.0. It contains these works of others, under the licences that follow each. The
desktop app also contains Electron and Chromium: see LICENSE.electron.txt and LICENSES.chromium.html in its folder.
`;

/** Called after each build, since each part may have brought another package. */
export function writeLicences() {
  if (existsSync(inRoot('dist/renderer/index.html'))) writeFileSync(inRoot(licencesFile), licencesText());
}
