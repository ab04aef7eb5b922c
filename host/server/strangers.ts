/**
 * Connections without the session's secret or token. Every program of this machine can open any number of them: if
 * there are too many, the oldest is closed. A browser sends its request at once, and so is answered before that.
 */
import type { Socket } from 'node:net';

export class Strangers {
  readonly #most: number;
  /** Sockets in order of arrival. */
  readonly #sockets = new Set<Socket>();

  constructor(most: number) {
    this.#most = most;
  }

  add(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    if (this.#sockets.size <= this.#most) return;
    const [oldest] = this.#sockets;
    if (oldest === undefined) return;
    this.#sockets.delete(oldest);
    oldest.destroy();
  }

  /** Makes it the youngest, since it requested a file of the page. */
  renew(socket: Socket): void {
    if (this.#sockets.delete(socket)) this.#sockets.add(socket);
  }

  /** Removes an admitted connection, which keeps its place. */
  admit(socket: Socket): void {
    this.#sockets.delete(socket);
  }
}
