import { describe, expect, it } from 'vitest';
import { Redactor, textsOf } from '../../../core/present/redact.ts';
import { decodeRun, encodeRun } from '../../../core/trace/arrow.ts';
import { runName } from '../../../core/trace/run.ts';
import { example, smallRun } from '../host/support/runs.ts';
import { read, traceBytes } from '../import/support.ts';

const none = new Redactor([]);

describe('redacted texts', () => {
  it.each([
    ['/home/ann/work/train.py(12): step', 'train.py(12): step'],
    ['~/work/train.py', 'train.py'],
    ['../ann/train.py:12', 'train.py:12'],
    ['src/ann/train.py(3): load', 'train.py(3): load'],
    ['C:\\Users\\Ann Lee\\train.py(12): step', 'train.py(12): step'],
    ['\\\\server\\share\\run.json', 'run.json'],
    ['it is at /data/customer/secret', 'it is at …'],
    ['s3://bucket/ann/x.bin and https://ann:pw@host/x', '… and …'],
    ['mail ann.lee@example.org', 'mail …'],
    ['ran on ann@gpu-17', 'ran on …'],
    ['WANDB_API_KEY=abc123 PYTHONPATH="/home/ann/my lib"', 'WANDB_API_KEY=… PYTHONPATH=…'],
    ['python train.py --data imagenet --user=ann -v', 'python train.py --data … --user … -v'],
  ])('%s', (text, left) => {
    expect(none.text(text)).toBe(left);
  });

  it.each([
    'void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, 1ul> >(int)',
    'Memcpy HtoD (Pageable -> Device)',
    '55.2 GB/s of H2D/D2H copies, 3 copies/step',
    'set CUDA_LAUNCH_BLOCKING=1 and pin_memory=True',
    'ProfilerStep#3',
    'nn.Module: Linear_0',
    'a non-blocking copy – 3 of 4 – in stream 7',
    '<built-in method to of Tensor object at 0x7f>',
  ])('leaves %s', (text) => {
    expect(none.text(text)).toBe(text);
  });

  it('takes a user’s name out wherever it stands, once a home directory tells it', () => {
    const redactor = new Redactor(['/home/ann.lee/train.py(1): main']);
    expect(redactor.text('job of ann.lee, ann.leeway')).toBe('job of …, ann.leeway');
  });

  it('goes through plain values, and leaves keys and numbers', () => {
    expect(none.value({ 'a/b': ['/home/ann/x.py', 3, null], c: { d: true } })).toEqual({
      'a/b': ['x.py', 3, null],
      c: { d: true },
    });
  });
});

describe('a redacted run', () => {
  it('is a run whose rows, times and bytes are the same, without its folders', async () => {
    const run = await read(traceBytes('trace_streamed1_pinned1.json'));
    const [first = '', ...names] = run.trace.names;
    const secret = { ...run, trace: { ...run.trace, names: [`/home/ann/${first}.py(1): main`, ...names] } };
    const redacted = decodeRun(encodeRun(new Redactor(textsOf(secret)).run(secret)));
    expect(redacted.trace.columns.startNs).toEqual(run.trace.columns.startNs);
    expect(redacted.trace.columns.bytes).toEqual(run.trace.columns.bytes);
    expect(redacted.trace.names).toContain(`${first}.py(1): main`);
    expect(redacted.trace.names.join('\n')).not.toContain('ann');
  });

  it('keeps a valid experiment', () => {
    const own = { ...example(), name: 'copies of /home/ann/data', description: 'See /home/ann/notes.md, by ann.' };
    const run = smallRun(own, 'cuda');
    const redacted = decodeRun(encodeRun(new Redactor(textsOf(run)).run(run)));
    expect(runName(redacted.info)).toBe('copies of …');
    expect(redacted.info.experiment?.description).toBe('See notes.md, by ….');
    expect(redacted.info.experiment?.threads).toEqual(own.threads);
  });
});
