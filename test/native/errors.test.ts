import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Addon, type AddonReport, addonCandidates, loadAddon } from '../../native/addon.ts';
import { encodeProgram } from '../../native/encode.ts';
import { loadNative, makeNative } from '../../native/index.ts';
import { reportFrom } from '../../native/report.ts';
import { newFolder } from '../support/newFolder.ts';
import { describeNative, once, request } from './support.ts';

const folder = newFolder();

const work = request({ environment: once, operations: [{ op: 'work', durationNs: 1000 }] });

describeNative('the addon', () => {
  test('ends its runs when the process ends in the middle of one', () => {
    const script = join(folder, 'exit.cjs');
    const path = addonCandidates(process.env, new URL('../../native/addon.ts', import.meta.url).pathname).find(
      existsSync,
    );
    const long = request({
      environment: once,
      operations: [{ op: 'work', durationNs: 6e11 }],
    });
    const encoded = encodeProgram(long.program, { engine: 'cpu', timing: 'cupti' });
    const text = JSON.stringify(encoded, (_, value) =>
      value instanceof Float64Array ? { numbers: [...value] } : value,
    );
    writeFileSync(
      script,
      `const addon = require(${JSON.stringify(path)});
       const request = JSON.parse(${JSON.stringify(text)}, (_, value) => value?.numbers ? new Float64Array(value.numbers) : value);
       addon.start(request, () => {});
       setTimeout(() => process.exit(7), 50);`,
    );
    const result = spawnSync(process.execPath, [script], { timeout: 60_000, encoding: 'utf8' });
    expect(result.stderr).toBe('');
    expect(result.status).toBe(7);
  });
});

describe('without an addon', () => {
  test('the report says so with a remedy, and an engine rejects', async () => {
    const native = makeNative(() => loadAddon({ COPYSCOPE_ADDON: join(folder, 'nowhere.node') }));
    const problem = { code: 'native.not-built', remedy: expect.stringContaining('npm run build:native') };
    const report = native.report();
    expect(report.devices).toEqual([]);
    expect(report.engines).toMatchObject([
      { kind: 'cuda', available: false, problem },
      { kind: 'cpu', available: false, problem },
      { kind: 'sim', available: true },
    ]);
    await expect(native.engine('cpu').run(work)).rejects.toMatchObject(problem);
  });

  test('an error for a file that is no addon differs from the one for a missing file', () => {
    const path = join(folder, 'broken.node');
    writeFileSync(path, 'not a library');
    const native = makeNative(() => loadAddon({ COPYSCOPE_ADDON: path }));
    expect(native.report().engines[1]?.problem).toMatchObject({
      code: 'native.unloadable',
      remedy: expect.any(String),
    });
  });
});

/** An addon that is used only for its report. */
const unused: Omit<Addon, 'report'> = {
  layout: '',
  start: () => 0,
  cancel: () => false,
  contentBytes: () => new Uint8Array(0),
};

test('an addon built from other sources is refused', () => {
  const path = join(folder, 'stale.cjs');
  writeFileSync(path, "exports.layout = '0;work';");
  const native = makeNative(() => loadAddon({ COPYSCOPE_ADDON: path }));
  const problem = { code: 'native.stale', remedy: expect.stringContaining('npm run build:native') };
  expect(native.report().engines[1]).toMatchObject({ available: false, problem });
});

describe('the device report', () => {
  const found: AddonReport = {
    withCuda: true,
    devices: [
      {
        index: 0,
        name: 'NVIDIA H200',
        computeCapability: '9.0',
        asyncEngineCount: 3,
        multiprocessors: 132,
        memoryBytes: 150109880320,
        pciBusId: '0000:00:00.0',
        linkGeneration: 5,
        linkWidth: 0,
      },
    ],
    driverVersion: 13010,
    runtimeVersion: 13000,
    error: '',
    cuptiFound: true,
    cuptiDetail: '/somewhere/libcupti.so',
    cuptiVersion: 130001,
  };

  test('names versions, and says what is not known', () => {
    const report = reportFrom(found);
    expect(report).toMatchObject({ driverVersion: '13.1', runtimeVersion: '13.0', cupti: { version: 130001 } });
    expect(report.devices[0]).toMatchObject({ linkGeneration: 5, linkWidth: null });
    expect(report.engines).toEqual([
      { kind: 'cuda', available: true },
      { kind: 'cpu', available: true },
      { kind: 'sim', available: true },
    ]);
  });

  test.each([
    ['native.no-cuda-build', { withCuda: false, devices: [], driverVersion: 0 }],
    ['native.no-driver', { devices: [], driverVersion: 0 }],
    ['native.no-device', { devices: [], error: 'cudaErrorNoDevice (no CUDA-capable device is detected)' }],
  ] as const)('the device report has its own error for %s', async (code, change) => {
    const report = { ...found, ...change };
    const problem = { code, message: expect.any(String), remedy: expect.any(String) };
    expect(reportFrom(report).engines[0]).toMatchObject({ available: false, problem });
    expect(reportFrom(report).engines[1]?.available).toBe(true);
    const addon: Addon = { ...unused, report: () => report };
    await expect(
      makeNative(() => addon)
        .engine('cuda')
        .run(work),
    ).rejects.toMatchObject({ code });
  });

  test('the device report of this machine is one of these, and never throws', () => {
    const { engines, cupti } = loadNative().report();
    expect(engines.map(({ kind }) => kind)).toEqual(['cuda', 'cpu', 'sim']);
    expect(engines[2]).toEqual({ kind: 'sim', available: true });
    expect(cupti.detail).not.toBe('');
  });
});
