// Tests of compilation: a definition becomes a frozen programme with its own values.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { ProgrammeId } from '../../src/oauth/client.ts';
import { compileProgramme } from '../../src/programme/programme.ts';
import { aClient, at, partner } from '../store/fixtures.ts';
import { definitionOf, programmeOf } from '../support/definition.ts';

describe('compileProgramme', () => {
  test('C-9: issuer, audience and paths come from public URL and file, from nowhere else', () => {
    const id = 'executive-club' as ProgrammeId;
    const programme = compileProgramme(id, definitionOf(), 'https://a.example/prefix');
    assert.equal(programme.issuer, 'https://a.example/prefix/executive-club');
    assert.equal(programme.audience, programme.issuer);
    // HOSTILE 62: the paths that clients see are the paths that are served.
    assert.equal(programme.login.pagePath, '/prefix/executive-club/login');
    assert.equal(programme.login.endpoint.path, '/prefix/executive-club/auth/login');
    assert.deepEqual(
      programme.tokenEndpoints.map(({ path }) => path),
      ['/prefix/executive-club/api/grant'],
    );
    assert.equal(programmeOf('audience: urn:api').audience, 'urn:api');
  });

  test('a programme cannot be changed', () => {
    const programme = programmeOf();
    assert.equal(Object.isFrozen(programme), true);
    assert.throws(() => Object.assign(programme, { issuer: 'https://evil.example' }), TypeError);
  });

  test('G-1 G-2: identifiers and codes are made in the shape that is tested for', () => {
    const { clients, code } = programmeOf();
    const made = Array.from({ length: 200 }, () => [clients.newIdentifier(), code.generate()]);
    for (const [identifier = '', generated = ''] of made) {
      assert.match(identifier, /^partnerapi-\d{5}$/);
      assert.equal(clients.isIdentifier(identifier), true);
      assert.match(generated, /^[0-9a-f]{64}$/);
    }
    assert.equal(clients.identifierForm, '"partnerapi-" and 5 digits');
    const ranged = programmeOf(
      'client: { identifier: { prefix: "", characters: letters, length: 8..40 } }',
    );
    assert.match(ranged.clients.newIdentifier(), /^[A-Za-z]{16}$/);
  });

  test('G-23: each grant has its lifetime, and a key is kept for the longest of them', () => {
    const { access } = programmeOf('grants: { client_credentials: { access_lifetime: 2h } }');
    assert.equal(access.lifetime, 7_200_000);
    assert.deepEqual(access.lifetimes, {
      authorization_code: 1_800_000,
      refresh_token: 1_800_000,
      client_credentials: 7_200_000,
      password: 1_800_000,
      token_exchange: 1_800_000,
      jwt_bearer: 1_800_000,
    });
  });

  test('a programme at the root of the host has its own paths there', () => {
    const { issuer, login, metadata, tokenEndpoints } = programmeOf('base_path: /\nmetadata: on');
    assert.equal(issuer, 'https://tokens.example');
    assert.equal(login.pagePath, '/login');
    assert.deepEqual(
      tokenEndpoints.map(({ path }) => path),
      ['/api/grant'],
    );
    assert.deepEqual(metadata?.paths, [
      '/.well-known/oauth-authorization-server/executive-club',
      '/.well-known/oauth-authorization-server',
    ]);
  });

  test('C-9 HOSTILE 34: a client’s subject stands apart from members’', () => {
    assert.equal(programmeOf().clientSubject(partner), `client:${partner}`);
  });

  test('G-11: an answer is written from the token set, in the file’s order', () => {
    const { renderTokens } = programmeOf(
      'token_response: { wrap: [data, Token], name_case: upper, fields: { level: level, plan: client.plan, id: client_id } }',
    );
    const issuedAt = at(0);
    const tokens = {
      grant: 'client_credentials',
      kind: 'client',
      subject: 'client:x',
      accessToken: 'access',
      tokenId: '7',
      issuedAt,
      accessExpiresAt: at(60.9),
      scope: 'S',
    } as const;
    const client = aClient({ properties: { plan: 'gold', ['__proto__']: 'x' } });
    assert.deepEqual(renderTokens(tokens, client), {
      status: 200,
      headers: {
        'Content-Type': 'application/json',
        'Cache-Control': 'no-store',
        Pragma: 'no-cache',
      },
      body: `{"DATA":{"TOKEN":{"ACCESS_TOKEN":"access","SCOPE":"S","TOKEN_TYPE":"bearer","EXPIRES_IN":60,"PLAN":"gold","ID":"${partner}"}}}`,
    });
  });
});

test('HOSTILE 77, 78: no client identifier has characters that cannot be seen, whatever its shape', () => {
  const shape = 'identifier: { prefix: null, characters: null, length: null }';
  const { isIdentifier } = programmeOf(
    `client: { ${shape}, authentication: { credentials: raw } }`,
  ).clients;
  const odd = ['a\nb', 'a\0', '\ud800', '\u2066a', '\ufeff'];
  assert.deepEqual(odd.filter(isIdentifier), []);
  assert.deepEqual(['a b', 'é', '😀'].filter(isIdentifier), ['a b', 'é', '😀']);
});

test('a value that a login draws is needed by every grant whose login can have drawn it', () => {
  const { tokenEndpoints } = programmeOf(`
authorize: { draws: { device: { length: 22 } }, answer: { more: { device: member.drawn.device } } }
token_endpoints: { grant: { inputs: { device: {}, subject_token: {} } } }
grants: { token_exchange: { endpoint: grant, role: member } }`);
  const [input] = tokenEndpoints.flatMap(({ reading }) =>
    reading.inputs.filter(({ role }) => role === 'device'),
  );
  assert.deepEqual(input?.neededBy, ['authorization_code', 'refresh_token', 'token_exchange']);
});
