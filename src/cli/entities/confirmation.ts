// Owns asking operators whether they mean it, where nothing brings back what a command does away with.

import { CommandError, exitCodes } from '../exit.ts';

/** Ends the command as wrong usage unless `--yes` was given. */
export function expectYes({ yes = false }: { readonly yes?: boolean }, loss: string): void {
  if (!yes) throw new CommandError(exitCodes.usage, `${loss}: add --yes if you mean it`);
}
