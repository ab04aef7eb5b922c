import { fileTooLarge } from '../../core/fileTooLarge.ts';

/** The text of a file that was chosen or dropped; `file.too-large` where it has more than `maxBytes`, before it is read. */
export async function readFileText(file: File, maxBytes: number): Promise<string> {
  if (file.size > maxBytes) throw fileTooLarge(file.name, file.size, maxBytes);
  return file.text();
}
