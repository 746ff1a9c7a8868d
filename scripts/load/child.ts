// Owns child processes of campaigns: starting one, calling its functions over IPC, and ending it.

import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

/** A child's functions by name, each with one argument that can be cloned. */
export type Commands<Of> = { readonly [Name in keyof Of]: (argument: never) => unknown };

interface Question {
  readonly id: number;
  readonly name: string;
  readonly argument: unknown;
}

type Answer = { readonly id: number } & ({ readonly value: unknown } | { readonly error: string });

/** A child process with the functions of `Of`. */
export interface Child<Of extends Commands<Of>> {
  readonly ask: <Name extends keyof Of & string>(
    name: Name,
    argument: Parameters<Of[Name]>[0],
  ) => Promise<Awaited<ReturnType<Of[Name]>>>;
  /** Lets the child finish by itself; kills it after a time limit. */
  readonly end: () => Promise<void>;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Longer than any command takes; a hanging child must not stop the campaign. */
const patience = 60_000;

/** Whether processes can have a core each, as taskset gives it. */
const hasCores = availableParallelism() > 1 && spawnSync('taskset', ['-V']).status === 0;

/** A command on a core of its own, where that can be. */
export function onFirstCore(command: readonly string[]): readonly string[] {
  return hasCores ? ['taskset', '-c', '0', ...command] : command;
}

/** Starts a module as a process, on a core of its own if one is named. */
export function startChild<Of extends Commands<Of>>(
  module: string,
  args: readonly string[] = [],
  core?: 0 | 1,
): Child<Of> {
  const pinned = { execPath: 'taskset', execArgv: ['-c', `${core}`, process.execPath] };
  const child = fork(fileURLToPath(module), args, {
    serialization: 'advanced',
    ...(hasCores && core !== undefined ? pinned : {}),
  });
  const waiting = new Map<number, Waiting>();
  let asked = 0;
  let isOver = false;
  const fail = (error: Error): void => {
    isOver = true;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  child.on('error', fail);
  child.on('exit', (code, signal) => fail(new Error(`${module} ended with ${signal ?? code}`)));
  child.on('message', (message) => {
    const answer = message as Answer;
    const asker = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ('error' in answer) asker?.reject(new Error(answer.error));
    else asker?.resolve(answer.value);
  });
  const ask = (name: string, argument: unknown): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (isOver) {
        reject(new Error(`${module} is no longer there`));
        return;
      }
      asked += 1;
      waiting.set(asked, { resolve, reject });
      child.send({ id: asked, name, argument } satisfies Question);
    });
  return {
    ask: (name, argument) => withPatience(ask(name, argument), `${module}: ${name}`) as never,
    end: async () => {
      if (isOver) return;
      const killer = setTimeout(() => child.kill('SIGKILL'), 5000);
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
      clearTimeout(killer);
    },
  };
}

async function withPatience(work: Promise<unknown>, what: string): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} takes too long`)), patience);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** In the child: listens on a port that is free; resolves to it. */
export async function listenAnywhere(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** In the child: answers the parent until it disconnects or dies, then ends the process. */
export function answerParent<Of extends Commands<Of>>(
  commands: Of,
  finish: () => Promise<void> | void = () => {},
): void {
  const byName = new Map<string, (argument: never) => unknown>(Object.entries(commands));
  process.on('message', (message) => {
    const { id, name, argument } = message as Question;
    void answer(byName.get(name), argument).then((result) => process.send?.({ id, ...result }));
  });
  process.once('disconnect', () => {
    void Promise.resolve(finish()).finally(() => process.exit());
  });
}

async function answer(
  command: ((argument: never) => unknown) | undefined,
  argument: unknown,
): Promise<{ readonly value: unknown } | { readonly error: string }> {
  try {
    if (command === undefined) throw new Error('no such command');
    return { value: await command(argument as never) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
