/** A WebSocket as a message channel with one binary frame per message. */
import type { RawData, WebSocket } from 'ws';
import { decodeMessage, encodeMessage, maxMessageBytes } from '../../core/service/codec.ts';
import type { Channel } from '../../core/service/rpc.ts';

/** A window that reads nothing is disconnected before its waiting messages fill the memory. */
const maxWaitingBytes = 2 * maxMessageBytes;
const unsupportedData = 1003;
const invalidPayload = 1007;

export function socketChannel(socket: WebSocket): Channel {
  return {
    post: (message) => {
      if (socket.readyState !== socket.OPEN) return;
      if (socket.bufferedAmount > maxWaitingBytes) socket.terminate();
      else socket.send(encodeMessage(message));
    },
    listen: (handler) => {
      socket.on('message', (data, isBinary) => {
        if (!isBinary) return socket.close(unsupportedData, 'Messages are binary.');
        const message = decoded(data);
        if (message === null) return socket.close(invalidPayload, 'The message could not be read.');
        return handler(message.value);
      });
    },
    onClose: (handler) => void socket.once('close', handler),
  };
}

function decoded(data: RawData): { readonly value: unknown } | null {
  try {
    return { value: decodeMessage(Array.isArray(data) ? Buffer.concat(data) : data) };
  } catch {
    return null;
  }
}
