// C-8 at the partner-login clubs: of two things that are wrong at once, the one that comes first
// answers, at /secure/key and at /secure/refresh.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { jsonHeaders } from '../support/club.ts';
import {
  addPartner,
  badRequest,
  challenged,
  context,
  invalidClient,
  invalidCode,
  invalidRefreshToken,
  invalidScope,
  openPartnerClub,
  type PartnerClub,
  refused,
  secondClub,
  tooMany,
} from '../support/partner_club.ts';
import { type Answer, ask } from '../support/wire.ts';

/** What a request is made of before it is sent; each step's fault spoils a part of it. */
interface Draft {
  path: string;
  method: string;
  headers: [string, string][];
  /** Which of the partners asks: its name is the set of faults that lie in its registration. */
  roleless: boolean;
  throttled: boolean;
  secret: string;
  scheme: string | undefined;
  fields: [string, string][];
}

interface Step {
  readonly name: string;
  readonly spoil: (draft: Draft) => void;
  readonly answer: Answer;
  /** The part it spoils, where another step spoils the same so that both cannot be. */
  readonly part?: string;
}

/** Steps where there is a payload alone. */
const ofBody = new Set(['media type', 'size']);

function setHeader(draft: Draft, name: string, value: string | undefined): void {
  draft.headers = draft.headers.filter(([other]) => other !== name);
  if (value !== undefined) draft.headers.push([name, value]);
}

function setField(draft: Draft, name: string, value: string | undefined): void {
  draft.fields = draft.fields.filter(([other]) => other !== name);
  if (value !== undefined) draft.fields.push([name, value]);
}

/** The steps at an endpoint whose grant needs the parameter `needed`. */
function stepsFor(needed: Needed): readonly Step[] {
  const words = needed.replace('_', ' ');
  return [
    {
      name: 'path',
      spoil: (draft) => (draft.path += '/'),
      answer: { status: 404, headers: jsonHeaders, body: '{"error":"not_found"}' },
    },
    {
      name: 'method',
      spoil: (draft) => (draft.method = 'PUT'),
      answer: refused(405, 'invalid_request', 'Method not allowed', { allow: 'POST' }),
    },
    {
      name: 'media type',
      spoil: (draft) => setHeader(draft, 'content-type', 'text/plain'),
      answer: badRequest('Invalid header: content type'),
    },
    {
      name: 'size',
      spoil: (draft) => setField(draft, 'padding', 'x'.repeat(65_536)),
      answer: refused(413, 'invalid_request', 'Request too large'),
    },
    {
      name: 'repeated parameter',
      spoil: (draft) => draft.fields.push(['client_secret', 'a'], ['client_secret', 'a']),
      answer: badRequest('Repeated parameter: client secret'),
    },
    {
      name: 'authorization missing',
      spoil: (draft) => (draft.scheme = undefined),
      answer: badRequest('Missing header: authorization'),
      part: 'authorization',
    },
    {
      name: 'authorization malformed',
      spoil: (draft) => (draft.scheme = 'Bearer'),
      answer: invalidClient(secondClub),
      part: 'authorization',
    },
    {
      name: 'programme header',
      spoil: (draft) => setHeader(draft, 'programme-identifier', undefined),
      answer: badRequest('Missing header: programme identifier'),
      part: 'programme',
    },
    {
      name: 'programme named',
      spoil: (draft) => setHeader(draft, 'programme-identifier', 'ThirdClub'),
      answer: badRequest('Invalid header: programme identifier'),
      part: 'programme',
    },
    {
      name: 'context header',
      spoil: (draft) => setHeader(draft, 'business-context-identifier', undefined),
      answer: badRequest('Missing header: business context identifier'),
      part: 'context',
    },
    {
      name: 'accept header',
      spoil: (draft) => setHeader(draft, 'accept', 'text/html'),
      answer: badRequest('Invalid header: accept'),
    },
    {
      name: 'x-forwarded-for header',
      spoil: (draft) => setHeader(draft, 'x-forwarded-for', 'x'),
      answer: badRequest('Invalid header: x forwarded for'),
    },
    {
      name: 'client',
      spoil: (draft) => (draft.secret = 'wrong'),
      answer: invalidClient(secondClub),
      part: 'authorization',
    },
    {
      name: 'context',
      spoil: (draft) => setHeader(draft, 'business-context-identifier', 'OtherContext'),
      answer: challenged(secondClub, 'access_denied', 'Access denied'),
      part: 'context',
    },
    {
      name: 'client_id',
      spoil: (draft) => setField(draft, 'client_id', 'Partner2'),
      answer: challenged(secondClub, 'invalid_client', 'Invalid parameter: client id'),
    },
    {
      name: 'grant_type missing',
      spoil: (draft) => setField(draft, 'grant_type', undefined),
      answer: badRequest('Missing parameter: grant type'),
      part: 'grant_type',
    },
    {
      name: 'grant_type unsupported',
      spoil: (draft) => setField(draft, 'grant_type', 'password'),
      answer: refused(400, 'unsupported_grant_type', 'Unsupported grant type'),
      part: 'grant_type',
    },
    {
      name: 'grant not allowed',
      spoil: (draft) => (draft.roleless = true),
      answer: challenged(secondClub, 'unauthorized', 'Client not authorized'),
    },
    {
      name: 'parameter missing',
      spoil: (draft) => setField(draft, needed, undefined),
      answer: badRequest(`Missing parameter: ${words}`),
      part: needed,
    },
    {
      name: 'scope',
      spoil: (draft) => setField(draft, 'scope', 'x'),
      answer: invalidScope('x'),
    },
    {
      name: 'throttle',
      spoil: (draft) => (draft.throttled = true),
      answer: tooMany(60),
    },
    {
      name: 'grant',
      spoil: () => {}, // no code or token is good here: this fault is in every request
      answer: needed === 'code' ? invalidCode : invalidRefreshToken,
      part: needed,
    },
  ];
}

function partnerOf({ roleless, throttled }: Pick<Draft, 'roleless' | 'throttled'>): string {
  return `Partner${Number(roleless)}${Number(throttled)}`;
}

type Needed = 'code' | 'refresh_token';

function send(club: PartnerClub, needed: Needed, faults: readonly Step[]): Promise<Answer> {
  const inQuery = needed === 'code';
  const draft: Draft = {
    path: inQuery ? club.paths.key : club.paths.refresh,
    method: 'POST',
    headers: [
      ['programme-identifier', club.identifier],
      ['business-context-identifier', context],
      ['content-type', 'application/x-www-form-urlencoded'],
    ],
    roleless: false,
    throttled: false,
    secret: 'right',
    scheme: 'Basic',
    fields: [
      ['grant_type', inQuery ? 'authorization_code' : 'refresh_token'],
      [needed, 'unknown'],
    ],
  };
  for (const step of faults) step.spoil(draft);
  const credentials = Buffer.from(`${partnerOf(draft)}:${draft.secret}`).toString('base64');
  const { scheme, method } = draft;
  setHeader(draft, 'authorization', scheme && `${scheme} ${credentials}`);
  const headers = Object.fromEntries(draft.headers);
  const fields = new URLSearchParams(draft.fields).toString();
  return inQuery
    ? ask(club.url, `${draft.path}?${fields}`, { method, headers })
    : ask(club.url, draft.path, { method, headers, body: fields });
}

async function openOrderedClub(t: Parameters<typeof openPartnerClub>[0]): Promise<PartnerClub> {
  const club = await openPartnerClub(t);
  for (const roleless of [false, true]) {
    for (const throttled of [false, true]) {
      const id = partnerOf({ roleless, throttled });
      const throttle = { limit: throttled ? 1 : 10_000, window: 60_000 };
      const roles = roleless ? ([] as const) : (['member'] as const);
      await addPartner(club, { id, secret: 'right', roles, more: { throttle } });
      await club.store.count('token_request', club.programme, id, throttle, club.clock.now());
    }
  }
  return club;
}

for (const needed of ['code', 'refresh_token'] as const) {
  test(`C-8: each fault alone gets its own answer, of any two the earlier, by ${needed}`, async (t) => {
    const club = await openOrderedClub(t);
    const steps = stepsFor(needed).filter(({ name }) => needed !== 'code' || !ofBody.has(name));
    for (const [index, first] of steps.entries()) {
      assert.deepEqual(await send(club, needed, [first]), first.answer, first.name);
      for (const second of steps.slice(index + 1)) {
        if (first.part !== undefined && first.part === second.part) continue;
        const name = `${first.name} + ${second.name}`;
        assert.deepEqual(await send(club, needed, [first, second]), first.answer, name);
        // The order in which the faults were put in has no say in it.
        assert.deepEqual(await send(club, needed, [second, first]), first.answer, name);
      }
    }
  });
}
