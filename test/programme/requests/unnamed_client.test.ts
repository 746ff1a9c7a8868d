// What counts as a credential where one client stands for requests without any (HOSTILE 41), beside what transcripts
// can send: a certificate of the connection, and an Authorization header that is an input of its own.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { instant } from '../../../src/lib/clock.ts';
import type { Digest } from '../../../src/lib/digest.ts';
import { compileUnnamed } from '../../../src/programme/requests/presented_credentials.ts';
import { programmeOf } from '../../support/definition.ts';

const over = (methods: string): string => `
client: { authentication: { methods: [${methods}], unnamed_client: partnerapi-00001 } }
authorize: { pkce: required, endpoint: { inputs: { client_id: { required: false } } } }`;

const unnamed = { kind: 'none', id: 'partnerapi-00001', isUnnamed: true };
const shown = {
  thumbprint: 'x'.repeat(43) as Digest,
  names: [],
  expiresAt: instant(0),
};

function reader(
  methods: string,
  ...ownHeaders: readonly string[]
): ReturnType<typeof compileUnnamed> {
  const { clients, tokenEndpoints } = programmeOf(over(methods));
  const rules = tokenEndpoints.flatMap(({ reading }) => reading.inputs);
  return compileUnnamed(clients.authentication, rules, ownHeaders);
}

test('HOSTILE 41: a certificate is a credential where the dialect takes certificates', () => {
  const certified = { rawHeaders: [], certificate: () => shown };
  const plain = { rawHeaders: [], certificate: () => undefined };
  const read = reader('tls_client_auth, unnamed');
  assert.equal(read(certified, new Map()), undefined);
  assert.deepEqual(read(plain, new Map()), unnamed);
  // Elsewhere it is the business of the connection.
  assert.deepEqual(reader('basic, unnamed')(certified, new Map()), unnamed);
});

test('a header that an input has taken is no credential, and an empty one is', () => {
  const headed = (value: string) => ({
    rawHeaders: ['Authorization', value],
    certificate: () => undefined,
  });
  const read = reader('parameters, unnamed', 'refresh_token');
  assert.deepEqual(read(headed('Bearer x'), new Map([['refresh_token', 'x']])), unnamed);
  assert.equal(read(headed('Basic x'), new Map()), undefined);
  assert.equal(read(headed(''), new Map()), undefined);
});

test('without the method nothing stands for anybody', () => {
  const { clients } = programmeOf();
  const read = compileUnnamed({ ...clients.authentication, unnamed_client: 'x' }, [], []);
  assert.equal(read({ rawHeaders: [], certificate: () => undefined }, new Map()), undefined);
});
