/** Chunks of a build become scripts that find each other without an import. */
import { createContext, runInContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { scriptsOf } from '../../../scripts/lib/report-scripts.mjs';

const chunks = [
  {
    fileName: 'assets/engine-1a.js',
    name: 'engine',
    imports: ['assets/main-2b.js'],
    code: 'import{t as e}from"./main-2b.js";const draw=()=>e+"!";export{draw};',
  },
  {
    fileName: 'assets/Drawing-3c.js',
    name: 'Drawing',
    imports: ['assets/main-2b.js', 'assets/engine-1a.js'],
    code: 'import{t as n}from"./main-2b.js";import{draw as r}from"./engine-1a.js";const i=n+" "+r();export{i as Drawing};',
  },
  {
    fileName: 'assets/main-2b.js',
    name: 'main',
    isEntry: true,
    imports: ['assets/runtime-4d.js'],
    code: 'import{r as u}from"./runtime-4d.js";const a=u;globalThis.opened=()=>import(`./Drawing-3c.js`);export{a as t};',
  },
  { fileName: 'assets/runtime-4d.js', name: 'runtime', imports: [], code: 'const u="µs";export{u as r};' },
];

describe('the scripts of a report', () => {
  it('import what others export, and load what is needed first, before', async () => {
    const { scripts, first } = scriptsOf(chunks);
    expect([...scripts.keys()]).toEqual(['program', 'script-engine', 'script-drawing', 'script-runtime']);
    expect(first).toEqual(['script-runtime', 'program']);
    const loaded: string[] = [];
    const page = createContext({
      reportParts: {
        exports: {} as Record<string, unknown>,
        load(...names: string[]) {
          loaded.push(...names);
          for (const name of names) runInContext(scripts.get(name) ?? '', page);
          return this.exports[names.at(-1) ?? ''];
        },
      },
    });
    for (const name of first) runInContext(scripts.get(name) ?? '', page);
    expect(loaded).toEqual([]);
    expect(runInContext('opened()', page)).toEqual({ Drawing: 'µs µs!' });
    expect(loaded).toEqual(['script-engine', 'script-drawing']);
  });

  it('hold letters that every browser keeps in one byte', () => {
    for (const text of scriptsOf(chunks).scripts.values()) expect(text).toMatch(/^[\0-\x7f]*$/);
  });

  it('are refused where something of a module is left', () => {
    const odd = { fileName: 'assets/main.js', name: 'main', isEntry: true, imports: [], code: 'import.meta.url' };
    expect(() => scriptsOf([odd])).toThrow();
  });
});
