// Owns what a registered partner puts into the requests of its document: the values that no document can tell.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';

import { grantsOf } from '../../../src/contract/answers.ts';
import type { Guide } from '../../../src/contract/partner/guide.ts';
import { openapiDocument } from '../../../src/contract/partner/openapi/document.ts';
import { sampleProof } from '../../../src/contract/samples/proof.ts';
import { authorizationOf } from '../../../src/contract/samples/requests.ts';
import type { GrantType } from '../../../src/oauth/grant.ts';
import type { TokenName } from '../../../src/programme/answers/token_place.ts';
import { heldValues } from '../../../src/programme/requests/client_values.ts';
import type { Input } from '../../../src/programme/requests/inputs.ts';
import {
  assertionInputs,
  assertionType,
} from '../../../src/programme/requests/presented_credentials.ts';
import type { Reading } from '../../../src/programme/requests/reading.ts';
import { cookieIn, follow, formOf, submitLogin } from '../../support/login.ts';
import type { Answer } from '../../support/wire.ts';
import {
  allowedText,
  elementOf,
  type Field,
  type Filled,
  neededScopes,
  type OpenapiDocument,
  send,
  type Way,
  waysOf,
} from './document_requests.ts';
import type { PartnerScene } from './scene.ts';

const verifier = 'v'.repeat(43);
const challenge = createHash('sha256').update(verifier).digest('base64url');

/** A way, and what the server must do with it: a grant's tokens, or what the operation is for. */
export interface Asked extends Way {
  readonly kind: GrantType | 'login' | 'management' | 'userinfo' | 'public';
  readonly grantType: string | undefined;
  readonly reading: Reading<unknown> | undefined;
}

/** Tokens that the partner has by now. */
export type Held = { [name in TokenName | 'ownToken']?: string | undefined } & {
  /** What the redirect of the last login told. */
  told?: URLSearchParams;
};

const order = [
  'public',
  'login',
  'authorization_code',
  'password',
  'jwt_bearer',
  'client_credentials',
  'refresh_token',
  'token_exchange',
  'userinfo',
  'management',
];

const documents = new WeakMap<Guide, OpenapiDocument>();

function documentOf({ guide }: Pick<PartnerScene, 'guide'>): OpenapiDocument {
  const known = documents.get(guide);
  if (known !== undefined) return known;
  const made = openapiDocument(guide) as OpenapiDocument;
  documents.set(guide, made);
  return made;
}

export function askedOf(scene: PartnerScene): readonly Asked[] {
  const { programme } = scene.guide;
  const { introspection, revocation, tokenEndpoints, login } = programme;
  const ways = waysOf(documentOf(scene));
  const all = ways.flatMap((way): readonly Asked[] => {
    const { operationId: id } = way.operation;
    if (id.startsWith('login')) {
      return [{ ...way, kind: 'login', grantType: undefined, reading: login.endpoint.reading }];
    }
    const managed = { revoke: revocation, introspect: introspection }[id];
    if (managed !== undefined) {
      return [{ ...way, kind: 'management', grantType: undefined, reading: managed.reading }];
    }
    const endpoint = tokenEndpoints.find(
      ({ name }) => id.replace(/_(?:get|post)$/, '') === `token_${name}`,
    );
    if (endpoint === undefined) {
      const kind = id === 'userinfo' ? id : 'public';
      return [{ ...way, kind, grantType: undefined, reading: undefined }];
    }
    // One operation has the requests of all endpoints of its path and method.
    const type = way.body?.type;
    const alike = tokenEndpoints.filter(
      ({ path, methods, reading: { mediaTypes } }) =>
        path === endpoint.path &&
        methods.has(way.method) &&
        (type === undefined || mediaTypes.some(([one]) => one === type)),
    );
    return alike.flatMap((one) =>
      grantsOf(one)
        .filter(({ grant }) => way.title === undefined || way.title === grant)
        .map(({ grant, grantType }) => ({
          ...way,
          kind: grant,
          grantType,
          reading: one.reading,
        })),
    );
  });
  // What is revoked cannot be asked about.
  return all
    .toReversed()
    .toSorted((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind));
}

function inputOf(
  { reading, body, kind }: Asked,
  { place, path }: Field,
): Input<unknown> | undefined {
  const name = elementOf(path).join('.');
  const found = reading?.inputs.filter(
    (one) =>
      (one.inHeader ? one.wireName : [...one.within, one.wireName].join('.')) === name &&
      (place === 'body' ? body !== undefined : true),
  );
  // Inputs of two grants can have one name.
  return found?.find(({ readBy }) => readBy.some((one) => one === kind)) ?? found?.[0];
}

/** What the document cannot tell: values of the registered client, of the member, and of a login. */
async function ownValue(
  scene: PartnerScene,
  asked: Asked,
  role: string,
  input: Input<unknown> | undefined,
  held: Held,
  logIn: () => Promise<URLSearchParams>,
): Promise<string | undefined> {
  const { by, member } = scene;
  const equal = input?.must_equal;
  if (equal === 'client.api_key') return by.apiKey;
  if (equal !== undefined && equal !== 'programme.identifier') {
    return heldValues(equal)(by.client)[0];
  }
  // An endpoint at which a client proves itself so takes no member's token alone.
  const isByOwn = scene.guide.programme.clients.authentication.methods.includes('own_token');
  const values: Readonly<Record<string, string | undefined>> = {
    client_id: by.client.id,
    client_secret: by.secret,
    client_assertion: by.assertion?.('client'),
    client_assertion_type: assertionType,
    assertion: by.assertion?.('grant'),
    refresh_token: held.refreshToken,
    client_token: held.ownToken,
    subject_token: isByOwn ? held.ownToken : held.accessToken,
    token: held.accessToken,
    username: member.username,
    password: member.password,
    code_verifier: verifier,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    redirect_uri: by.client.redirectUris[0],
    grant_type: asked.grantType,
  };
  const { login, layouts } = scene.guide.programme;
  if (role === 'code') return (await logIn()).get(layouts.redirect.code) ?? undefined;
  const drawn = login.draws.get(role);
  if (drawn === undefined) return values[role];
  const told = asked.kind === 'authorization_code' ? await logIn() : held.told;
  return told?.get(drawn.parameter) ?? undefined;
}

export function isNeeded({ kind }: Asked, { required, neededFor }: Field): boolean {
  return required || neededFor.includes(kind);
}

/** The requests of a scene: the values of its fields. */
export async function fill(scene: PartnerScene, asked: Asked, held: Held): Promise<Filled> {
  const { methods } = scene.guide.programme.clients.authentication;
  // One method in each request.
  const inputs = methods.includes('parameters') ? ['client_secret'] : assertionInputs;
  const proofs = new Set<string>(asked.schemes.length === 0 ? ['client_id', ...inputs] : []);
  const document = documentOf(scene);
  const isScoped = asked.kind === 'login' && neededScopes(document).length > 0;
  let login: Promise<URLSearchParams> | undefined;
  const logIn = async (): Promise<URLSearchParams> => {
    login ??= loginOf(scene);
    held.told = await login;
    return held.told;
  };
  const all = await Promise.all(
    asked.fields.map(async (field) => {
      const input = inputOf(asked, field);
      const role = input?.role ?? field.path.join('.');
      const isProof = proofs.has(role) && !methods.includes('token');
      const isAsked = isScoped && role === 'scope';
      if (!isNeeded(asked, field) && !isProof && !isAsked) return [];
      const listed = role === 'grant_type' ? undefined : allowedText(field.schema);
      const value = (await ownValue(scene, asked, role, input, held, logIn)) ?? listed ?? 'demo';
      const { scheme } = input ?? {};
      return [[field, scheme === undefined ? value : `${scheme} ${value}`] as const];
    }),
  );
  return signed(scene, asked, all.flat());
}

/** The values with the client's signature, once all that is signed is there. */
function signed({ guide, by }: PartnerScene, asked: Asked, filled: Filled): Filled {
  const { signature } = guide.programme.clients.authentication;
  if (signature === undefined || by.sign === undefined) return filled;
  const roleOf = (field: Field): string | undefined => inputOf(asked, field)?.role;
  const valueOf = (role: string): string =>
    filled.find(([field]) => roleOf(field) === role)?.[1] ?? '';
  const made = by.sign(signature, valueOf);
  return filled.map(([field, value]) => [
    field,
    roleOf(field) === 'client_signature' ? made : value,
  ]);
}

export function authorizationFor(
  { guide, by }: PartnerScene,
  { schemes }: Asked,
  held: Held,
): string | undefined {
  const document = documentOf({ guide });
  const tokens: Readonly<Record<string, string | undefined>> = {
    access: held.accessToken,
    client_token: held.ownToken,
    refresh_token: held.refreshToken,
    client_secret: by.secret,
  };
  const [name] = schemes;
  if (name === undefined) return undefined;
  const { scheme } = document.components.securitySchemes[name] ?? {};
  const token = tokens[name];
  if (token !== undefined) return scheme === undefined ? token : `${scheme} ${token}`;
  const { clients } = guide.programme;
  const methods = clients.authentication.methods.filter((one) => one === name || one === 'secret');
  const authentication = { ...clients.authentication, methods };
  const proof = sampleProof(authentication, by);
  return proof.credentials && authorizationOf(proof.credentials);
}

/** What the redirect of a new login tells. */
async function loginOf(scene: PartnerScene): Promise<URLSearchParams> {
  const login = askedOf(scene).find(({ kind }) => kind === 'login');
  assert.ok(login);
  const begun = await send(login, await fill(scene, login, {}), undefined);
  return toldAfter(scene, begun);
}

/** Follows an answer to a login request to its end, where there is a code. */
export async function toldAfter(
  { url, guide, member }: PartnerScene,
  begin: Answer,
): Promise<URLSearchParams> {
  assert.ok(begin.headers['location']?.startsWith(url), `${begin.status} ${begin.body}`);
  const bound = begin.headers['set-cookie'] === undefined ? await follow(url, begin) : begin;
  const cookie = cookieIn(bound);
  const page = await follow(url, bound, { cookie });
  const end = await submitLogin(url, { begin, bound, page, cookie, ...formOf(page) }, member);
  const { code } = guide.programme.layouts.redirect;
  const found = new URL(end.headers['location'] ?? 'https://posted.example');
  const posted = [...end.body.matchAll(/name="([^"]*)" value="([^"]*)"/g)].map(
    ([, name = '', value = '']) => [name, value] as [string, string],
  );
  const told = new URLSearchParams([
    ...found.searchParams,
    ...new URLSearchParams(found.hash.slice(1)),
    ...posted,
  ]);
  assert.ok(told.has(code), `no code: ${end.status} ${end.body}`);
  return told;
}
