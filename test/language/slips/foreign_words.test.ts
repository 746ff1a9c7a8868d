// Words of other services: each is answered with what stands for it here, or that nothing does.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { definitionSchema } from '../../../src/language/definition.ts';
import { absentWords } from '../../../src/language/slips.ts';
import { formatFault } from '../../../src/lib/fault.ts';
import { grantFailures } from '../../../src/oauth/reasons.ts';
import { loadProgramme } from '../../../src/rules/load.ts';
import { keysOf } from '../../../src/schema/keys.ts';

const head = 'variant: grant\nname: A\nprogramme_identifier: A\nbase_path: /a\n';

test('no word that is called absent is a key of the language', () => {
  const { ofKeys } = absentWords();
  const keys = new Set(keysOf(definitionSchema).map(({ path }) => path.split('.').at(-1)));
  assert.deepEqual(
    [...ofKeys.keys()].filter((name) => keys.has(name)),
    [],
  );
  for (const hint of ofKeys.values()) assert.match(hint, /^[a-z][^\n]{10,170}$/);
});

test('names that a file chooses are no keys of the language', () => {
  const { faults } = loadProgramme(
    'a.yaml',
    `${head}token_endpoints: { grant: { inputs: { otp: {}, regex: {} } } }\n`,
  );
  assert.deepEqual(
    faults.filter(({ severity }) => severity === 'error'),
    [],
  );
});

test('an error code of RFC 6749 5.2 stands for its reasons in groups and under only', () => {
  const { loaded, faults } = loadProgramme(
    'a.yaml',
    `${head}errors:
  groups: [{ reasons: [invalid_grant, throttled], status: 418, error: gone }]
  fields: { retry: { constant: no, only: [invalid_grant, invalid_code] } }
`,
  );
  assert.deepEqual(faults.map(formatFault), []);
  const spread = [...new Set(Object.values(grantFailures))];
  const reasons = loaded?.definition.errors.reasons;
  for (const reason of [...spread, 'throttled'] as const) {
    assert.equal(reasons?.[reason].status, 418);
    assert.equal(reasons[reason].error, 'gone');
  }
  assert.notEqual(reasons?.invalid_scope.status, 418);
  const field = loaded?.definition.errors.fields.get('retry');
  assert.ok(typeof field === 'object' && 'only' in field);
  assert.deepEqual(field.only, spread);
});
