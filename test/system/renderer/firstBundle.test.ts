/** The files that a browser must load before the window works: the page's scripts, imports and styles. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const page = join(root, 'dist/renderer');
const mostBytes = 1_000_000;

const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].flatMap(([, found]) => found ?? []);

/** Returns a script and all its imports; scripts that it loads later with import() are left out. */
function withImports(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  const code = readFileSync(join(page, file), 'utf8');
  for (const name of matches(
    code,
    /(?:^|[;}\s])(?:import|export)(?:[\w*${},\s]*?from)?\s*["'](\.{1,2}\/[^"']+)["']/g,
  )) {
    withImports(normalize(join(dirname(file), name)), found);
  }
  return found;
}

it('is at most 1 MB compressed', () => {
  execFileSync(process.execPath, [join(root, 'scripts/build.mjs'), 'renderer'], { stdio: 'pipe' });
  const html = readFileSync(join(page, 'index.html'), 'utf8');
  const scripts = matches(html, /<script[^>]+src="([^"]+)"/g).flatMap((file) => [...withImports(normalize(file))]);
  const styles = matches(html, /<link[^>]+rel="stylesheet"[^>]+href="([^"]+)"/g).map(normalize);
  expect(scripts.length).toBeGreaterThan(0);
  expect(styles.length).toBeGreaterThan(0);
  const files = [...new Set([...scripts, ...styles])];
  const sizes = files.map((file) => [file, gzipSync(readFileSync(join(page, file))).length] as const);
  const total = sizes.reduce((sum, [, bytes]) => sum + bytes, 0);
  // React alone takes 50 kB: less would mean that the scripts were not found.
  expect(total).toBeGreaterThan(100_000);
  expect(total, JSON.stringify(sizes)).toBeLessThanOrEqual(mostBytes);
  // The files that vite preloads were counted.
  const preloaded = matches(html, /<link[^>]+rel="modulepreload"[^>]+href="([^"]+)"/g).map(normalize);
  expect(files).toEqual(expect.arrayContaining(preloaded));
});
