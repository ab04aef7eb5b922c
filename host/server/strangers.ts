/**
 * Connections that nobody has shown a cookie or the token on yet. Every program of this machine can open as many as it
 * likes: where there are too many, the oldest goes. Whoever comes to say something says it at once, and so is let in
 * before its turn to go comes; who only holds a place loses it.
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

  /** It has shown that it belongs here, and keeps its place. */
  admit(socket: Socket): void {
    this.#sockets.delete(socket);
  }
}
