// Owns `dev --commands`: the commands of one programme, asked of the `dev` that runs.

import type { Address } from '../../config/config.ts';
import { commandsPath } from '../../http/demo/demo.ts';
import { CommandError, exitCodes } from '../exit.ts';

/** Prints them. Secrets are fresh in every run, so only the running one can tell. */
export async function printCommands({ host, port }: Address, programme: string): Promise<void> {
  const base = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const answer = await fetch(base + commandsPath(encodeURIComponent(programme))).catch(
    (): undefined => undefined,
  );
  if (answer === undefined) {
    throw new CommandError(
      exitCodes.failed,
      `no jetway dev answers on ${base}: start it in another terminal, or say with --listen where it runs`,
    );
  }
  if (!answer.ok) {
    throw new CommandError(
      exitCodes.failed,
      `the jetway dev on ${base} has no programme "${programme}": ${base}/ shows those it has`,
    );
  }
  process.stdout.write(await answer.text());
}
