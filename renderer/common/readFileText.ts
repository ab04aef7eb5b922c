import { fileTooLarge } from '../../core/fileTooLarge.ts';

/** Returns the text of a file. Rejects with `file.too-large`, before reading, if it has more than `maxBytes`. */
export async function readFileText(file: File, maxBytes: number): Promise<string> {
  if (file.size > maxBytes) throw fileTooLarge(file.name, file.size, maxBytes);
  return file.text();
}
