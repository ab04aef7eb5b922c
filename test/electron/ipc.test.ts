import { describe, expect, it, vi } from 'vitest';
import type { Channel } from '../../core/service/rpc.ts';
import { eventually } from '../unit/support/eventually.ts';
import type * as StandIn from './support/electron.ts';

vi.mock('electron', () => import('./support/electron.ts'));

const electron = (await import('electron')) as unknown as typeof StandIn;
const { answerPortRequests } = await import('../../electron/ipc.ts');

interface Frame {
  url: string;
  parent: Frame | null;
  postMessage: ReturnType<typeof vi.fn>;
}

const frameAt = (url: string, parent: Frame | null = null): Frame => ({ url, parent, postMessage: vi.fn() });

/** Returns the result of a request from `frame` in a page whose top frame is `top`. */
function ask(frame: Frame | null, top: Frame | null = frame) {
  electron.ipcMain.removeAllListeners();
  const ports: Channel[] = [];
  const refusals: string[] = [];
  answerPortRequests(
    electron.ipcMain as never,
    (port) => ports.push(port),
    (reason) => refusals.push(reason),
  );
  electron.ipcMain.emit('copyscope:port', { senderFrame: frame, sender: { mainFrame: top } });
  return { ports, refusals };
}

describe('a request for a port', () => {
  it('from the top frame of our page is answered, to that frame alone', () => {
    const frame = frameAt('copyscope://app/#x');
    const { ports, refusals } = ask(frame);
    expect(refusals).toEqual([]);
    expect(ports).toHaveLength(1);
    expect(frame.postMessage).toHaveBeenCalledExactlyOnceWith('copyscope:port', null, [expect.anything()]);
  });

  it.each([
    'https://example.com/',
    'file:///index.html',
    'copyscope://evil/',
    'copyscope://app.evil/',
    'copyscope://app:81/',
    'about:blank',
    'devtools://devtools/',
    '',
  ])('from %s is refused', (url) => {
    const frame = frameAt(url);
    const { ports, refusals } = ask(frame);
    expect(ports).toEqual([]);
    expect(refusals).toHaveLength(1);
    expect(frame.postMessage).not.toHaveBeenCalled();
  });

  it('from a frame inside our page is refused, of whatever origin it is', () => {
    const top = frameAt('copyscope://app/');
    expect(ask(frameAt('copyscope://app/', top), top).ports).toEqual([]);
    expect(ask(frameAt('copyscope://app/'), top).ports).toEqual([]);
  });

  it('from a frame that has gone is refused', () => {
    expect(ask(null).refusals).toEqual(['the page has gone']);
  });
});

it('a port hears that the page closes it', async () => {
  const frame = frameAt('copyscope://app/');
  const [channel] = ask(frame).ports;
  const port = frame.postMessage.mock.calls[0]?.[2][0] as InstanceType<typeof StandIn.MessageChannelMain>['port2'];
  const closed = vi.fn();
  channel?.onClose?.(closed);
  port.close();
  await eventually(() => expect(closed).toHaveBeenCalled());
});
