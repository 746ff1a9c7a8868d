// Owns the promises of a hook's credentials: where they are read from, and which are refused, in words
// that show none of them.

import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';

import { type ServableFile, withCredentials } from '../../src/config/directory_credentials.ts';
import { readProgrammeFile } from '../../src/config/programme_files.ts';
import { createAuthority } from '../support/certificates.ts';
import { scratchFolder } from '../support/scratch.ts';
import { without } from '../support/tools.ts';

const authority = createAuthority('Airline');
const own = authority.issue('DNS:jetway.example');
const other = authority.issue('DNS:other.example');

const secret = 'a-secret-of-the-hook-0123456789abcdef';
const older = 'an-older-secret-of-the-hook-012345678';
const files: Readonly<Record<string, string>> = {
  secret: `${secret}\n`,
  older,
  short: 'hunter2hunter2hunter2hunter2hun',
  phrase: 'correct horse battery staple correct',
  'own.crt': own.certificate,
  'own.key': own.key,
  'other.key': other.key,
  'ca.pem': authority.certificate,
  'bad.pem': '-----BEGIN CERTIFICATE-----\nbm90IG9uZQ==\n-----END CERTIFICATE-----\n',
};

/** A programme `my-club` with these members, beside a folder of everything that they may name. */
function clubWith(t: TestContext, members: string, more = files): ServableFile {
  const folder = scratchFolder(t, 'credentials');
  mkdirSync(join(folder, 'programmes'));
  for (const [name, text] of Object.entries(more)) {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
  }
  writeFileSync(
    join(folder, 'programmes/my-club.yaml'),
    `variant: grant\nname: Club\nprogramme_identifier: Club\nbase_path: /club\nmembers:\n${members}`,
  );
  const open = (name: string): void => chmodSync(join(folder, name), 0o644);
  if (members.includes('# open')) ['secret', 'own.key'].forEach(open);
  return withCredentials(readProgrammeFile(join(folder, 'programmes/my-club.yaml')));
}

const hook = '  directory: http\n  url: https://members.example/hook\n';

/** Each fault's line and words, its file's own folder left out. */
function faultsOf({ faults }: ServableFile): readonly string[] {
  return faults
    .filter(({ severity }) => severity === 'error')
    .map(({ at, message }) => `${at.line}: ${message.replace(/^\S*\/(?=[\w.]+ )/, '')}`);
}

describe('credentials of a hook', { skip: without('openssl') }, () => {
  test('are read from the files that the programme names, relative to its own', (t) => {
    const members = `${hook}  secret_file: ../secret
  previous_secret_file: ../older
  certificate_file: ../own.crt
  key_file: ../own.key
  authorities_file: ../ca.pem
`;
    const { credentials, loaded } = clubWith(t, members);
    assert.equal(loaded?.id, 'my-club');
    assert.deepEqual(credentials, {
      secrets: [secret, older],
      certificate: own.certificate,
      key: own.key,
      authorities: authority.certificate,
    });
  });

  test('may be a certificate alone, or a secret alone; members of the store need none', (t) => {
    const certified = clubWith(
      t,
      `${hook}  certificate_file: ../own.crt\n  key_file: ../own.key\n`,
    );
    assert.deepEqual(certified.credentials, {
      secrets: [],
      certificate: own.certificate,
      key: own.key,
    });
    const signing = clubWith(t, `${hook}  secret_file: ../secret\n`);
    assert.deepEqual(signing.credentials, { secrets: [secret] });
    const stored = clubWith(t, '  directory: store\n');
    assert.equal(stored.credentials, undefined);
    assert.deepEqual(faultsOf(stored), []);
  });

  test('a variable of the programme’s name goes before the file; an empty one does not', (t) => {
    const folder = scratchFolder(t, 'variable');
    const name = 'JETWAY_MY_CLUB_MEMBERS_SECRET_FILE';
    t.after(() => {
      delete process.env[name];
    });
    writeFileSync(join(folder, 'mounted'), older, { mode: 0o600 });
    process.env[name] = join(folder, 'mounted');
    assert.deepEqual(clubWith(t, `${hook}  secret_file: ../secret\n`).credentials, {
      secrets: [older],
    });
    assert.deepEqual(clubWith(t, hook).credentials, { secrets: [older] });
    process.env[name] = '';
    assert.deepEqual(clubWith(t, `${hook}  secret_file: ../secret\n`).credentials, {
      secrets: [secret],
    });
  });

  const refused: Readonly<Record<string, readonly [string, ...string[]]>> = {
    'nothing at all': ['', '6: nothing proves to the directory who asks'],
    'an authority alone': [
      '  authorities_file: ../ca.pem\n',
      '6: nothing proves to the directory who asks',
    ],
    'a file that is not there, and one that is': [
      '  secret_file: ../secret\n  previous_secret_file: ../nowhere\n',
      '9: nowhere does not exist',
    ],
    'a folder': ['  secret_file: ../programmes\n', '8: programmes is not a regular file'],
    'a secret that is too short': [
      '  secret_file: ../short\n',
      '8: short is not a secret: expected one word of at least 32 ASCII characters, such as openssl rand -hex 32 makes',
    ],
    'a secret of several words': [
      '  secret_file: ../phrase\n',
      '8: phrase is not a secret: expected one word of at least 32 ASCII characters, such as openssl rand -hex 32 makes',
    ],
    'a certificate without its key': [
      '  certificate_file: ../own.crt\n',
      '8: "certificate_file" needs "key_file" beside it',
    ],
    'a key without its certificate': [
      '  secret_file: ../secret\n  key_file: ../own.key\n',
      '9: "key_file" needs "certificate_file" beside it',
    ],
    'the key of another certificate': [
      '  certificate_file: ../own.crt\n  key_file: ../other.key\n',
      '9: the key is not that of the certificate',
    ],
    'a key that is none, and a certificate that is none': [
      '  certificate_file: ../bad.pem\n  key_file: ../secret\n',
      '8: bad.pem is not a certificate in PEM',
      '9: secret is not a private key without a passphrase',
    ],
    'authorities that are none, which would be passed over in silence': [
      '  secret_file: ../secret\n  authorities_file: ../own.key\n',
      '9: own.key holds no certificate in PEM',
    ],
  };
  for (const [name, [members, ...faults]] of Object.entries(refused)) {
    test(`${name}: the programme is not loaded, and no secret is shown`, (t) => {
      const file = clubWith(t, hook + members);
      assert.deepEqual([file.loaded, file.credentials], [undefined, undefined]);
      assert.deepEqual(faultsOf(file).toSorted(), faults.toSorted());
      const told = JSON.stringify(file);
      for (const text of Object.values(files)) assert.ok(!told.includes(text.trim()), told);
    });
  }

  test('HOSTILE 56: a secret or a key that others can read is refused', (t) => {
    const members = `${hook}  secret_file: ../secret # open
  certificate_file: ../own.crt
  key_file: ../own.key
`;
    assert.deepEqual(faultsOf(clubWith(t, members)), [
      '8: secret can be read by others (mode 0644): chmod 600 it',
      '10: own.key can be read by others (mode 0644): chmod 600 it',
    ]);
  });
});
