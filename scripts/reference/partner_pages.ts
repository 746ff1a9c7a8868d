// Owns the pages for partners of the shipped programmes, by their paths.

import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { makeGuide } from '../../src/contract/partner/guide.ts';
import { partnerPage } from '../../src/contract/partner/page/page.ts';
import { formatFault } from '../../src/lib/fault.ts';
import { compileProgramme } from '../../src/programme/programme.ts';
import { loadProgramme } from '../../src/rules/load.ts';

const root = join(import.meta.dirname, '../..');

/** Stands for the operator's own address. */
const base = 'https://tokens.example.com';

/** The text of each page by its path from the checkout's root. */
export function makePartnerPages(): ReadonlyMap<string, string> {
  const files = globSync('programmes/*.yaml', { cwd: root }).toSorted();
  return new Map(
    files.map((file) => {
      const name = basename(file, '.yaml');
      const { loaded, faults } = loadProgramme(file, readFileSync(join(root, file), 'utf8'));
      if (loaded === undefined) throw new Error(faults.map(formatFault).join('\n'));
      const { id, definition } = loaded;
      const guide = makeGuide(compileProgramme(id, definition, base), base);
      return [`docs/partners/${name}.md`, partnerPage(guide)] as const;
    }),
  );
}
