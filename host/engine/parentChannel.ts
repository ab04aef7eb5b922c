/** The engine process's end of the channel to its owner: Node's IPC, or Electron's parent port in a utility process. */
import type { SupervisorChannel } from './serveEngine.ts';

/** The needed part of Electron's process.parentPort; Node has none. */
interface ParentPort {
  postMessage(message: unknown): void;
  on(event: 'message', handler: (event: { readonly data: unknown }) => void): void;
}

export function parentChannel(): SupervisorChannel {
  // A Ctrl-C in the terminal reaches this process too, but it must live until its owner has cancelled the run.
  process.on('SIGINT', () => {});
  const { parentPort } = process as { parentPort?: ParentPort };
  return parentPort === undefined ? nodeChannel() : electronChannel(parentPort);
}

function nodeChannel(): SupervisorChannel {
  // Slurm sends SIGTERM to the owner and to this process when it ends a job. The owner cancels the run.
  process.on('SIGTERM', () => {});
  if (process.send === undefined) throw new Error('the engine process is started by Copyscope, and not by hand');
  // Without an owner nobody can cancel. A kernel may still be busy, so the process is killed.
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  return {
    post: (message) => void process.send?.(message, undefined, undefined, () => {}),
    listen: (handler) => void process.on('message', handler),
  };
}

const electronChannel = (port: ParentPort): SupervisorChannel => ({
  post: (message) => port.postMessage(message),
  listen: (handler) => port.on('message', ({ data }) => handler(data)),
});
