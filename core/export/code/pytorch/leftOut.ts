/** Buffers whose content depends on a kernel that PyTorch can't launch. */
import { bufferOf, isOnDevice, type Subject } from '../subject.ts';

export function leftOutBuffers(subject: Subject): ReadonlySet<number> {
  const found = new Set<number>();
  const onHost = (buffer: number): boolean => !isOnDevice(bufferOf(subject, buffer));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const one of subject.instructions) {
      if (one.code === 'kernel' && one.kernel.kind === 'stream') {
        const { src, dst } = one.kernel;
        if (onHost(src) || onHost(dst) || found.has(src)) found.add(dst);
      } else if ((one.code === 'copy' || one.code === 'pin') && found.has(one.src)) found.add(one.dst);
    }
  }
  return found;
}
