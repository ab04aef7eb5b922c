/**
 * The service over a message channel: a MessagePort in the desktop app, a WebSocket in the browser. birpc makes the
 * calls. This file adds what a trust boundary needs: validated requests, known names only, errors as ErrorInfo.
 */
import { createBirpc } from 'birpc';
import { CopyscopeError } from '../errors.ts';
import { withError, withErrorInfo } from './errorEnvelope.ts';
import { hostFunctions, isHostFunction, requireArguments, requireKind } from './requests.ts';
import type { HostService, WindowEvents, WindowService } from './service.ts';
import { AllowedStarts } from './starts.ts';

/** Transfers structured-cloneable messages in order. A byte channel encodes them with codec.ts. */
export interface Channel {
  post(message: unknown): void;
  /** Called once. Delivers earlier messages then. */
  listen(handler: (message: unknown) => void): void;
  /** Present if the channel can tell that the other side has gone. */
  onClose?(handler: () => void): void;
}

export interface WindowConnection {
  /** Sends events to the window; ignored if the window has gone. */
  readonly events: WindowEvents;
  close(): void;
}

export interface HostConnection {
  readonly service: WindowService;
  /** Rejects pending calls with `connection.lost`. The owner of the channel closes the channel itself. */
  close(): void;
}

/** A call from the window may wait for an engine process to start and create its CUDA context. */
const callTimeoutMs = 120_000;

const isEvent: Readonly<Record<keyof WindowEvents, true>> = {
  runProgress: true,
  runChanged: true,
  recordingChanged: true,
  experimentsChanged: true,
  profilesChanged: true,
  notesChanged: true,
  opened: true,
  sweepChanged: true,
  sweepPoint: true,
  remoteChanged: true,
  engineChanged: true,
};
type EventName = keyof WindowEvents;
const eventNames = Object.keys(isEvent) as readonly EventName[];

/** Serves one window. Validates every request, and rejects unknown functions with `request.unknown`. */
export function serveWindow(channel: Channel, service: HostService): WindowConnection {
  const allowed = new AllowedStarts();
  const rpc = createBirpc<WindowEvents, object, false>(
    {},
    {
      proxify: false,
      post: (message: unknown) => channel.post(message),
      on: (receive) => channel.listen((message) => void (isRequest(message) && receive(message))),
      serialize: withErrorInfo,
      resolver: (name) => guarded(name, service, allowed),
      // True: a reply that can't be posted (too large, window gone) becomes an error reply or nothing, not a crash.
      onGeneralError: () => true,
    },
  );
  const close = (): void => rpc.$close();
  channel.onClose?.(close);
  const tell =
    (name: EventName) =>
    (...args: unknown[]): void => {
      const event = args as Parameters<WindowEvents[EventName]>;
      if (!rpc.$closed) void rpc.$callEvent(name, ...event).catch(close);
    };
  const events = Object.fromEntries(eventNames.map((name) => [name, tell(name)]));
  return { events: events as unknown as WindowEvents, close };
}

/** Returns the host as a window sees it. Every rejection is a CopyscopeError. Calls `onLost` if the host has gone. */
export function connectHost(
  channel: Channel,
  events: WindowEvents,
  onLost?: (error: CopyscopeError) => void,
): HostConnection {
  const rpc = createBirpc<WindowService, object, false>(
    {},
    {
      proxify: false,
      post: (message: unknown) => channel.post(message),
      on: (receive) => channel.listen((message) => void (isReplyOrEvent(message) && receive(message))),
      deserialize: withError,
      resolver: (name) => listener(name, events),
      timeout: callTimeoutMs,
      onTimeoutError: (name) => {
        throw timedOut(name);
      },
    },
  );
  const close = (): void => rpc.$close(lost());
  channel.onClose?.(() => {
    if (rpc.$closed) return;
    close();
    onLost?.(lost());
  });
  const call = async (name: keyof WindowService, args: unknown[]): Promise<unknown> => {
    if (rpc.$closed) throw lost();
    return rpc.$callRaw({ method: name, args });
  };
  const names = [...hostFunctions, 'allowStarts'] as const;
  const entries = names.map((name) => [name, (...args: unknown[]) => call(name, args)] as const);
  return { service: Object.fromEntries(entries) as unknown as WindowService, close };
}

function guarded(name: string, service: HostService, allowed: AllowedStarts): (...args: unknown[]) => Promise<unknown> {
  return async (...args) => {
    if (name === 'allowStarts') return allowed.allow(requireKind(args));
    if (!isHostFunction(name)) throw unknownFunction(name);
    const checked = requireArguments(name, args);
    await allowed.require(name, checked, service);
    const call = service[name] as (...args: unknown[]) => Promise<unknown>;
    return call.apply(service, checked);
  };
}

function listener(name: string, events: WindowEvents): ((...args: unknown[]) => void) | undefined {
  if (!Object.hasOwn(isEvent, name)) return undefined;
  const handle = events[name as EventName] as (...args: unknown[]) => void;
  return (...args) => {
    try {
      handle.apply(events, args);
    } catch (error) {
      // birpc drops what an event handler throws; an unhandled rejection makes it visible.
      void Promise.reject(error);
    }
  };
}

// Messages: birpc's are { t: 'q', m, a, i? } for a call or event and { t: 's', i, r | e } for its reply.

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
const isCall = (message: unknown): boolean =>
  isObject(message) && message['t'] === 'q' && typeof message['m'] === 'string' && Array.isArray(message['a']);

/** Returns whether a window may send it: only calls with an id. */
const isRequest = (message: unknown): boolean =>
  isCall(message) && isObject(message) && typeof message['i'] === 'string' && message['i'].length <= 64;

/** Returns whether a host may send it: only replies, and events without an id. */
const isReplyOrEvent = (message: unknown): boolean =>
  (isObject(message) && message['t'] === 's' && typeof message['i'] === 'string') || isCall(message);

const lost = (): CopyscopeError =>
  new CopyscopeError({
    code: 'connection.lost',
    message: 'The connection to the host was lost.',
    remedy: 'Reload the window; if that fails, start Copyscope again.',
  });

const timedOut = (name: string): CopyscopeError =>
  new CopyscopeError({
    code: 'connection.timeout',
    message: `The host did not answer ${name} within ${callTimeoutMs / 1000} s.`,
    remedy: 'Try again; if that fails, start Copyscope again.',
  });

const unknownFunction = (name: string): CopyscopeError =>
  new CopyscopeError({
    code: 'request.unknown',
    message: `There is no function ${JSON.stringify(name.slice(0, 80))}.`,
    remedy: 'Reload the window, so that both sides have the same version.',
  });
