// Owns the proof that a service in another language can check our JWTs offline, as docs/gateways.md
// shows it, by a key set that it keeps, all through a rotation (FAULTS 24, HOSTILE 35 and 36).

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { TestContext } from 'node:test';

import { jetwayAt, jetwayJson, programmeText, workFolder } from '../cli/command.ts';
import { type ServerProcess, startServer } from '../cli/server.ts';
import { publicUrl, shippedProgramme, startJetway } from '../support/jetway.ts';
import { joinClub, secondClub, thirdClub, tokensOfLogin } from '../support/partner_club.ts';
import { testNeeding } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { ask, post } from '../support/wire.ts';
import { startWire, type Wire } from './api.ts';
import { startVerifier, type Verdict, type Verifier } from './python.ts';

const test = testNeeding('python3-jwt', 'libfaketime');

/** Where the clock of tests stands; this one stands still too. */
const startOfTests = '2026-01-02 03:04:05';

async function openClubs(t: TestContext) {
  const jetway = await startJetway(t, {
    programmes: {
      'second-club': shippedProgramme('second-club'),
      'third-club': shippedProgramme('third-club'),
    },
  });
  const keySet = `${jetway.url}/second-club/.well-known/jwks.json`;
  const issuer = `${publicUrl}/second-club`;
  return {
    second: await joinClub(jetway, secondClub),
    third: await joinClub(jetway, thirdClub),
    trusted: { issuer, keySet, time: startOfTests },
  };
}

test('C-9: an access token is taken for what it is', async (t) => {
  const { second, trusted } = await openClubs(t);
  const { access_token: token, jti } = await tokensOfLogin(second);
  const { claims = {} } = await startVerifier(t, trusted).verify(token);
  const { family, ...others } = claims;
  assert.equal(typeof family, 'string');
  assert.deepEqual(others, {
    iss: trusted.issuer,
    aud: trusted.issuer,
    sub: 'subject-of-ann',
    client_id: second.client.id,
    jti: String(jti),
    iat: 1_767_323_045,
    exp: 1_767_324_845,
  });
});

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

test('HOSTILE 35 36: anything else is refused', async (t) => {
  const { second, third, trusted } = await openClubs(t);
  const { access_token: token, refresh_token: refreshToken } = await tokensOfLogin(second);
  const foreign = await tokensOfLogin(third);
  const [head = '', body = '', signature = ''] = token.split('.');
  const header = JSON.parse(Buffer.from(head, 'base64url').toString()) as object;
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object;
  const { body: keys } = await ask(second.url, '/second-club/.well-known/jwks.json');
  const hmacHead = part({ ...header, alg: 'HS256' });
  const hmac = createHmac('sha256', keys).update(`${hmacHead}.${body}`).digest('base64url');
  const verifier = startVerifier(t, trusted);
  const refused = async (by: Verifier, text: string): Promise<string | undefined> =>
    (await by.verify(text)).refused;
  assert.deepEqual(
    [
      await refused(verifier, refreshToken),
      await refused(verifier, `${part({ ...header, alg: 'none' })}.${body}.`),
      await refused(verifier, `${hmacHead}.${body}.${hmac}`),
      await refused(verifier, `${head}.${part({ ...claims, sub: 'somebody' })}.${signature}`),
      await refused(verifier, foreign.access_token),
      await refused(verifier, 'no.jwt.at-all'),
    ],
    [
      'InvalidTokenError',
      'InvalidAlgorithmError',
      'InvalidAlgorithmError',
      'InvalidSignatureError',
      'PyJWKClientError',
      'DecodeError',
    ],
  );
  const elsewhere = { ...trusted, audience: 'https://api.airline.example' };
  assert.equal(await refused(startVerifier(t, elsewhere), token), 'InvalidAudienceError');
  const stranger = { ...trusted, issuer: `${publicUrl}/third-club`, audience: trusted.issuer };
  assert.equal(await refused(startVerifier(t, stranger), token), 'InvalidIssuerError');
  assert.ok((await verifier.verify(token)).claims);
  verifier.setTime('2026-01-02 03:34:05');
  assert.equal(await refused(verifier, token), 'ExpiredSignatureError');
});

/** Programmes by how they sign. */
const clubs = { elliptic: 'ES256', edwards: 'EdDSA', rivest: 'RS256' } as const;

/** A programme whose tokens are signed so, with somebody who fetches tokens and somebody who checks. */
interface Signing {
  readonly issue: () => Promise<string>;
  readonly verifier: Verifier;
  /** What the verifier asked of the server. */
  readonly wire: Wire;
}

async function openSigning(
  t: TestContext,
  folder: string,
  { url }: ServerProcess,
  programme: keyof typeof clubs,
): Promise<Signing> {
  const added = (await jetwayJson(
    folder,
    `client add --programme ${programme} --name A --role partner`.split(' '),
  )) as { readonly client_id: string; readonly client_secret: string };
  const credentials = `${added.client_id}:${encodeURIComponent(added.client_secret)}`;
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  const grant = { grant_type: 'client_credentials' };
  const wire = await startWire(t, url);
  const verifier = startVerifier(t, {
    issuer: `https://tokens.example/${programme}`,
    keySet: `http://${wire.address}/${programme}/.well-known/jwks.json`,
    algorithm: clubs[programme],
    time: '+0',
  });
  const issue = async (): Promise<string> => {
    const { body } = await post(url, `/${programme}/api/grant`, grant, { authorization });
    return (JSON.parse(body) as { readonly access_token: string }).access_token;
  };
  return { issue, verifier, wire };
}

function keyOf(token: string): string {
  const [head = ''] = token.split('.');
  return (JSON.parse(Buffer.from(head, 'base64url').toString()) as { readonly kid: string }).kid;
}

/** Waits until the server publishes so many keys of each programme; it follows within a second. */
async function published(url: string, count: number): Promise<void> {
  for (const programme of Object.keys(clubs)) {
    await until(async () => {
      const { body } = await ask(url, `/${programme}/.well-known/jwks.json`);
      return (JSON.parse(body) as { readonly keys: unknown[] }).keys.length === count;
    });
  }
}

test('FAULTS 24: a verifier that keeps the key set meets no unknown key in a rotation', async (t) => {
  const texts = Object.entries(clubs).map(([programme, algorithm]) => {
    const tokens = `tokens: { access: { format: jwt, lifetime: 30m, algorithm: ${algorithm} } }\n`;
    return [`programmes/${programme}.yaml`, programmeText(programme, tokens)] as const;
  });
  const folder = workFolder(t, Object.fromEntries(texts));
  const server = await startServer(t, folder);
  const all: Signing[] = [];
  for (const programme of ['elliptic', 'edwards', 'rivest'] as const) {
    all.push(await openSigning(t, folder, server, programme));
  }
  let now = 0;
  const passTo = async (second: number): Promise<void> => {
    await server.advance(second - now);
    now = second;
    for (const { verifier } of all) verifier.setTime(`+${second}`);
  };
  const tokens = (): Promise<string[]> => Promise.all(all.map(({ issue }) => issue()));
  const verdicts = (of: readonly string[]): Promise<Verdict[]> =>
    Promise.all(all.map(({ verifier }, index) => verifier.verify(of[index] ?? '')));
  const passes = async (of: readonly string[]): Promise<void> => {
    for (const { claims, refused } of await verdicts(of)) assert.ok(claims, String(refused));
  };
  const fetches = (): number[] => all.map(({ wire }) => wire.sent().match(/^GET /gm)?.length ?? 0);
  const key = async (verb: string): Promise<void> => {
    const { code, stderr } = await jetwayAt(folder, { passed: now }, ['key', verb]);
    assert.equal(code, 0, stderr);
  };

  const first = await tokens();
  await passes(first);
  await key('rotate');
  await published(server.url, 2);
  // Nothing signs with the new key yet, so that the key set from before is as good.
  await passTo(150);
  await passes(await tokens());
  assert.deepEqual(fetches(), [1, 1, 1]);
  await passTo(450);
  await passes(await tokens());
  assert.deepEqual(fetches(), [2, 2, 2]);
  // The new key signs, and the key set of a while ago has it.
  await passTo(660);
  const next = await tokens();
  const kids = first.map((token, index) => [keyOf(token), keyOf(next[index] ?? '')]);
  for (const [before, after] of kids) assert.notEqual(before, after);
  await passes(next);
  await passes(first);
  assert.deepEqual(fetches(), [2, 2, 2]);
  // The old key is kept for as long as a token of it lives, and goes then.
  await key('retire');
  await passTo(1500);
  await passes(first);
  await passes(next);
  assert.deepEqual(fetches(), [3, 3, 3]);
  await passTo(2460);
  await key('retire');
  await published(server.url, 1);
  await passTo(2470);
  await passes(await tokens());
  assert.deepEqual(
    (await verdicts(next)).map(({ refused }) => refused),
    ['ExpiredSignatureError', 'ExpiredSignatureError', 'ExpiredSignatureError'],
  );
  assert.deepEqual(fetches(), [4, 4, 4]);
});
