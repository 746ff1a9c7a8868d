// Owns one keep-alive connection of the load generator, with as little work as possible. It
// understands only node:http's answers (a Content-Length), not HTTP in general.

import { connect, type Socket } from 'node:net';

/** Receives the answer to a request. */
export interface Receiver {
  readonly answered: (status: string, body: string, head: string) => void;
  readonly failed: (error: Error) => void;
}

export interface Connection {
  /** Sends a request; only after the previous one was answered. */
  readonly send: (request: string) => void;
  readonly close: () => void;
}

const headEnd = '\r\n\r\n';
const contentLength = /\r\ncontent-length: (\d+)/i;

/** Connects; from then on the receiver gets each answer. */
export function openConnection(port: number, receiver: Receiver): Promise<Connection> {
  let pending = '';
  const receive = (text: string): void => {
    pending += text;
    const bodyAt = pending.indexOf(headEnd) + headEnd.length;
    if (bodyAt < headEnd.length) return;
    const length = contentLength.exec(pending)?.[1];
    if (length === undefined) {
      receiver.failed(new Error(`an answer without a length: ${pending.slice(0, bodyAt)}`));
      return;
    }
    if (pending.length < bodyAt + Number(length)) return;
    const whole = pending;
    pending = '';
    receiver.answered(whole.slice(9, 12), whole.slice(bodyAt), whole.slice(0, bodyAt));
  };
  return new Promise((resolve, reject) => {
    let isClosing = false;
    const socket: Socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      // Avoids a stream's buffers and events for every answer.
      onread: {
        buffer: Buffer.allocUnsafe(16 * 1024),
        callback: (size, buffer) => {
          receive((buffer as Buffer).toString('latin1', 0, size));
          return true;
        },
      },
    });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      socket.on('error', receiver.failed);
      socket.on('close', () => {
        if (isClosing) return;
        const error = new Error('the server closed a connection');
        receiver.failed(Object.assign(error, { code: 'ECONNRESET' }));
      });
      resolve({
        send: (request) => socket.write(request, 'latin1'),
        close: () => {
          isClosing = true;
          socket.destroy();
        },
      });
    });
  });
}

/** What a request got. */
export interface Answered {
  /** Milliseconds. */
  readonly spent: number;
  readonly status: string;
  readonly head: string;
  readonly body: string;
}

/** A connection that sends one request after another. */
export interface Sender {
  /** @throws where no answer came, `ECONNRESET` where the server has closed the connection */
  readonly send: (request: string) => Promise<Answered>;
  readonly isClosed: () => boolean;
  readonly close: () => void;
}

export async function openSender(port: number): Promise<Sender> {
  let settle: ((answer: Omit<Answered, 'spent'> | Error) => void) | undefined;
  let failure: Error | undefined;
  const connection = await openConnection(port, {
    answered: (status, body, head) => settle?.({ status, head, body }),
    failed: (error) => {
      failure ??= error;
      settle?.(error);
    },
  });
  return {
    send: async (request) => {
      if (failure !== undefined) throw failure;
      const begun = performance.now();
      const answer = await new Promise<Omit<Answered, 'spent'> | Error>((resolve) => {
        settle = resolve;
        connection.send(request);
      });
      const spent = performance.now() - begun;
      if (answer instanceof Error) throw answer;
      return { spent, ...answer };
    },
    isClosed: () => failure !== undefined,
    close: connection.close,
  };
}
