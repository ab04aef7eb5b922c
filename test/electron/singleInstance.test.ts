import { resolve } from 'node:path';
import type { App, BrowserWindow } from 'electron';
import { beforeEach, expect, it, vi } from 'vitest';
import { claimSingleInstance, filesAmong } from '../../electron/singleInstance.ts';
import { app, BrowserWindow as StandInWindow, state } from './support/electron.ts';

const claim = (window?: StandInWindow) => {
  const openFiles = vi.fn();
  const currentWindow = () => window as unknown as BrowserWindow | undefined;
  return { openFiles, claimed: claimSingleInstance(app as unknown as App, { currentWindow, openFiles }) };
};

beforeEach(() => {
  app.removeAllListeners();
  app.quit.mockClear();
  state.hasLock = true;
});

it('lets the first start go on', () => {
  expect(claim().claimed).toBe(true);
  expect(app.quit).not.toHaveBeenCalled();
});

it('ends a second start, which hears nothing of a third', () => {
  state.hasLock = false;
  expect(claim().claimed).toBe(false);
  expect(app.quit).toHaveBeenCalledOnce();
  expect(app.listenerCount('second-instance')).toBe(0);
});

it('shows the window and opens the files that a second start was given', () => {
  const window = new StandInWindow({});
  window.isMinimized.mockReturnValue(true);
  const { openFiles } = claim(window);
  app.emit('second-instance', {}, ['/opt/copyscope', '--no-sandbox', 'run.arrow', '/b/x.copyscope.json', '.'], '/a');
  expect(window.restore).toHaveBeenCalledOnce();
  expect(window.focus).toHaveBeenCalledOnce();
  expect(openFiles).toHaveBeenCalledExactlyOnceWith([resolve('/a/run.arrow'), resolve('/b/x.copyscope.json')]);
});

it('opens the file URLs that a Linux desktop hands over after a double-click', () => {
  expect(filesAmong(['file:///a/my%20run.arrow', 'file://server/b.arrow', 'file:///%E0%A4%A.arrow'], '/c')).toEqual([
    resolve('/a/my run.arrow'),
  ]);
});

it('takes only files that Copyscope opens from a command line', () => {
  expect(filesAmong(['-run.arrow', '--x=run.arrow', 'notes.txt', '.', 'copyscope'], '/a')).toEqual([]);
  const files = ['run.arrow', 'mine.copyscope.json', 'worker0.pt.trace.json.gz', 'TRACE.JSON', 'all.copyscope'];
  expect(filesAmong(files, '/a')).toEqual(files.map((file) => resolve('/a', file)));
});
