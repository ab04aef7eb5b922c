/** Names, expressions and helpers of a generated PyTorch program. */
import type { ProgramStream } from '../../program/program.ts';
import { CodeScope } from '../scope.ts';
import { bufferOf, type Subject, streamOf } from '../subject.ts';
import type { PyTorchHelper } from './helpers.ts';

/** Python's keywords and names of the program's own lines. */
const reserved =
  `False None True and as assert async await break class continue def del elif else except finally for from global if
  import in is lambda nonlocal not or pass raise return try while with yield match case type print range len int max min
  round open input id list dict set str sum object bytes torch time threading queue functools ctypes os sys KiB MiB GiB
  start start_together run thread function matrix matmul transforms work spin multiply arithmetic factor_of blocking_stream register make_tensors
  cycles_per_ns measure_cycles_per_ns iteration begin took one threads concurrent pool tensor staged i j k l m n
  enumerate zip map filter next iter hash dir vars all any abs pow exit quit copied begin_from begin_to size`.split(
    /\s+/,
  );

export class PyTorchScope extends CodeScope<PyTorchHelper> {
  readonly modules = new Set<string>();
  readonly results: readonly string[];

  constructor(subject: Subject) {
    super(subject, reserved, '_');
    this.results = subject.program.multiCopies.map((_, index) => this.names.make(`copied${index + 1}`, 'copy'));
  }

  protected override defaultStream({ kind, device }: ProgramStream): string {
    if (kind === 'legacy-default') return `torch.cuda.default_stream(${this.device(device)})`;
    // cudaStreamPerThread is this number.
    return kind === 'per-thread-default' ? `torch.cuda.ExternalStream(2, device=${this.device(device)})` : '';
  }

  /** Returns a whole buffer, or 'source[4 * KiB : 8 * KiB]'. */
  region(buffer: number, offset: number, bytes: number, stepBytes = 0): string {
    const name = this.name(buffer);
    const whole = bufferOf(this.subject, buffer).bytes;
    if (offset === 0 && bytes === whole) return name;
    const isToEnd = offset + bytes === whole && stepBytes === 0;
    const [from, to] = [this.place(offset, stepBytes), isToEnd ? '' : this.place(offset + bytes, stepBytes)];
    return `${name}[${from === '' ? '' : `${from} `}:${to === '' ? '' : ` ${to}`}]`;
  }

  /** Returns for example '"cuda:0"', by the device's index in the program. */
  device(device: number): string {
    return `"cuda:${this.subject.program.devices[device]?.index ?? 0}"`;
  }

  deviceOfStream(stream: number): string {
    return this.device(streamOf(this.subject, stream).device);
  }
}
