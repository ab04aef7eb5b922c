/**
 * Connections that have not shown the session's secret or the token. Every program of this machine can open any number of
 * them: if there are too many, the oldest is closed. A browser asks at once, and so is answered before its turn comes.
 */
import type { Socket } from 'node:net';

export class Strangers {
  readonly #most: number;
  /** In the order in which they came. */
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

  /** Makes it the youngest: it has asked for a file of the page. */
  renew(socket: Socket): void {
    if (this.#sockets.delete(socket)) this.#sockets.add(socket);
  }

  /** It has shown that it belongs here, and keeps its place. */
  admit(socket: Socket): void {
    this.#sockets.delete(socket);
  }
}
