import { CopyscopeError, fileTooLarge } from '../../core/errors.ts';

/** A drawing as SVG text. */
export interface Drawn {
  readonly text: string;
  readonly width: number;
  readonly height: number;
}

/** Browsers refuse canvases above these sizes. */
const mostSide = 16_000;
const mostPixels = 120_000_000;

/** Draws two pixels for each pixel of the drawing, fewer if that is too large. Rejects with `picture.too-large`. */
export async function pngOf({ text, width, height }: Drawn): Promise<Blob> {
  const ratio = Math.min(2, mostSide / width, mostSide / height, Math.sqrt(mostPixels / (width * height)));
  const image = new Image(width, height);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob !== null) return blob;
  throw new CopyscopeError({
    code: 'picture.too-large',
    message: `A picture of ${width} × ${height} pixels is larger than this browser makes.`,
    remedy: 'Choose a smaller width, or save the drawing (SVG).',
  });
}

/** Returns the text of a file. Rejects with `file.too-large`, before reading, if it has more than `maxBytes`. */
export async function readFileText(file: File, maxBytes: number): Promise<string> {
  if (file.size > maxBytes) throw fileTooLarge(file.name, file.size, maxBytes);
  return file.text();
}

/** Asks for files with the browser's or the desktop's dialog. */
export function chooseFiles(accept: string, take: (files: readonly File[]) => void): void {
  const input = document.createElement('input');
  Object.assign(input, { type: 'file', multiple: true, accept });
  input.addEventListener('change', () => take([...(input.files ?? [])]));
  input.click();
}

/** Saves a file with the browser's download or the desktop's dialog. */
export function saveBlob(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The download has begun by then. Some browsers need the address for a while.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
