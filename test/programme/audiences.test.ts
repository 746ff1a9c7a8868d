// C-9, HOSTILE 35 and 58: no programme file gives one kind of its JWTs the audience of another.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { formatFault } from '../../src/lib/fault.ts';
import { stringifyYaml } from '../../src/lib/yaml/yaml.ts';
import { accessClaims } from '../../src/programme/answers/access_claims.ts';
import type { TokenFacts } from '../../src/programme/answers/token_layout.ts';
import { compileProgramme } from '../../src/programme/programme.ts';
import { loadProgramme } from '../../src/rules/load.ts';
import { payloadOf, refreshAudience } from '../../src/token/jwt.ts';
import { aClient, at } from '../store/fixtures.ts';
import { anyText, fc } from '../support/property.ts';

/** Spellings of Jetway's own audience, and texts near it. */
const near = fc
  .tuple(
    fc.constantFrom('', ' ', '\u00A0'),
    fc.constantFrom('urn:jetway:', 'URN:Jetway:', 'urn:jetway', 'urn:'),
    fc.constantFrom('refresh-token', 'refresh-token/', 'REFRESH-TOKEN', 'api', ''),
  )
  .map((parts) => parts.join(''));

const audience = fc.oneof(
  fc.constantFrom(refreshAudience, undefined),
  near,
  anyText(),
  fc.webUrl(),
  fc.constantFrom('loyalty', 'partnerapi-12345'),
);

const file = fc.record({
  variant: fc.constantFrom('grant', 'partner-login'),
  basePath: fc.constantFrom('/', '/club', '/urn:jetway:refresh-token'),
  audience,
  claim: fc.constantFrom('tier', 'tier', 'tier', 'typ', 'aud'),
  characters: fc.constantFrom('visible', 'alphanumeric', undefined),
  publicUrl: fc.oneof(
    fc.constantFrom('https://tokens.example', 'https://tokens.example/urn:jetway:refresh-token'),
    fc.webUrl({ validSchemes: ['http', 'https'] }),
  ),
});

const facts: TokenFacts = {
  grant: 'authorization_code',
  kind: 'member',
  subject: 'subject-1',
  tokenId: '1',
  issuedAt: at(0),
  accessExpiresAt: at(60),
  refreshExpiresAt: undefined,
  scope: undefined,
  level: undefined,
  membershipNumber: undefined,
};

type File = typeof file extends fc.Arbitrary<infer Made> ? Made : never;

/** With identity tokens where the variant has what they need. */
function textOf({ variant, basePath, audience: aud, claim, characters }: File): string {
  const isGrant = variant === 'grant';
  return stringifyYaml({
    variant,
    name: 'Club',
    programme_identifier: 'Club',
    base_path: basePath,
    ...(aud === undefined ? {} : { audience: aud }),
    client: {
      identifier: { prefix: null, length: '4..60', ...(characters && { characters }) },
      ...(isGrant && { authentication: { credentials: 'form' } }),
    },
    tokens: {
      access: { format: 'jwt', claims: { [claim]: { constant: refreshAudience } } },
    },
    ...(isGrant && {
      authorize: { endpoint: { inputs: { nonce: {}, prompt: {} } } },
      id_token: {},
      token_response: { fields: { id_token: 'id_token' } },
    }),
  });
}

test('C-9 HOSTILE 58: whatever a file and public_url say, kinds of tokens have audiences apart', () => {
  const seen = { loaded: 0, refused: 0, foreign: 0 };
  const property = fc.property(file, (one) => {
    const { loaded } = loadProgramme('club.yaml', textOf(one));
    if (loaded === undefined) {
      seen.refused += 1;
      return;
    }
    seen.loaded += 1;
    const programme = compileProgramme(loaded.id, loaded.definition, one.publicUrl, loaded.logos);
    const { aud, iss } = payloadOf(accessClaims(programme, aClient(), facts));
    assert.equal(aud, one.audience ?? programme.issuer);
    assert.equal(iss, programme.issuer);
    assert.ok(aud !== refreshAudience && iss !== refreshAudience);
    if (programme.identity === undefined) return;
    // The `aud` of an identity token is the client's identifier.
    for (const other of [aud, refreshAudience]) {
      seen.foreign += programme.clients.misfit(other) === undefined ? 1 : 0;
      assert.equal(programme.clients.isIdentifier(other), false, other);
    }
  });
  fc.assert(property, { numRuns: 200 });
  for (const count of Object.values(seen)) assert.ok(count > 15, JSON.stringify(seen));
});

test('HOSTILE 58: an audience of Jetway’s own is told with its place and what to do', () => {
  const text = readFileSync('programmes/second-club.yaml', 'utf8');
  for (const own of [refreshAudience, 'URN:Jetway:api', ' urn:jetway:']) {
    const { loaded, faults } = loadProgramme('a.yaml', `audience: "${own}"\n${text}`);
    assert.equal(loaded, undefined);
    assert.deepEqual(faults.filter(({ severity }) => severity === 'error').map(formatFault), [
      'a.yaml:1:11: error: what begins with urn:jetway: is an audience of Jetway itself, such as that of refresh tokens: name the API that takes the access tokens',
    ]);
  }
});

test('HOSTILE 35: no client of identity tokens is called as another kind of token has it', () => {
  const { loaded } = loadProgramme(
    'club.yaml',
    textOf({
      variant: 'grant',
      basePath: '/club',
      audience: 'loyalty',
      claim: 'tier',
      characters: 'alphanumeric',
      publicUrl: '',
    }),
  );
  assert.ok(loaded);
  const { clients } = compileProgramme(loaded.id, loaded.definition, 'https://tokens.example');
  assert.deepEqual(
    ['loyalty', 'loyalty1', refreshAudience].map((id) => clients.isIdentifier(id)),
    [false, true, false],
  );
  assert.equal(clients.identifierForm, '4 to 60 alphanumeric, not "loyalty"');
});
