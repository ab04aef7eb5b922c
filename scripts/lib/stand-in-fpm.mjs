#!/usr/bin/env node
/**
 * What electron-builder asks of fpm for a .deb, done with Debian's own dpkg-deb: electron-builder downloads its fpm, and a
 * check must not. It knows the options that electron-builder gives, and no others.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const { options, mappings } = parse(process.argv.slice(2));
const one = (name) => options[name]?.at(-1);

/** Options with their values, and files with where they go: "from=/to". */
function parse(words) {
  const found = { options: {}, mappings: [] };
  const rest = words.filter((word) => word !== '--force');
  while (rest.length > 0) {
    const word = rest.shift();
    if (word.startsWith('-')) found.options[word] = [...(found.options[word] ?? []), rest.shift()];
    else found.mappings.push([word.slice(0, word.lastIndexOf('=')), word.slice(word.lastIndexOf('=') + 1)]);
  }
  return found;
}

function control() {
  const [synopsis, ...description] = one('--description').split('\n');
  const fields = {
    Package: one('--name'),
    Version: one('--version'),
    Architecture: one('--architecture').replace('x86_64', 'amd64').replace('aarch64', 'arm64'),
    Maintainer: one('--maintainer'),
    Homepage: one('--url'),
    Priority: one('--deb-priority'),
    Depends: options['-d'].join(', '),
    Recommends: options['--deb-recommends'].join(', '),
    Description: [synopsis, ...description.map((line) => ` ${line.trim()}`)].join('\n'),
  };
  return `${Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')}`;
}

const folder = mkdtempSync(join(tmpdir(), 'copyscope-deb-'));
try {
  for (const [from, to] of mappings) {
    mkdirSync(dirname(join(folder, to)), { recursive: true });
    cpSync(from, join(folder, to), { recursive: true, verbatimSymlinks: true });
    if (statSync(from).isFile()) chmodSync(join(folder, to), 0o644);
  }
  mkdirSync(join(folder, 'DEBIAN'));
  writeFileSync(join(folder, 'DEBIAN/control'), control());
  cpSync(one('--after-install'), join(folder, 'DEBIAN/postinst'));
  cpSync(one('--after-remove'), join(folder, 'DEBIAN/postrm'));
  for (const script of ['postinst', 'postrm']) chmodSync(join(folder, 'DEBIAN', script), 0o755);
  chmodSync(folder, 0o755);
  const compression = `-Z${one('--deb-compression')}`;
  execFileSync('dpkg-deb', ['--build', '--root-owner-group', compression, folder, one('--package')], {
    stdio: 'inherit',
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
