// The texts that PostgreSQL gets of the statements that are written once: a generated text is not seen where
// its statement is written. UPDATE_STATEMENTS=1 writes statements.sql anew.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { endedThrottles } from '../../../src/store/postgres/counters.ts';
import { postgresOrder } from '../../../src/store/postgres/driver.ts';
import { pastOutages } from '../../../src/store/postgres/outages.ts';
import { bulkText, chainText, editText, textsOf } from '../../../src/store/postgres/texts.ts';
import type { Db } from '../../../src/store/sql/db.ts';
import { insertText, statement } from '../../../src/store/sql/statement.ts';
import { logins, tables } from '../../../src/store/sql/tables.ts';
import { leaseVerbs } from '../../../src/store/verbs/leases.ts';
import { sharedVerbs } from '../../../src/store/verbs/verbs.ts';

const golden = join(import.meta.dirname, 'statements.sql');

/** Every statement of the verbs, as it is sent about one row and about many. */
function textsOfAll(): string {
  const texts = new Map<string, string>();
  const note = (sent: { readonly name: string; readonly text: string }): void => {
    assert.ok((texts.get(sent.name) ?? sent.text) === sent.text, `two texts of ${sent.name}`);
    texts.set(sent.name, sent.text);
  };
  const noteBoth = (...asked: Parameters<typeof textsOf>): void => {
    const { one, many } = textsOf(...asked);
    note(one);
    note(many);
  };
  const none = () => assert.fail('nothing is asked');
  const db: Db = {
    life: none,
    forget: none,
    expectWritable: none,
    forgotten: none,
    reader: (asked) => {
      noteBoth(asked);
      return { find: none, last: none, replace: none, forget: none };
    },
    listReader: (asked) => {
      noteBoth(asked, 'LEFT');
      return { find: none, last: none, replace: none, forget: none };
    },
    bulkReader: (asked) => {
      noteBoth(asked, 'LEFT');
      return none;
    },
    editor: (name, statements) => {
      note(editText(name, statements));
      if (name === 'time') note(editText(name, statements, true));
      return none;
    },
    writer: (asked, second = asked) => {
      noteBoth(asked);
      noteBoth(second);
      return none;
    },
    chainWriter: (asked, second = asked) => {
      note(chainText(asked));
      note(chainText(second));
      return none;
    },
    bulkWriter: (asked) => {
      note(bulkText(asked));
      return none;
    },
    orderOf: postgresOrder,
    noter: (asked) => noteBoth(asked),
  };
  sharedVerbs(db, {
    time: { read: none, note: none, startAnew: none },
    recorded: undefined,
    followed: undefined,
    more: [endedThrottles, pastOutages],
  });
  leaseVerbs(db);
  return [...texts]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, text]) => `-- ${name}\n${text.replaceAll(/\n\s*/g, '\n  ')};\n`)
    .join('\n');
}

test('the texts of PostgreSQL are those that were looked at', () => {
  const texts = textsOfAll();
  if (process.env['UPDATE_STATEMENTS'] === '1') writeFileSync(golden, texts);
  assert.equal(texts, readFileSync(golden, 'utf8'));
});

test('a parameter without a type is no statement', () => {
  const { columns } = logins;
  assert.throws(
    () => statement('a', columns, 'SELECT 1 FROM login WHERE place = :plcae'),
    /statement a: parameter plcae has no type/,
  );
});

test('every table has a row whose INSERT can be written of its description', () => {
  for (const table of tables) {
    const { parameters } = statement('insert', table.columns, insertText(table, ''));
    assert.deepEqual(parameters, table.names);
  }
});
