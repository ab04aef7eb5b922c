/** Lowers one operation that holds no others. */
import type { Operation, OperationOf } from '../experiment/operations.ts';
import type { Pattern } from '../experiment/resources.ts';
import { lowerCopy, lowerKernel, lowerMultiCopy, region } from './lowerWork.ts';
import type { Content, Instruction } from './program.ts';
import type { Place, Scope } from './scope.ts';

export type LeafOperation = Exclude<Operation, OperationOf<'repeat' | 'range' | 'graphCapture'>>;

/** Content of a region written with a pattern from its first byte. */
const patternContent = (pattern: Pattern): Content => ({ pattern, patternOffset: 0, multiplier: 1 });

export function lowerOperation(operation: LeafOperation, place: Place, scope: Scope): Instruction[] {
  const { op, thread } = place;
  const stream = 'stream' in operation ? scope.streams.resolve(operation.stream, thread) : -1;
  switch (operation.op) {
    case 'work':
      return [{ code: 'work', op, durationNs: operation.durationNs }];
    case 'write':
      return [{ code: 'write', op, ...region(operation, scope), content: patternContent(operation.pattern) }];
    case 'read': {
      const expected = operation.expect === undefined ? null : patternContent(operation.expect);
      return [{ code: 'read', op, ...region(operation, scope), expected }];
    }
    case 'pin': {
      const [src, dst] = [scope.buffer(operation.src), scope.buffer(operation.dst)];
      return [{ code: 'pin', op, src, dst, bytes: scope.size(src) }];
    }
    case 'allocate': {
      const { allocator } = operation;
      return [{ code: 'allocate', op, buffer: scope.buffer(operation.buffer), allocator, stream }];
    }
    case 'free': {
      const allocator = scope.allocator(operation.buffer);
      return [{ code: 'free', op, buffer: scope.buffer(operation.buffer), allocator, stream }];
    }
    case 'recordStream':
    case 'item':
      return [{ code: operation.op, op, buffer: scope.buffer(operation.buffer), stream }];
    case 'signal':
    case 'waitSignal':
      return [{ code: operation.op, op, signal: scope.signal(operation.signal) }];
    case 'copy':
      return lowerCopy(operation, place, scope);
    case 'memset':
      return [{ code: 'memset', op, ...region(operation, scope), value: operation.value, stream }];
    case 'kernel':
      return lowerKernel(operation, place, scope, stream);
    case 'recordEvent':
    case 'waitEvent':
      return [{ code: operation.op, op, event: scope.event(operation.event), stream }];
    case 'hostFunction':
      return [{ code: 'hostFunction', op, durationNs: operation.durationNs, stream }];
    case 'graphLaunch':
      return [{ code: 'launchGraph', op, graph: scope.graph(operation.graph), stream }];
    case 'multiCopy':
      return [lowerMultiCopy(operation, place, scope, stream)];
    case 'synchronizeStream':
    case 'queryStream':
      return [{ code: operation.op, op, stream }];
    case 'synchronizeEvent':
    case 'queryEvent':
      return [{ code: operation.op, op, event: scope.event(operation.event) }];
    case 'synchronizeDevice':
      return [{ code: 'synchronizeDevice', op, device: scope.device(operation.device, thread) }];
    case 'elapsedTime':
      return [{ code: 'elapsedTime', op, start: scope.event(operation.start), end: scope.event(operation.end) }];
  }
}
