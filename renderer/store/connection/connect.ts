/** Keeps the window connected: opens a channel, fills the store, and reconnects when the host is gone. */
import { type ErrorInfo, toErrorInfo } from '../../../core/errors.ts';
import { connectHost, type HostConnection } from '../../../core/service/rpc.ts';
import { setService } from '../host.ts';
import { joinHost } from '../hostEvents.ts';
import { assign } from '../store.ts';
import { askBeforeStarts } from './askBeforeStarts.ts';
import { type OpenChannel, openChannel } from './channel.ts';

const retryDelaysMs = [500, 1000, 2000, 4000, 8000];

let open: { channel: OpenChannel; host: HostConnection } | null = null;
let attempts = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Connects now, and drops any existing connection or pending attempt. */
export function connect(): void {
  clearTimeout(timer);
  drop();
  assign({ connection: { status: 'connecting', problem: null } });
  void establish();
}

async function establish(): Promise<void> {
  try {
    const channel = await openChannel();
    const { events, fill } = joinHost();
    const host = connectHost(channel.channel, events, (error) => lose(toErrorInfo(error)));
    open = { channel, host };
    setService(askBeforeStarts(host.service));
    await fill();
    attempts = 0;
    assign({ connection: { status: 'open', problem: null } });
  } catch (thrown) {
    lose(toErrorInfo(thrown, 'connection.failed'));
  }
}

function lose(problem: ErrorInfo): void {
  drop();
  assign({ connection: { status: 'lost', problem } });
  const delay = retryDelaysMs[Math.min(attempts, retryDelaysMs.length - 1)];
  attempts += 1;
  clearTimeout(timer);
  timer = setTimeout(() => {
    assign({ connection: { status: 'lost', problem } });
    void establish();
  }, delay);
}

function drop(): void {
  setService(null);
  const before = open;
  open = null;
  before?.host.close();
  before?.channel.close();
}
