/** Reasons for what experiments leave out, where a document asks for it. */
import { describe, expect, it } from 'vitest';
import { parseExperiment } from '../../../core/experiment/parse.ts';

describe('a document that asks for what is left out', () => {
  it.each([
    [{ buffers: [{ id: 'a', memory: 'pinned', bytes: 4, numaNode: 1 }] }, 'NUMA'],
    [{ environment: { mps: true } }, 'MPS'],
    [{ environment: { driver: 'WDDM', wddm: true } }, 'WDDM'],
    [{ environment: { confidentialComputing: true } }, 'Confidential'],
    [{ buffers: [{ id: 'a', memory: 'gpudirect', bytes: 4 }] }, 'GPUDirect'],
  ])('gets the reason for %j', (parts, word) => {
    const threads = [{ id: 'main', operations: [] }];
    const parsed = parseExperiment({ format: 'copyscope/experiment', version: 2, name: 'n', threads, ...parts });
    expect(parsed.ok ? [] : parsed.problems.map(({ remedy }) => remedy)).toContainEqual(expect.stringContaining(word));
  });
});
