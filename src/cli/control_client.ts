// Owns asking the running server of a configuration by its control socket.

import { request } from 'node:http';

import type { Address, AdminPlace } from '../config/address.ts';
import type { Config } from '../config/config.ts';
import { type CommandError, failed, isSystemError } from '../server/exit.ts';

/**
 * Milliseconds for a sign of the server: less than a container's runtime usually waits for a health check. The
 * answer is a sign, and so is each 102 (RFC 2518 10.1) of a server that is at work on a reload.
 */
const patience = 5000;

/** Nothing came in time. */
class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/**
 * What the server answers, as JSON.
 * @throws CommandError where no server answers, or it reports a failure
 */
export async function askServer(
  config: Config,
  method: 'GET' | 'POST',
  path: string,
): Promise<unknown> {
  const asked = exchange({ socketPath: config.control }, method, path);
  const answer = await asked.catch((error: unknown) => {
    throw unreachable(config.control, error);
  });
  const body = JSON.parse(answer.text) as unknown;
  if (answer.status === 200) return body;
  throw failed(`the server answers: ${(body as { readonly error: string }).error}`);
}

/**
 * What the operators' listener answers to a GET, whatever its status.
 * @throws CommandError where nothing answers in time
 */
export async function askAdmin(place: AdminPlace, path: string): Promise<unknown> {
  const target = 'path' in place ? { socketPath: place.path } : callable(place);
  const asked = exchange(target, 'GET', path).then(({ text }) => JSON.parse(text) as unknown);
  return asked.catch((error: unknown) => {
    throw failed(
      `nothing tells of its health at ${Object.values(target).join(':')} (admin): ${reasonOf(error)}`,
    );
  });
}

/** Nothing can be sent to "every address": a listener there answers at loopback, too. */
function callable({ host, port }: Address): Address {
  const loopback = { '0.0.0.0': '127.0.0.1', '::': '::1' };
  return { host: loopback[host as keyof typeof loopback] ?? host, port };
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

function exchange(
  target: { readonly socketPath: string } | Address,
  method: string,
  path: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const late = new NoAnswer(
      `nothing came within ${patience / 1000} s: it stands still or has too much to do, which its log and its service manager tell`,
    );
    const timer = setTimeout(() => sent.destroy(late), patience);
    const sent = request({ ...target, method, path, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => (text += part));
      answer.on('error', reject);
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    sent.on('information', () => timer.refresh());
    sent.on('error', reject);
    sent.on('close', () => clearTimeout(timer));
    sent.end();
  });
}

function unreachable(path: string, error: unknown): CommandError {
  const code = isSystemError(error) ? error.code : undefined;
  if (code === 'EACCES') {
    return failed(`${path} is the server's alone: run this as the user that the server runs as`);
  }
  if (code === 'ENOENT' || code === 'ECONNREFUSED') {
    return failed(`no server of this configuration runs: nothing answers at ${path} (control)`);
  }
  return failed(`the server does not answer at ${path}: ${reasonOf(error)}`);
}

function reasonOf(error: unknown): string {
  return error instanceof NoAnswer ? error.message : String(error);
}
