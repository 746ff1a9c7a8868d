// Owns the bare server process: node:http that reads the body and gives a fixed answer.

import { createServer, type IncomingMessage } from 'node:http';

import { answerParent, listenAnywhere } from './child.ts';
import { usageCommands, type UsageCommands } from './server.ts';

/** A copy of an answer by Jetway. */
export interface SampleAnswer {
  readonly path: string;
  /** Without the headers that node adds by itself. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface BareCommands extends UsageCommands {
  readonly port: (nothing: undefined) => number;
  readonly repeat: (sample: SampleAnswer) => void;
}

let sample: SampleAnswer | undefined;

const server = createServer((incoming, outgoing) => {
  const chunks: Uint8Array[] = [];
  incoming.on('data', (chunk: Uint8Array) => chunks.push(chunk));
  incoming.on('end', () => {
    if (sample === undefined || incoming.url !== sample.path || isEmptyPost(incoming, chunks)) {
      outgoing.writeHead(404);
      outgoing.end();
      return;
    }
    outgoing.writeHead(200, sample.headers);
    outgoing.end(sample.body);
  });
});

function isEmptyPost({ method }: IncomingMessage, chunks: readonly Uint8Array[]): boolean {
  return method === 'POST' && chunks.length === 0;
}

const port = await listenAnywhere(server);

answerParent<BareCommands>({
  ...usageCommands(),
  port: () => port,
  repeat: (next) => {
    sample = next;
  },
});
