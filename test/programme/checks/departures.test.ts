// Tests of warnings of limits that a programme does without.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatFault } from '../../../src/lib/fault.ts';
import { loadProgramme } from '../../../src/programme/language/load.ts';

const head = 'variant: grant\nname: A\nprogramme_identifier: A\nbase_path: /a\n';

function warnings(yaml: string): readonly string[] {
  const { loaded, faults } = loadProgramme('a.yaml', head + yaml);
  assert.ok(loaded !== undefined);
  const limits = faults.filter(({ message }) => message.startsWith('nothing limits'));
  return limits.map(formatFault);
}

const remedy =
  '(RFC 6749 10.10) (leave it out for the usual limit, unless something in front of Jetway has one)';

test('HOSTILE 65: each limit on guesses that is off is warned of where it is switched off', () => {
  const off = `login: { lockout: off, address_limit: off }
client: { authentication: { failure_limit: off } }
`;
  assert.deepEqual(warnings(off), [
    `a.yaml:5:19: warning: nothing limits wrong passwords for one username ${remedy}`,
    `a.yaml:5:39: warning: nothing limits failed logins from one address ${remedy}`,
    `a.yaml:6:44: warning: nothing limits wrong secrets for one client ${remedy}`,
  ]);
  assert.deepEqual(warnings('login: { lockout: off }\n'), [
    `a.yaml:5:19: warning: nothing limits wrong passwords for one username ${remedy}`,
  ]);
  assert.deepEqual(warnings('login: { lockout: { attempts: 9 } }\n'), []);
});
