/** The engine process as its owner sees it: Node's child_process here, Electron's utilityProcess in the desktop app. */
import { type ChildProcess, fork } from 'node:child_process';

export interface ChildExit {
  /** Exit code; null where a signal ended it, or where it never started. */
  readonly code: number | null;
  readonly signal: string | null;
  /** The end of what it wrote to stderr, or why it could not be started. */
  readonly stderr: string;
}

export interface EngineChild {
  /** Carries structured-cloneable messages in order. Posting to a child that has ended does nothing. */
  post(message: unknown): void;
  onMessage(handler: (message: unknown) => void): void;
  /** Called once, after the last message. */
  onExit(handler: (exit: ChildExit) => void): void;
  /** Ends it at once, whatever it is doing. */
  kill(): void;
}

export type SpawnEngine = () => EngineChild;

const stderrTail = 4096;

/** Starts the engine process's script under plain Node. */
export function forkEngine(script: string): EngineChild {
  const child = fork(script, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'pipe', 'ipc'], execArgv: [] });
  const stderr = tailOf(child);
  return {
    post: (message) => {
      // The callback takes the error of a channel that has closed: 'close' tells the rest.
      if (child.connected) child.send(message as object, () => {});
    },
    onMessage: (handler) => void child.on('message', handler),
    onExit: (handler) => {
      // 'close' rather than 'exit': by then every message and all of stderr has been read.
      child.once('close', (code, signal) => handler({ code, signal, stderr: stderr() }));
      child.once('error', (error) => {
        if (child.pid === undefined) handler({ code: null, signal: null, stderr: error.message });
      });
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

function tailOf(child: ChildProcess): () => string {
  let tail = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-stderrTail);
  });
  return () => tail.trim();
}
