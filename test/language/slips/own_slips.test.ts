// A list of inputs replaces those of the variant. Slips that only the file itself shows are in
// test/rules/*.cases.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatFault } from '../../../src/lib/fault.ts';
import { stringifyYaml } from '../../../src/lib/yaml/yaml.ts';
import { effectiveDocument } from '../../../src/rules/effective_document.ts';
import { loadProgramme } from '../../../src/rules/load.ts';

const head = 'variant: grant\nname: A\nprogramme_identifier: A\nbase_path: /a\n';

test('a list of inputs replaces those of the variant, which a map is laid over', () => {
  const inputs = '[{ code: { length: 64 } }, { grant_type: {}, refresh_token: {}, scope: {} }]';
  const { loaded, faults } = loadProgramme(
    'a.yaml',
    `${head}authorize: { pkce: off }\ntoken_endpoints: { grant: { inputs: ${inputs} } }\n`,
  );
  assert.deepEqual(faults.filter(({ severity }) => severity === 'error').map(formatFault), []);
  assert.ok(loaded !== undefined);
  assert.deepEqual(loaded.definition.token_endpoints['grant']?.inputs, {
    code: { required: false, length: { min: 64, max: 64 } },
    grant_type: { required: false },
    refresh_token: { required: false },
    scope: { required: false },
  });
  // What `show` prints is the same dialect.
  const again = loadProgramme('a.yaml', stringifyYaml(effectiveDocument(loaded)));
  const { variant: _, ...definition } = loaded.definition;
  assert.deepEqual(again.loaded?.definition, definition);
});
