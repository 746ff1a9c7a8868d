// The promise of the OpenAPI document's requests: made from the document alone, they are answered as it
// says, and refused as it says if one thing that it requires is left out.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Ajv2020 } from 'ajv/dist/2020.js';

import { readBody } from '../../../src/contract/partner/openapi/answers.ts';
import { type GrantType, grantTypes } from '../../../src/oauth/grant.ts';
import {
  type TokenName,
  takeToken,
  tokenPlace,
} from '../../../src/programme/answers/token_place.ts';
import { dialects } from '../../cli/dialects.ts';
import type { Answer } from '../../support/wire.ts';
import { bodyValue, send } from './document_requests.ts';
import {
  type Asked,
  askedOf,
  authorizationFor,
  toldAfter,
  fill,
  type Held,
  isNeeded,
} from './partner_requests.ts';
import { openScene, type PartnerScene } from './scene.ts';

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true }).addVocabulary(['xml']);

/** The body as the document sees it; its status, type and form must be documented. */
function documented({ operation }: Asked, { status, headers, body }: Answer): unknown {
  const response = operation.responses[String(status)];
  assert.ok(response, `status ${status} is documented: ${body}`);
  if (response.content === undefined) return undefined;
  const type = headers['content-type']?.split(';')[0] ?? 'text/plain';
  const content = response.content[type];
  assert.ok(content, `${status} with ${type} is documented: ${body}`);
  const value = readBody(type, body);
  assert.ok(ajv.validate(content.schema, value), `${status} ${body}: ${ajv.errorsText()}`);
  return value;
}

function tokenIn(scene: PartnerScene, kind: GrantType, name: TokenName, answer: Answer) {
  const { programme } = scene.guide;
  if (answer.status !== programme.layouts.tokens.status) return undefined;
  const { 'set-cookie': cookies = '', ...headers } = answer.headers;
  return takeToken(tokenPlace(programme, scene.by.client, kind, name), {
    ...answer,
    headers: { ...headers, 'set-cookie': cookies.replaceAll(/,(?=\S)/g, '\n') },
  });
}

function isGrant(kind: string): kind is GrantType {
  return grantTypes.some((one) => one === kind);
}

/** It must be answered as the document says. */
async function succeeds(scene: PartnerScene, asked: Asked, answer: Answer, held: Held) {
  const value = documented(asked, answer);
  if (asked.kind === 'login') {
    await toldAfter(scene, answer);
  } else if (isGrant(asked.kind)) {
    const token = tokenIn(scene, asked.kind, 'accessToken', answer);
    assert.ok(token, `${answer.status} ${answer.body}`);
    // Userinfo is of a member: a client's own token is held only where there is no other.
    if (asked.kind === 'client_credentials') held.ownToken = token;
    held.accessToken = asked.kind === 'client_credentials' ? (held.accessToken ?? token) : token;
    held.refreshToken = tokenIn(scene, asked.kind, 'refreshToken', answer) ?? held.refreshToken;
  } else {
    assert.equal(answer.status, 200, answer.body);
    if (asked.operation.operationId === 'introspect') {
      assert.equal((value as { active: boolean }).active, true);
    }
  }
}

/** It must be refused as the document says. */
function refused(scene: PartnerScene, asked: Asked, answer: Answer): void {
  const value = documented(asked, answer);
  if (asked.kind === 'login') {
    assert.doesNotMatch(answer.headers['location'] ?? '', new RegExp(`^${scene.url}`));
    return;
  }
  if (isGrant(asked.kind)) {
    assert.equal(tokenIn(scene, asked.kind, 'accessToken', answer), undefined, answer.body);
  } else {
    assert.ok(answer.status >= 400, `${answer.status} ${answer.body}`);
  }
  const examples = Object.values(asked.operation.responses[answer.status]?.content ?? {})
    .flatMap(({ examples: named = {} }) => Object.entries(named))
    .filter(([name]) => !isGrant(name));
  const names = namesIn(value);
  const isLike = examples.some(([, example]) => {
    const known = namesIn(example.value);
    return names.every((name) => known.includes(name));
  });
  assert.ok(isLike, `an error that is documented: ${answer.status} ${answer.body}`);
}

function namesIn(value: unknown, above = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) return [above];
  return Object.entries(value).flatMap(([name, inner]) => namesIn(inner, `${above}/${name}`));
}

/** The request without each thing that it requires, one at a time; then the whole one. */
async function tryOut(scene: PartnerScene, asked: Asked, held: Held): Promise<void> {
  const filled = await fill(scene, asked, held);
  const authorization = authorizationFor(scene, asked, held);
  const { body, operation } = asked;
  if (body !== undefined && Object.keys(bodyValue(filled)).length > 0) {
    assert.ok(ajv.validate(body.schema, bodyValue(filled)), ajv.errorsText());
  }
  for (const one of filled) {
    const [{ place, path }] = one;
    if (place === 'path' || !isNeeded(asked, one[0])) continue;
    const fresh = (await fill(scene, asked, held)).filter(([field]) => field !== one[0]);
    await told(`without ${place} ${path.join('.')}`, async () => {
      refused(scene, asked, await send(asked, fresh, authorization));
    });
  }
  if (
    asked.schemes.length > 0 &&
    !operation.security.some((one) => Object.keys(one).length === 0)
  ) {
    await told(`without ${asked.schemes.join()}`, async () => {
      refused(scene, asked, await send(asked, filled, undefined));
    });
  }
  await told('whole', async () => {
    const whole = await fill(scene, asked, held);
    await succeeds(scene, asked, await send(asked, whole, authorization), held);
  });
}

async function told(what: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    throw new Error(`${what}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** Dialects with the client that is registered: where clients can be public, one of each type. */
const clients = [...dialects].flatMap(([name, yaml]) =>
  /methods: \[.*\bnone\b.*\]/.test(yaml)
    ? [[name, yaml, false] as const, [name, yaml, true] as const]
    : [[name, yaml, false] as const],
);

for (const [name, yaml, isPublic] of clients) {
  const who = isPublic ? 'a public client' : 'a client';
  test(`${name}: what ${who} is told to send is enough, and none of it can be left out`, async (t) => {
    const scene = await openScene(t, `${name}.yaml`, yaml, isPublic);
    const held: Held = {};
    const faults: string[] = [];
    // A client's own token may be what proves it for other grants.
    const isFirst = ({ kind }: Asked): number => Number(kind !== 'client_credentials');
    const all = askedOf(scene);
    const isByOwn = all.some(({ schemes }) => schemes.includes('client_token'));
    for (const asked of isByOwn ? all.toSorted((a, b) => isFirst(a) - isFirst(b)) : all) {
      const { kind, method, url, schemes, body } = asked;
      const what = `${kind} by ${method} ${url} ${schemes.join()} ${body?.type ?? ''}`;
      await told(what, () => tryOut(scene, asked, held)).catch((error: unknown) =>
        faults.push(String(error)),
      );
    }
    assert.deepEqual(faults, []);
  });
}

test('second-club: a repeated refresh is signed anew, and either text is good once', async (t) => {
  const scene = await openScene(t, 'second-club.yaml', dialects.get('second-club'));
  const held: Held = {};
  const all = askedOf(scene);
  const by = (kind: GrantType): Asked =>
    all.find((one) => one.kind === kind && one.schemes.includes('basic')) ?? assert.fail(kind);
  await tryOut(scene, by('authorization_code'), held);
  const refresh = by('refresh_token');
  const sendWith = async (refreshToken: string | undefined): Promise<string | undefined> => {
    const mine = { ...held, refreshToken };
    const authorization = authorizationFor(scene, refresh, mine);
    const answer = await send(refresh, await fill(scene, refresh, mine), authorization);
    return tokenIn(scene, 'refresh_token', 'refreshToken', answer);
  };
  const [first, again] = [await sendWith(held.refreshToken), await sendWith(held.refreshToken)];
  assert.ok(first !== undefined && again !== undefined);
  assert.notEqual(first, again);
  assert.ok(await sendWith(again));
  scene.clock.advance(11);
  assert.equal(await sendWith(first), undefined);
});
