/** Writes archives that no tool would: with any type of entry, any name, and any claimed size. */
export interface TarEntry {
  readonly name: string;
  readonly content: Uint8Array;
  /** Type in ustar: '0' is a file. */
  readonly type?: string;
  readonly link?: string;
  /** Size in the header, if it differs from the content's. */
  readonly claims?: number;
}

const blockBytes = 512;

function headOf({ name, content, type = '0', link = '', claims = content.length }: TarEntry): Buffer {
  const head = Buffer.alloc(blockBytes);
  head.write(name.slice(0, 100), 0);
  head.write('0000644\0', 100);
  head.write('0000000\0', 108);
  head.write('0000000\0', 116);
  head.write(`${claims.toString(8).padStart(11, '0').slice(-11)}\0`, 124);
  head.write('00000000000\0', 136);
  head.write('        ', 148);
  head.write(type, 156);
  head.write(link.slice(0, 100), 157);
  head.write('ustar\u000000', 257);
  const sum = head.reduce((all, byte) => all + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return head;
}

export function tarOf(entries: readonly TarEntry[]): Uint8Array {
  const parts = entries.flatMap((entry) => [
    headOf(entry),
    entry.content,
    Buffer.alloc((blockBytes - (entry.content.length % blockBytes)) % blockBytes),
  ]);
  return Buffer.concat([...parts, Buffer.alloc(2 * blockBytes)]);
}
