// Owns a visit to the demo: its tokens, and the requests that get them. steps.ts has what a click can do,
// visit_page.ts shows it.

import type { SampleValues } from '../../contract/samples/proof.ts';
import type { SampleRequest } from '../../contract/samples/requests.ts';
import { randomKey } from '../../lib/random.ts';
import type { GrantType } from '../../oauth/grant.ts';
import { takeToken, type TokenName, tokenPlace } from '../../programme/answers/token_place.ts';
import { type Demo, tokenRequest } from './demo.ts';
import { type SampleAnswer, sendSample } from './sample_sending.ts';

/** A request and its answer, as the page shows them. */
export interface Exchange {
  readonly title: string;
  readonly told: string;
  readonly request: SampleRequest;
  readonly answer: SampleAnswer;
  readonly isRefused: boolean;
}

export interface HeldToken {
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

export interface Visit {
  readonly id: string;
  readonly demo: Demo;
  readonly kind: 'member' | 'client';
  readonly exchanges: Exchange[];
  access?: HeldToken;
  refresh?: HeldToken;
  /** The last refresh: the token sent, and until when a retry gets the same answer. */
  spent?: HeldToken;
  ended: boolean;
  /** Names of the steps taken. */
  readonly done: string[];
  isAtErrors: boolean;
}

const beginnings: Readonly<Record<GrantType, string>> = {
  authorization_code: 'The partner exchanges the code for tokens',
  client_credentials: 'The partner gets a token of its own',
  token_exchange: 'The partner exchanges an access token for another one',
  jwt_bearer: 'The partner sends an assertion that it has signed',
  password: 'The partner exchanges the member’s password for tokens',
  refresh_token: 'Refresh',
};

export async function beginVisit(
  demo: Demo,
  grant: GrantType,
  values: SampleValues,
): Promise<Visit> {
  const kind = grant === 'client_credentials' ? 'client' : 'member';
  const id = randomKey(12);
  const visit: Visit = { id, demo, kind, exchanges: [], ended: false, done: [], isAtErrors: false };
  const { answer } = await ask(visit, grant, values, beginnings[grant], {
    good: 'The partner has tokens now. Below is what can be done with them.',
    refused: 'There are no tokens. A code is good once, and for a short time only: start again.',
  });
  hold(visit, grant, answer);
  return visit;
}

/** What a page tells of an answer. */
interface Told {
  readonly good: string;
  readonly refused: string;
}

async function ask(
  visit: Visit,
  grant: GrantType,
  values: SampleValues,
  title: string,
  { good, refused }: Told,
): Promise<Exchange> {
  const request = tokenRequest(visit.demo, grant, values);
  const answer = await sendSample(visit.demo.base, request);
  const isRefused = tokenOf(visit, grant, 'accessToken', answer) === undefined;
  const exchange = { title, told: isRefused ? refused : good, request, answer, isRefused };
  visit.exchanges.push(exchange);
  return exchange;
}

/** Sends a refresh token, and records the answer. */
export function refreshWith(
  visit: Visit,
  token: string | undefined,
  title: string,
  told: Told,
): Promise<Exchange> {
  return ask(visit, 'refresh_token', { refresh_token: token ?? '' }, title, told);
}

/** Exchanges the refresh token for new tokens, which the visit keeps. */
export async function rotate(visit: Visit, title: string, good: string): Promise<void> {
  const text = visit.refresh?.text ?? '';
  const refused = 'The refresh token is good no more.';
  const { answer, isRefused } = await refreshWith(visit, text, title, { good, refused });
  const { grace, rotation } = visit.demo.programme.refresh;
  const until = Date.now() + grace;
  hold(visit, 'refresh_token', answer);
  if (!isRefused && rotation === 'on') visit.spent = { text, until };
}

/** Keeps the tokens of an answer with their expiry times. */
function hold(visit: Visit, grant: GrantType, answer: SampleAnswer): void {
  const { access, refresh } = visit.demo.programme;
  const now = Date.now();
  const accessToken = tokenOf(visit, grant, 'accessToken', answer);
  const refreshToken = tokenOf(visit, grant, 'refreshToken', answer);
  if (accessToken !== undefined) {
    visit.access = { text: accessToken, until: now + access.lifetimes[grant] };
  }
  if (refreshToken !== undefined) {
    visit.refresh = { text: refreshToken, until: now + refresh.lifetime };
  }
}

function tokenOf(
  { demo: { programme, by } }: Visit,
  grant: GrantType,
  name: TokenName,
  answer: SampleAnswer,
): string | undefined {
  if (answer.status !== programme.layouts.tokens.status) return undefined;
  return takeToken(tokenPlace(programme, by.client, grant, name), answer);
}
