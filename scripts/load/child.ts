// Owns child processes of campaigns: starting one, asking it over IPC, and ending it.

import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

/** A child process that does one thing, again each time that it is asked; one question at a time. */
export interface Child<Order, Told> {
  readonly ask: (order: Order) => Promise<Told>;
  /** Lets the child finish by itself; kills it after a time limit. */
  readonly end: () => Promise<void>;
}

type Answer = { readonly value: unknown } | { readonly error: string };

/** Longer than any work takes; a hanging child must not stop the campaign. */
const patience = 60_000;

/** Whether processes can have a core each, as taskset gives it. */
const hasCores = availableParallelism() > 1 && spawnSync('taskset', ['-V']).status === 0;

/** A command on a core of its own, where that can be. */
export function onFirstCore(command: readonly string[]): readonly string[] {
  return hasCores ? ['taskset', '-c', '0', ...command] : command;
}

/** Starts a module as a process, where it can be on a core of its own. */
export function startChild<Order, Told>(module: string, core: 0 | 1): Child<Order, Told> {
  const pinned = { execPath: 'taskset', execArgv: ['-c', `${core}`, process.execPath] };
  const child = fork(fileURLToPath(module), {
    serialization: 'advanced',
    ...(hasCores ? pinned : {}),
  });
  const gone = once(child, 'exit');
  return {
    ask: async (order) => {
      const signal = AbortSignal.timeout(patience);
      const lost = gone.then(([code]) => {
        throw new Error(`${module} ended with ${code}`);
      });
      child.send({ order });
      const [answer] = (await Promise.race([once(child, 'message', { signal }), lost])) as [Answer];
      if ('error' in answer) throw new Error(answer.error);
      return answer.value as Told;
    },
    end: async () => {
      if (!child.connected) return;
      const killer = setTimeout(() => child.kill('SIGKILL'), 5000);
      child.disconnect();
      await gone;
      clearTimeout(killer);
    },
  };
}

/** In the child: answers the parent until it disconnects or dies, then ends the process. */
export function answerParent(work: (order: never) => unknown): void {
  const answer = async (order: never): Promise<Answer> => {
    try {
      return { value: await work(order) };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  };
  process.on('message', (message) => {
    const { order } = message as { readonly order: never };
    void answer(order).then((told) => process.send?.(told));
  });
  process.once('disconnect', () => process.exit());
}
