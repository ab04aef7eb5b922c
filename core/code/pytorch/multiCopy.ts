/** Writes multi-tensor copies in PyTorch. */
import type { MultiCopyPlan } from '../../program/program.ts';
import type { Listing } from '../listing.ts';
import type { Writes } from '../scope.ts';
import { required, sizesOf, streamOf } from '../subject.ts';
import type { PyTorchScope } from './scope.ts';

export function writeMultiCopy(scope: PyTorchScope, listing: Listing, { plan, stream, op }: Writes<'multiCopy'>): void {
  scope.use('tensors');
  const copy = required(scope.subject.program.multiCopies, plan);
  const [tensors, result] = [required(scope.tensors, plan), required(scope.results, plan)];
  const place = copy.direction.endsWith('h') ? '"cpu"' : scope.device(streamOf(scope.subject, stream).device);
  for (const note of notesOf(copy)) listing.note(note, op);
  listing.add(`with torch.cuda.stream(${scope.stream(stream)}):`, op);
  listing.inside(() => {
    for (const line of linesOf(copy, tensors, result, place)) listing.add(line, op);
    if (waitsAtEnd(copy)) listing.add('torch.cuda.current_stream().synchronize()', op);
  });
  if (copy.strategy === 'threaded-pinning') scope.modules.add('concurrent.futures');
}

/** Returns for example 'make_tensors([4 * KiB], 64, "pageable")'. */
export function tensorsExpression(scope: PyTorchScope, copy: MultiCopyPlan, device: number): string {
  const { each, count } = sizesOf(copy);
  const place = copy.direction.startsWith('d') ? scope.device(device) : `"${copy.memory}"`;
  return `make_tensors([${each.map((bytes) => scope.bytes(bytes)).join(', ')}], ${count}, ${place})`;
}

const waitsAtEnd = ({ strategy }: MultiCopyPlan): boolean =>
  strategy !== 'blocking-loop' && strategy !== 'pin-then-copy';

function notesOf({ strategy, direction }: MultiCopyPlan): string[] {
  const isOneSided = direction === 'd2d' || direction === 'h2h';
  return [
    ...(isOneSided
      ? [`A copy from ${direction.replace('2', ' to ')} has nothing to pin: clone() copies one tensor after another.`]
      : []),
    ...(!isOneSided && (strategy === 'packed' || strategy === 'pipelined')
      ? [`Copyscope's ${strategy} copier packs and copies chunk by chunk with several threads; here all is one chunk.`]
      : []),
  ];
}

function linesOf(
  { strategy, direction, options }: MultiCopyPlan,
  tensors: string,
  result: string,
  place: string,
): string[] {
  if (direction === 'd2d' || direction === 'h2h') return [`${result} = [tensor.clone() for tensor in ${tensors}]`];
  const to = (tensor: string, more = ''): string => `${tensor}.to(${place}${more})`;
  const list = (made: string): string => `${result} = [${made} for tensor in ${tensors}]`;
  const isUp = direction === 'h2d';
  const intoPinned = 'torch.empty_like(tensor, device="cpu", pin_memory=True)';
  switch (strategy) {
    case 'blocking-loop':
      return [list(to('tensor'))];
    case 'non-blocking-loop':
      return [list(to('tensor', ', non_blocking=True'))];
    case 'pin-then-copy':
      return [list(isUp ? to('tensor.pin_memory()') : `${intoPinned}.copy_(tensor).clone()`)];
    case 'pin-then-copy-non-blocking':
      return [
        list(
          isUp ? to('tensor.pin_memory()', ', non_blocking=True') : `${intoPinned}.copy_(tensor, non_blocking=True)`,
        ),
      ];
    case 'threaded-pinning': {
      if (!isUp) return [list(`${intoPinned}.copy_(tensor, non_blocking=True)`)];
      const threads = typeof options['threads'] === 'number' ? options['threads'] : 4;
      return [
        `with concurrent.futures.ThreadPoolExecutor(${threads}) as pool:`,
        `    ${result} = [`,
        `        ${to('staged', ', non_blocking=True')}`,
        `        for staged in pool.map(torch.Tensor.pin_memory, ${tensors})`,
        '    ]',
      ];
    }
    default: {
      if (!isUp) return [list(`${intoPinned}.copy_(tensor, non_blocking=True)`)];
      return [
        `staged = torch.cat(${tensors}).pin_memory()`,
        `${result} = ${to('staged', ', non_blocking=True')}.split([tensor.numel() for tensor in ${tensors}])`,
      ];
    }
  }
}
