// Owns the campaign's programmes: shipped files under other names, and foreign dialects.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { formatFault } from '../../src/lib/fault.ts';
import { loadProgramme } from '../../src/rules/load.ts';
import type { ServedSite } from '../load/server.ts';
import { layOut, shippedFolder } from '../load/site.ts';

/** A shipped file in one of three forms, or a foreign dialect, which takes no part in the load. */
type Kind = 'opaque' | 'jwt' | 'partner_login' | 'dialect';

export interface Site extends ServedSite {
  readonly programmes: readonly { readonly id: string; readonly kind: Kind }[];
}

const kinds: readonly Kind[] = ['opaque', 'jwt', 'partner_login'];

/** Every construct of the language is used by one of them. */
const dialects = globSync(join(import.meta.dirname, '../../test/dialects/*.yaml')).toSorted();

/** A shipped file under another name and path, which is what a new programme often is. */
function programmeText(kind: Kind, id: string, number: number): string {
  const club = kind === 'partner_login' ? 'second-club' : 'executive-club';
  const dialect = kind === 'dialect' ? dialects[(number >> 1) % dialects.length] : undefined;
  const letters = Array.from(String(number), (digit) => 'ABCDEFGHIJ'[Number(digit)]).join('');
  const text = readFileSync(dialect ?? join(shippedFolder, `${club}.yaml`), 'utf8')
    .replace(/^base_path: .*$/m, `base_path: /${id}`)
    .replace(/^programme_identifier: .*$/m, `programme_identifier: ${letters}`)
    .replace(/^throttle: .*$/m, 'throttle: off');
  return kind === 'jwt' ? text.replace('format: opaque', 'format: jwt') : text;
}

/** Lays out a site of so many programmes, a third of each kind; or half of them foreign dialects. */
export async function layOutMany(folder: string, count: number, isMixed: boolean): Promise<Site> {
  const programmes = Array.from({ length: count }, (_, number) => {
    const isForeign = isMixed && number % 2 === 1;
    const turn = isMixed ? number >> 1 : number;
    const kind = isForeign ? 'dialect' : (kinds[turn % kinds.length] ?? 'opaque');
    const id = `club-${number}`;
    const text = programmeText(kind, id, number);
    const faults = loadProgramme(`${id}.yaml`, text).faults.filter(
      ({ severity }) => severity === 'error',
    );
    if (faults.length > 0) throw new Error(faults.map(formatFault).join('\n'));
    return { id, kind, text };
  });
  const site = await layOut(join(folder, `of-${count}`), {
    programmes: Object.fromEntries(programmes.map(({ id, text }) => [id, text])),
    config: 'store: file:./jetway.db\n',
    registered: programmes.filter(({ kind }) => kind !== 'dialect').map(({ id }) => id),
  });
  return { ...site, programmes };
}
