// Owns running the suite of care on store files.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { storeAt } from '../../../../src/store/open.ts';
import { scratchFolder } from '../../../support/scratch.ts';
import { describeCare } from '../../admin/care_suite.ts';

describeCare('file', async (t) => {
  const path = join(scratchFolder(t, 'care'), 'jetway.db');
  return {
    site: storeAt({ kind: 'file', path }),
    query: async (text) => {
      const database = new DatabaseSync(path);
      database.exec(text);
      database.close();
    },
  };
});
