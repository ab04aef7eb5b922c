/** `copyscope code` from the command line. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../support/newFolder.ts';
import { buildEntry } from '../../unit/host/support/buildEntry.ts';
import { exampleFile } from '../../unit/host/support/runs.ts';
import { copyscope, engineEntry } from '../../unit/host/support/terminal.ts';

const built = await buildEntry(engineEntry);
const folder = newFolder();
const code = (...args: string[]) => copyscope(['code', ...args], built);

describe('copyscope code', () => {
  it('prints the program alone', async () => {
    const { exitCode, out, err } = await code(exampleFile('pinned-side-stream'), '--language', 'cuda');
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(out).toContain('cudaMemcpyAsync(');
    expect(out.endsWith('}\n')).toBe(true);
  });

  it('writes it to a file, and never over one', async () => {
    const file = join(folder, 'program.py');
    const args = [exampleFile('pinned-side-stream'), '--language', 'pytorch', '--out', file];
    expect(await code(...args)).toMatchObject({
      exitCode: 0,
      out: '',
      err: expect.stringMatching(/Written to .*program\.py\.\n$/),
    });
    expect(readFileSync(file, 'utf8')).toContain('import torch');
    expect(await code(...args)).toMatchObject({ exitCode: 2, err: expect.stringContaining('is not overwritten') });
  });

  it('marks what the remedy that gains most has added and changed', async () => {
    const args = [exampleFile('pageable-side-stream'), '--language', 'cuda'];
    const [plain, remedied] = [await code(...args), await code(...args, '--remedy')];
    expect(plain.out).not.toContain('Remedy:');
    expect(remedied).toMatchObject({ exitCode: 0, err: expect.stringMatching(/^Remedy: /) });
    const lines = remedied.out.split('\n').map((line) => line.trim());
    const at = lines.findIndex((line) => line.includes('memory, where it was pageable memory.'));
    expect(lines[at]).toMatch(/^\/\/ Remedy: pinned memory/);
    expect(lines[at + 1]).toBe('uint8_t *source = nullptr;');
    const none = await code(exampleFile('pinned-side-stream'), '--language', 'cuda', '--remedy');
    expect(none).toMatchObject({ exitCode: 2, err: expect.stringContaining('no remedy is known') });
  });
});
