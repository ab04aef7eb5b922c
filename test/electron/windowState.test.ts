import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  readWindowState,
  usableBounds,
  usualSize,
  type WindowState,
  writeWindowState,
} from '../../electron/windowState.ts';
import { newFolder } from '../support/newFolder.ts';

const folder = newFolder();
const file = join(folder, 'window-state.json');

const left = { x: 0, y: 0, width: 1920, height: 1080 };
const right = { x: 1920, y: 0, width: 1920, height: 1080 };
const at = (x: number, y: number, width = 1200, height = 800): WindowState => ({
  bounds: { x, y, width, height },
  maximized: false,
  theme: 'system',
});

describe('the saved window state', () => {
  it('comes back as it was, and leaves no other file', () => {
    const state: WindowState = { ...at(-100, 50), maximized: true, theme: 'dark' };
    writeWindowState(file, state);
    expect(readWindowState(file)).toEqual(state);
    expect(readdirSync(folder)).toEqual(['window-state.json']);
  });

  it.each([
    ['nothing', ''],
    ['a truncated file', '{"bounds":{"x":1'],
    ['text for numbers', '{"bounds":{"x":"1","y":0,"width":1,"height":1},"maximized":false}'],
    ['huge numbers', '{"bounds":{"x":1e300,"y":0,"width":1,"height":1},"maximized":false}'],
    ['an unknown field', '{"bounds":{"x":0,"y":0,"width":9,"height":9},"maximized":false,"__proto__x":1}'],
    ['an array', '[]'],
  ])('is ignored where it holds %s', (_what, text) => {
    writeFileSync(file, text);
    expect(readWindowState(file)).toBeNull();
  });

  it('is ignored where it is not there', () => {
    expect(readWindowState(join(folder, 'none.json'))).toBeNull();
  });

  it('is never overwritten by one that is invalid', () => {
    writeWindowState(file, at(1, 2));
    const before = readFileSync(file, 'utf8');
    expect(() => writeWindowState(file, at(Number.NaN, 0))).toThrow();
    expect(readFileSync(file, 'utf8')).toBe(before);
  });
});

describe('the bounds to open with', () => {
  it('are those saved where a display shows the top of the window', () => {
    expect(usableBounds(at(100, 100), [left])).toEqual({ x: 100, y: 100, width: 1200, height: 800 });
    expect(usableBounds(at(2000, 100), [left, right])).toMatchObject({ x: 2000 });
    expect(usableBounds(at(-1000, 0), [left])).toMatchObject({ x: -1000 });
  });

  it('are the usual size where the display has gone, or too little of the window would show', () => {
    expect(usableBounds(at(2000, 100), [left])).toEqual(usualSize);
    expect(usableBounds(at(-1100, 0), [left])).toEqual(usualSize);
    expect(usableBounds(at(100, -30), [left])).toEqual(usualSize);
    expect(usableBounds(at(100, 1060), [left])).toEqual(usualSize);
    expect(usableBounds(at(0, 0), [])).toEqual(usualSize);
    expect(usableBounds(null, [left])).toEqual(usualSize);
  });

  it('are no larger than a display that has become smaller', () => {
    expect(usableBounds(at(100, 0, 3000, 2000), [left])).toEqual({ x: 100, y: 0, width: 1920, height: 1080 });
  });

  it('are never smaller than the window can be', () => {
    expect(usableBounds(at(0, 0, 200, 100), [left])).toEqual({ x: 0, y: 0, width: 960, height: 600 });
  });
});
