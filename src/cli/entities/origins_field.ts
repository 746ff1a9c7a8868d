// Owns a client's origins: pages of these may read its answers (CORS).

import { originFault } from '../../oauth/origin.ts';
import { type Field, type Input, listField, takingAway } from './fields.ts';

const [all, added, removed] = ['origins', 'add_origins', 'remove_origins'];

const checked: Pick<Input, 'many' | 'quoted' | 'check'> = {
  many: true,
  quoted: true,
  check: originFault,
};

const list = listField('origin', { all, added, removed });

export const origins: Field<readonly string[] | undefined, 'origins'> = {
  json: 'origins',
  inputs: [
    {
      ...checked,
      name: all,
      flags: '--origin <origin...>',
      help: 'origin of pages that may read its answers, such as https://app.example, of a public client; may be repeated',
      helpAtSet: 'origins of its pages, instead of all it has',
    },
    {
      ...checked,
      name: added,
      onlyAtSet: true,
      flags: '--add-origin <origin...>',
      help: 'origins beside those it has',
    },
    {
      name: removed,
      onlyAtSet: true,
      flags: '--remove-origin <origin...>',
      help: 'origins it is not to have any more',
    },
    takingAway('--no-origin', 'let no pages read its answers any more'),
  ],
  read: (given) => someOf(list.read(given)),
  change: (before = [], given) => someOf(list.change(before, given)),
  complaints: list.complaints,
  lacks: (before = [], given) => list.lacks(before, given),
};

function someOf(held: readonly string[]): readonly string[] | undefined {
  return held.length === 0 ? undefined : held;
}
