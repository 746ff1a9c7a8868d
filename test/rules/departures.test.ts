// Gateways keep their refusals whatever errors.groups says; other warnings are in the tables beside this file.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatFault } from '../../src/lib/fault.ts';
import { gatewayRefusals } from '../../src/oauth/reasons.ts';
import { loadProgramme } from '../../src/rules/load.ts';

const head = 'variant: grant\nname: A\nprogramme_identifier: A\nbase_path: /a\n';

/** Warnings of the file with such a text in them. */
function warned(yaml: string, text: string): readonly string[] {
  const { loaded, faults } = loadProgramme('a.yaml', head + yaml);
  assert.ok(loaded !== undefined);
  return faults.filter(({ message }) => message.includes(text)).map(formatFault);
}

test('HOSTILE 58 C-4: all leaves a gateway its 401 and 403, unless they are named, which is warned of', () => {
  const statuses = (groups: string, more = ''): readonly unknown[] => {
    const { loaded } = loadProgramme('a.yaml', `${head}errors: { groups: [${groups}]${more} }`);
    const reasons = loaded?.definition.errors.reasons;
    return [...gatewayRefusals.keys()].map((reason) => reasons?.[reason].status);
  };
  const all = '{ reasons: all, status: 400, error: failed }';
  const named = '{ reasons: [invalid_token, insufficient_scope], status: 418 }';
  assert.deepEqual(statuses(all), [401, 401, 401, 401, 403]);
  assert.deepEqual(statuses(`${all}, ${named}`), [401, 401, 401, 418, 418]);
  assert.deepEqual(statuses(`${named}, ${all}`), [401, 401, 401, 418, 418]);
  const own = ', reasons: { missing_token: { status: 503 } }';
  assert.deepEqual(statuses(all, own), [401, 401, 503, 401, 403]);
  // Without a variant there is none that they could keep.
  const bare = `errors: { fields: { error: error }, groups: [{ reasons: all, status: 410, error: x }] }`;
  const { faults } = loadProgramme('a.yaml', bare);
  assert.deepEqual(
    faults.filter(({ path }) => path.startsWith('errors')),
    [],
  );
  assert.deepEqual(warned(`errors: { groups: [${all}] }`, 'a gateway takes'), []);
  // What a gateway's headers are held against, where a dialect has them (P-15).
  const partner = head.replace('variant: grant', 'variant: partner-login');
  const { faults: mismatch } = loadProgramme('a.yaml', `${partner}errors: { groups: [${all}] }`);
  const told = mismatch.filter(({ message }) => message.startsWith('a gateway takes 400'));
  assert.deepEqual(
    told.map(({ path }) => path),
    ['errors.reasons.context_mismatch.status'],
  );
  assert.deepEqual(
    warned(
      `errors:
  groups:
    - { reasons: [invalid_token], status: 400 }
    - { reasons: [insufficient_scope, missing_token], status: 200 }
  reasons:
    invalid_api_key: { status: 503 }
    temporarily_unavailable: { status: 401 }
`,
      'a gateway takes',
    ),
    [
      'a.yaml:7:43: warning: a gateway takes 400 for an outage, and tells callers 503 for invalid_token (RFC 6750 3.1) (give invalid_token the status 401 or 403) [gateway_status]',
      'a.yaml:10:32: warning: a gateway takes 503 for an outage, and tells callers 503 for invalid_api_key (RFC 6750 3.1) (give invalid_api_key the status 401 or 403) [gateway_status]',
      'a.yaml:11:40: warning: a gateway takes 401 for a refusal, and callers throw good tokens away at temporarily_unavailable (RFC 6750 3.1) (give temporarily_unavailable the status 503) [gateway_status]',
    ],
  );
});
