// Owns what commands tell of registered things whose rows are damaged, and of how they are removed.

import type { Kind } from '../store/kinds.ts';
import type { DamagedItem } from '../store/unusable.ts';
import { failed } from './exit.ts';
import { shellWord } from './shell_word.ts';

/** The command that removes a damaged thing. */
function removalOf({ kind, programme, id: plainId }: DamagedItem): string {
  const id = shellWord(plainId);
  // A subject may begin as an option does.
  const last = plainId.startsWith('-') ? `--programme ${programme} --yes -- ${id}` : undefined;
  const named = last ?? `${id} --programme ${programme} --yes`;
  const removals: Readonly<Record<Kind, string>> = {
    client: `client remove ${named}`,
    member: `member remove ${named}`,
    gateway: `gateway remove ${named}`,
    signing_key: `key retire --programme ${programme} --kind signing --kid ${id} --force`,
    identity_key: `key retire --programme ${programme} --kind identity --kid ${id} --force`,
    token_key: `key retire --programme ${programme} --kind token --kid ${id} --force`,
    maintenance: `maintenance off ${programme}`,
    // The next line that is noted takes its place.
    audit_stream: 'audit verify',
  };
  return `jetway ${removals[kind]}`;
}

/** What is damaged, and what to do. */
export function damageText(damage: DamagedItem): string {
  return `${damage.message}: remove it (${removalOf(damage)}), or restore a backup (jetway store restore)`;
}

/**
 * Ends a command that has shown all others, if some are damaged (FAULTS 36).
 * @throws CommandError
 */
export function expectNoDamage(damage: readonly DamagedItem[]): void {
  if (damage.length > 0) throw failed(damage.map(damageText).join('\n'));
}
