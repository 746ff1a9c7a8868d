// Owns what can be clicked in the demo: a request of the dialect each, and what its answer means.

import { loginFaults, tokenFaults } from '../../contract/samples/faults.ts';
import type { SampleValues } from '../../contract/samples/proof.ts';
import type { SampleRequest } from '../../contract/samples/requests.ts';
import { drawnProperty } from '../../language/vocabularies.ts';
import { listed } from '../../lib/present.ts';
import type { GrantType } from '../../oauth/grant.ts';
import { takeToken, type TokenName, tokenPlace } from '../../programme/answers/token_place.ts';
import { type Demo, loginValues, tokenRequest, verifyFaults, verifyRequest } from './demo.ts';
import { type SampleAnswer, sendSample } from './sample_sending.ts';

/** What a visitor has by now; the page keeps it in its forms. */
export interface Held {
  readonly code?: string;
  /** Of a token: whose it is. */
  readonly kind?: string;
  readonly access?: string;
  readonly refresh?: string;
  /** The refresh token of the first answer. */
  readonly first?: string;
  /** `yes` once a refresh was refused. */
  readonly ended?: string;
  /** What the login has drawn. */
  readonly [drawn: `drawn.${string}`]: string;
}

/** What a redirect tells of what its login has drawn. */
export function drawnIn(
  { programme: { login } }: Demo,
  fields: Readonly<Record<string, string>>,
): Held {
  return Object.fromEntries(
    Array.from(login.draws, ([name, { parameter }]) => [
      drawnProperty(name),
      fields[parameter] ?? '',
    ]),
  );
}

/** A request that a button sends. */
export interface Click {
  /** Unique within its programme. */
  readonly key: string;
  /** The endpoints that answer a request with one thing wrong; absent for a step of the story. */
  readonly group?: string;
  readonly label: string;
  readonly what: string;
  readonly request: SampleRequest;
  /** Of a request for tokens. */
  readonly grant?: GrantType;
  /** What is told of a good answer, and of a refusal. */
  readonly good?: string;
  readonly refused?: string;
}

/** The steps that the visitor's tokens allow, and every request with one fault. */
export function clicksOf(demo: Demo, held: Held): readonly Click[] {
  const { grants, refresh: rules } = demo.programme;
  const { code, access, refresh, first, ended } = held;
  const names = [...demo.programme.login.draws.keys()];
  const drawn = Object.fromEntries(names.map((name) => [name, held[`drawn.${name}`]]));
  const asking = (grant: GrantType, values: SampleValues): Pick<Click, 'grant' | 'request'> => ({
    grant,
    request: tokenRequest(demo, grant, values),
  });
  const begins = { what: '', good: 'The partner has tokens now.', refused: 'There are none.' };
  const canRefresh = grants.has('refresh_token') && ended === undefined;
  const seconds = `${rules.grace / 1000} seconds`;
  return listed<Click>([
    code !== undefined && {
      key: 'code',
      label: 'Exchange the code for tokens',
      ...begins,
      ...asking('authorization_code', { code, ...drawn }),
    },
    grants.has('password') && {
      key: 'password',
      label: 'Get this member’s tokens by password',
      ...begins,
      ...asking('password', demo.member),
    },
    grants.has('client_credentials') && {
      key: 'own',
      label: 'Get a token for the partner',
      ...begins,
      ...asking('client_credentials', {}),
    },
    access !== undefined && {
      key: 'verify',
      label: 'Verify',
      what: 'Ask as a gateway does whether a request with this token may pass.',
      request: verifyRequest(demo, kindOf(held), { token: access }),
      good: 'It may. The X-Auth headers tell the API who is calling.',
      refused: 'It may not: the token has ended, although its time has not come.',
    },
    canRefresh &&
      refresh !== undefined && {
        key: 'refresh',
        label: 'Refresh',
        what: 'Get new tokens for the refresh token.',
        ...asking('refresh_token', { refresh_token: refresh, ...drawn }),
        good: 'New tokens. Where refresh tokens rotate, the one that was sent is spent now.',
        refused: 'The refresh token is good no more.',
      },
    canRefresh &&
      first !== undefined &&
      first !== refresh && {
        key: 'replay',
        label: 'The first refresh token again',
        what: `As after a lost answer: within ${seconds} it gets the same one. Once its successor was used, it must be a thief’s.`,
        ...asking('refresh_token', { refresh_token: first, ...drawn }),
        good: 'The same tokens (a JWT with a new signature): nobody is logged out by a lost answer.',
        refused: `Two hold tokens of this login, or the retry came after ${seconds}: all of its tokens have ended.`,
      },
    faultsOf(demo, held),
  ]);
}

function kindOf({ kind }: Held): 'client' | 'member' {
  return kind === 'client' ? 'client' : 'member';
}

function faultsOf(demo: Demo, held: Held): readonly Click[] {
  const { programme, by } = demo;
  const { access, ended } = held;
  const token = ended === undefined && access !== undefined ? access : undefined;
  const hasLogin = programme.grants.has('authorization_code');
  const groups = {
    'At the token endpoints': tokenFaults(programme, by),
    'At verify, as a gateway passes them on': verifyFaults(
      demo,
      token === undefined ? undefined : { token, kind: kindOf(held) },
    ),
    'At the login': hasLogin ? loginFaults(programme, by, loginValues(demo)) : [],
  };
  return Object.entries(groups).flatMap(([group, faults]) =>
    faults.map(({ reason, what, request }) => ({
      key: `${group} ${reason}`,
      group,
      label: reason,
      what,
      request,
    })),
  );
}

/** A click's answer, and what the visitor has then. */
export interface Sent {
  readonly answer: SampleAnswer;
  readonly isRefused: boolean;
  readonly held: Held;
}

export async function send(demo: Demo, { request, grant }: Click, before: Held): Promise<Sent> {
  const { programme, by, base } = demo;
  const answer = await sendSample(base, request);
  if (grant === undefined) return { answer, isRefused: answer.status !== 200, held: before };
  const token = (name: TokenName): string | undefined =>
    answer.status === programme.layouts.tokens.status
      ? takeToken(tokenPlace(programme, by.client, grant, name), answer)
      : undefined;
  const access = token('accessToken');
  const refresh = token('refreshToken');
  const isRefresh = grant === 'refresh_token';
  if (access === undefined) {
    return { answer, isRefused: true, held: isRefresh ? { ...before, ended: 'yes' } : before };
  }
  const kind = grant === 'client_credentials' ? 'client' : 'member';
  const { code: _spent, ended: _former, ...kept } = before;
  const held: Held = isRefresh
    ? { ...before, access }
    : { ...kept, kind, access, first: refresh ?? '' };
  return { answer, isRefused: false, held: refresh === undefined ? held : { ...held, refresh } };
}
