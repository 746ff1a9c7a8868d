// Owns the verb `member list`.

import { viewMember } from './member_view.ts';
import { type OutputOptions, print, printJson } from './output.ts';
import { table } from './table.ts';
import { configOf, selectProgrammes, withStore } from './workplace.ts';

export interface ListMembersOptions extends OutputOptions {
  readonly config: string;
  readonly programme?: string;
}

/** `jetway member list`: by programme, in order of creation. */
export async function listMembers(options: ListMembersOptions): Promise<void> {
  const config = configOf(options);
  const programmes = selectProgrammes(config, options.programme);
  const lists = await withStore(config, ({ store }) =>
    Promise.all(programmes.map((programme) => store.listMembers(programme))),
  );
  const views = lists.flat().map(viewMember);
  if (options.json === true) return printJson(views);
  if (views.length === 0) return console.error('there are no members');
  const rows = views.map((view) => [
    view.programme,
    view.username,
    view.subject,
    view.level ?? '-',
    view.membership_number ?? '-',
    view.status,
    view.created_at,
  ]);
  const headings = ['PROGRAMME', 'USERNAME', 'SUBJECT', 'LEVEL', 'MEMBERSHIP', 'STATUS', 'CREATED'];
  return print(table(headings, rows));
}
