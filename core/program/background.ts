/**
 * Moves multi-tensor copies with `use_background_thread` to a host thread of their own, as ACCV-Lab's copier schedules
 * them: the call hands the job over and returns. The calling thread waits for the job, as its handle's get() does, before
 * its next operation in the job's stream, or at the end of the repeat or thread.
 */
import type { Instruction, InstructionOf } from './instructions.ts';
import type { MultiCopyPlan, ProgramSignal, ProgramStream, ProgramThread } from './program.ts';

interface Declared {
  readonly threads: readonly ProgramThread[];
  readonly signals: readonly ProgramSignal[];
  readonly streams: readonly ProgramStream[];
  readonly multiCopies: readonly MultiCopyPlan[];
}

/** A job that its thread has handed over and not waited for. */
interface Job {
  readonly copy: InstructionOf<'multiCopy'>;
  readonly device: number;
  readonly arrived: number;
}

export const isInBackground = ({ options }: MultiCopyPlan): boolean => options['use_background_thread'] === true;

/** Returns threads, with those of background jobs at the end, and signals, with those for the jobs. */
export function withBackground(declared: Declared): Pick<Declared, 'threads' | 'signals'> {
  if (!declared.multiCopies.some(isInBackground)) return declared;
  const signals = [...declared.signals];
  const made = declared.threads.map((thread) => new Split(declared, thread, signals));
  const [threads, own] = [made.map(({ caller }) => caller), made.flatMap(({ background }) => background ?? [])];
  return { threads: [...threads, ...own], signals };
}

class Split {
  readonly caller: ProgramThread;
  /** Null if the thread has no such job. */
  readonly background: ProgramThread | null;
  readonly #declared: Declared;
  readonly #signals: ProgramSignal[];
  readonly #calls: Instruction[] = [];
  readonly #jobs: Instruction[] = [];

  constructor(declared: Declared, thread: ProgramThread, signals: ProgramSignal[]) {
    this.#declared = declared;
    this.#signals = signals;
    const { instructions } = thread;
    const jobs = instructions.filter((one) => this.#isJob(one)).length;
    if (jobs > 0) this.#split(instructions, 0, instructions.length);
    this.caller = jobs > 0 ? { ...thread, instructions: linked(this.#calls) } : thread;
    this.background = jobs > 0 ? { ...thread, id: `${thread.id} background`, instructions: linked(this.#jobs) } : null;
  }

  /** Splits the body of a repeat or thread: all its jobs are waited for at its end. */
  #split(instructions: readonly Instruction[], begin: number, end: number): void {
    let open: Job[] = [];
    const wait = (isDue: (job: Job) => boolean): void => {
      for (const { copy, arrived } of open.filter(isDue)) {
        this.#calls.push({ code: 'waitSignal', op: copy.op, signal: arrived });
      }
      open = open.filter((job) => !isDue(job));
    };
    for (let at = begin; at < end; at += 1) {
      const one = instructions[at] as Instruction;
      const body = one.code === 'repeat' ? instructions.slice(at, one.end + 1) : [one];
      wait((job) => body.some((inside) => uses(inside, job)));
      if (one.code === 'repeat') {
        const isShared = body.some((inside) => this.#isJob(inside));
        this.#calls.push(one);
        if (isShared) this.#jobs.push(one);
        this.#split(instructions, at + 1, one.end);
        const last = instructions[one.end] as Instruction;
        this.#calls.push(last);
        if (isShared) this.#jobs.push(last);
        at = one.end;
      } else if (one.code === 'multiCopy' && this.#isJob(one)) open.push(this.#handOver(one));
      else this.#calls.push(one);
    }
    wait(() => true);
  }

  #handOver(copy: InstructionOf<'multiCopy'>): Job {
    const { op } = copy;
    const [handed, arrived] = ['handed over', 'arrived'].map(
      (what) => this.#signals.push({ id: `multiCopy ${op} ${what}`, capacity: 1 }) - 1,
    ) as [number, number];
    this.#calls.push({ code: 'signal', op, signal: handed });
    this.#jobs.push({ code: 'waitSignal', op, signal: handed }, copy, { code: 'signal', op, signal: arrived });
    return { copy, device: this.#declared.streams[copy.stream]?.device ?? 0, arrived };
  }

  #isJob(one: Instruction): boolean {
    if (one.code !== 'multiCopy') return false;
    const plan = this.#declared.multiCopies[one.plan];
    return plan !== undefined && isInBackground(plan);
  }
}

function uses(one: Instruction, { copy, device }: Job): boolean {
  if (one.code === 'synchronizeDevice') return one.device === device;
  return 'stream' in one && one.stream === copy.stream;
}

/** Returns instructions whose repeats name the places of their ends, and these those of their repeats. */
export function linked(instructions: readonly Instruction[]): Instruction[] {
  const made = [...instructions];
  const open: number[] = [];
  made.forEach((one, index) => {
    if (one.code === 'repeat') open.push(index);
    if (one.code !== 'endRepeat') return;
    const start = open.pop() ?? 0;
    made[index] = { ...one, start };
    made[start] = { ...(made[start] as InstructionOf<'repeat'>), end: index };
  });
  return made;
}
