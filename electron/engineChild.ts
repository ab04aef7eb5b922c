/** The engine process under Electron: a utility process, owned by the main process. */
import { type UtilityProcess, utilityProcess } from 'electron';
import type { EngineChild } from '../host/engine/child.ts';

const stderrTail = 4096;

/** Starts the engine process's script as a utility process. */
export function forkUtilityEngine(script: string): EngineChild {
  const child = utilityProcess.fork(script, [], {
    serviceName: 'Copyscope engine',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let ended = false;
  const stderr = tailOf(child);
  child.once('exit', () => {
    ended = true;
  });
  return {
    post: (message) => {
      if (!ended) child.postMessage(message);
    },
    onMessage: (handler) => void child.on('message', handler),
    onExit: (handler) => void child.once('exit', (code) => handler({ code, signal: null, stderr: stderr() })),
    kill: () => kill(child),
  };
}

/** Kills the process at once, since one that hangs in a driver call may ignore the polite signal of kill(). */
function kill(child: UtilityProcess): void {
  if (child.pid === undefined) {
    child.kill();
    return;
  }
  try {
    process.kill(child.pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

function tailOf(child: UtilityProcess): () => string {
  let tail = '';
  child.stderr?.on('data', (text: Buffer | string) => {
    tail = (tail + String(text)).slice(-stderrTail);
  });
  return () => tail.trim();
}
