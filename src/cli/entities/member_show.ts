// Owns the verb `member show`.

import { withStore } from '../open_store.ts';
import { print, printJson } from '../output.ts';
import { configOf } from '../programmes.ts';
import { sheet } from '../table.ts';
import { memberRows, viewWithLogins } from './member_view.ts';
import { selectMember, type Selection } from './select.ts';

/** `jetway member show USERNAME`. */
export async function showMember(name: string, options: Selection): Promise<void> {
  const config = configOf(options);
  const view = await withStore(config, async (open) =>
    viewWithLogins(open, await selectMember(config, open, name, options)),
  );
  if (options.json === true) return printJson(view);
  const logins = [
    ['failed logins', [String(view.failed_logins)]],
    ['locked until', [view.locked_until ?? 'not locked']],
  ] as const;
  return print(sheet([...memberRows(view), ...logins]));
}
