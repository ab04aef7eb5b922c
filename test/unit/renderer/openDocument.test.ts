import { expect, it } from 'vitest';
import { maxExperimentCharacters } from '../../../core/experiment/parse.ts';
import { openDocument } from '../../../renderer/files/files.ts';

/** A file with a claimed size, of which only the head may be read. */
class LargeFile extends File {
  readonly #size: number;

  constructor(format: string, size: number) {
    super([`{"format": "copyscope/${format}"`], 'large.json');
    this.#size = size;
  }

  override get size(): number {
    return this.#size;
  }

  override slice(): Blob {
    return new Blob([this]);
  }

  override text(): Promise<string> {
    return Promise.reject(new Error('read as a whole'));
  }
}

it('a sweep that is too large is refused before it is read, in the host’s words', async () => {
  const [format, most] = ['sweep', maxExperimentCharacters] as const;
  await expect(openDocument(new LargeFile(format, most + 1))).rejects.toMatchObject({
    code: 'file.too-large',
    message: `large.json has ${most + 1} bytes; at most ${most} are read.`,
    remedy: 'Check that it is the file you mean.',
  });
  await expect(openDocument(new LargeFile(format, most))).rejects.toThrow('read as a whole');
});
