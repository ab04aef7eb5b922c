/** The engine process as seen by its owner: Node's child_process here, Electron's utilityProcess in the desktop app. */
import { type ChildProcess, fork } from 'node:child_process';

export interface ChildExit {
  /** Exit code; null if a signal ended it, or it never started. */
  readonly code: number | null;
  readonly signal: string | null;
  /** The end of its stderr, or the reason why it could not start. */
  readonly stderr: string;
}

export interface EngineChild {
  /** Sends structured-cloneable messages in order. Posting to a child that has ended does nothing. */
  post(message: unknown): void;
  onMessage(handler: (message: unknown) => void): void;
  /** Called once, after the last message. */
  onExit(handler: (exit: ChildExit) => void): void;
  /** Ends the process at once. */
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
      // The callback swallows the error of a closed channel; 'close' reports the end.
      if (child.connected) child.send(message as object, () => {});
    },
    onMessage: (handler) => void child.on('message', handler),
    onExit: (handler) => {
      // 'close' comes after 'exit', when every message and all of stderr has been read.
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
