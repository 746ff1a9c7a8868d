// Owns the campaign's site: programme files, a configuration, and a store with clients.

import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { type Fault, formatFault } from '../../src/lib/fault.ts';
import type { ProgrammeId } from '../../src/oauth/client.ts';
import { loadProgramme } from '../../src/rules/load.ts';
import { register, writeConfig } from '../timing/site.ts';

/** A shipped file in one of three forms, or a foreign dialect, which takes no part in the load. */
export type Kind = 'opaque' | 'jwt' | 'partner_login' | 'dialect';

export interface SiteProgramme {
  readonly id: ProgrammeId;
  readonly kind: Kind;
  readonly tokenPath: string;
}

export interface Site {
  readonly configFile: string;
  readonly programmes: readonly SiteProgramme[];
}

const shipped = join(import.meta.dirname, '../../programmes');

const kinds: readonly Kind[] = ['opaque', 'jwt', 'partner_login'];

/** Every construct of the language is used by one of them. */
const dialects = globSync(join(import.meta.dirname, '../../test/dialects/*.yaml')).toSorted();

/** A shipped file under another name and path, which is what a new programme often is. */
function programmeText(kind: Kind, id: string, number: number): string {
  const club = kind === 'partner_login' ? 'second-club' : 'executive-club';
  const dialect = kind === 'dialect' ? dialects[(number >> 1) % dialects.length] : undefined;
  const text = readFileSync(dialect ?? join(shipped, `${club}.yaml`), 'utf8')
    .replace(/^base_path: .*$/m, `base_path: /${id}`)
    .replace(/^programme_identifier: .*$/m, `programme_identifier: ${lettersOf(number)}`)
    .replace(/^throttle: .*$/m, 'throttle: off');
  return kind === 'jwt' ? text.replace('format: opaque', 'format: jwt') : text;
}

function lettersOf(number: number): string {
  return Array.from(String(number), (digit) => 'ABCDEFGHIJ'[Number(digit)]).join('');
}

/** Lays out a site of so many programmes, a third of each kind; or half of them foreign dialects. */
export async function layOut(folder: string, count: number, isMixed: boolean): Promise<Site> {
  const home = join(folder, `of-${count}`);
  const programmesFolder = join(home, 'programmes');
  mkdirSync(programmesFolder, { recursive: true });
  // The logos that the files name.
  cpSync(shipped, programmesFolder, {
    recursive: true,
    filter: (path) => !path.endsWith('.yaml'),
  });
  const programmes = Array.from({ length: count }, (_, number): SiteProgramme => {
    const isForeign = isMixed && number % 2 === 1;
    const turn = isMixed ? number >> 1 : number;
    const kind = isForeign ? 'dialect' : (kinds[turn % kinds.length] ?? 'opaque');
    const id = `club-${number}`;
    const text = programmeText(kind, id, number);
    const faults = loadProgramme(`${id}.yaml`, text).faults.filter(isError).map(formatFault);
    if (faults.length > 0) throw new Error(faults.join('\n'));
    writeFileSync(join(programmesFolder, `${id}.yaml`), text);
    return { id: id as ProgrammeId, kind, tokenPath: `/${id}/api/grant` };
  });
  const configFile = writeConfig(home, 'config', 'store: file:./jetway.db\n');
  const served = programmes.filter(({ kind }) => kind !== 'dialect').map(({ id }) => id);
  await register(configFile, { programmes: served, owners: [], members: 0 });
  return { configFile, programmes };
}

function isError({ severity }: Fault): boolean {
  return severity === 'error';
}
