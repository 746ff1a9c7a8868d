// Owns a visit to the demo: its tokens, and the action of each click. visit_page.ts shows it.

import { randomKey } from '../../lib/random.ts';
import type { GrantType } from '../../oauth/grant.ts';
import { takeToken, type TokenName, tokenPlace } from '../../programme/answers/token_place.ts';
import type { SampleRequest, SampleValues } from '../../programme/requests/sample_request.ts';
import { type Demo, tokenRequest, verifyRequest } from './demo.ts';
import { type SampleAnswer, sendSample } from './sample_sending.ts';

interface Sent {
  readonly request: SampleRequest;
  readonly answer: SampleAnswer;
  readonly isRefused: boolean;
}

/** The same exchange as the page shows it. */
export interface Exchange extends Sent {
  readonly title: string;
  readonly told: string;
}

export interface HeldToken {
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** Actions of a click, in displayed order. */
export const steps = ['verify', 'refresh', 'again', 'old'] as const;
export type Step = (typeof steps)[number];

export interface Visit {
  readonly id: string;
  readonly demo: Demo;
  readonly kind: 'member' | 'client';
  readonly exchanges: Exchange[];
  access?: HeldToken;
  refresh?: HeldToken;
  /** The last refresh: the token sent, its answer, and until when a retry gets the same answer. */
  spent?: { readonly text: string; readonly answer: string; readonly until: number };
  ended: boolean;
  readonly done: Step[];
  isAtErrors: boolean;
}

export async function beginVisit(
  demo: Demo,
  grant: GrantType,
  values: SampleValues,
): Promise<Visit> {
  const kind = grant === 'client_credentials' ? 'client' : 'member';
  const visit: Visit = {
    id: randomKey(12),
    demo,
    kind,
    exchanges: [],
    ended: false,
    done: [],
    isAtErrors: false,
  };
  const titles: Readonly<Record<GrantType, string>> = {
    authorization_code: 'The partner exchanges the code for tokens',
    client_credentials: 'The partner gets a token of its own',
    password: 'The partner exchanges the member’s password for tokens',
    refresh_token: 'Refresh',
  };
  const sent = await ask(visit, grant, values);
  hold(visit, sent);
  note(visit, titles[grant], sent, {
    good: 'The partner has tokens now. Below is what can be done with them.',
    refused: 'There are no tokens. A code is good once, and for a short time only: start again.',
  });
  return visit;
}

export function stepsOf({ access, refresh, spent, ended, demo }: Visit): readonly Step[] {
  const canRefresh = !ended && demo.programme.grants.has('refresh_token');
  const possible: Readonly<Record<Step, boolean>> = {
    verify: access !== undefined,
    refresh: canRefresh && refresh !== undefined,
    again: canRefresh && spent !== undefined,
    old: canRefresh && spent !== undefined && refresh !== undefined,
  };
  return steps.filter((step) => possible[step]);
}

export async function takeStep(visit: Visit, step: Step): Promise<void> {
  await actions[step](visit);
  visit.isAtErrors = false;
  visit.done.push(step);
}

const actions: Readonly<Record<Step, (visit: Visit) => Promise<void>>> = {
  verify: async (visit) => {
    const request = verifyRequest(visit.demo, visit.kind, { token: visit.access?.text ?? '' });
    const answer = await sendSample(visit.demo.base, request);
    const isRefused = answer.status !== 200;
    const sent = { request, answer, isRefused };
    note(visit, 'A gateway asks: may a request with this token pass?', sent, {
      good: 'It may. The X-Auth headers tell the API who is calling.',
      refused: 'It may not: the token has ended, although its time has not come.',
    });
  },
  refresh: async (visit) => {
    await rotate(visit, 'Refresh', 'New tokens. The refresh token that was sent is spent now.');
  },
  again: async (visit) => {
    const { spent } = visit;
    const sent = await ask(visit, 'refresh_token', { refresh_token: spent?.text ?? '' });
    const isSame = sent.answer.body === spent?.answer;
    if (!isSame) visit.ended = true;
    note(visit, 'The same refresh again, as after an answer that was lost', sent, {
      good: isSame
        ? 'The same answer, to the letter: nobody is logged out by a lost answer.'
        : 'Another answer.',
      refused: `Refused: a retry is answered within ${graceText(visit)} only. It is taken for theft, and all tokens of this login have ended.`,
    });
  },
  old: async (visit) => {
    const old = visit.spent?.text ?? '';
    await rotate(
      visit,
      'The new refresh token is used',
      'New tokens again. Who uses the new refresh token had the answer, so that retries of the old one end here.',
    );
    const sent = await ask(visit, 'refresh_token', { refresh_token: old });
    if (sent.isRefused) visit.ended = true;
    note(visit, 'Then the old refresh token comes once more', sent, {
      good: 'The old one was good still.',
      refused:
        'Two hold tokens of this login, and one of them must be a thief: all of its tokens have ended.',
    });
  },
};

/** How long a retry gets the same answer, in words. */
export function graceText({ demo }: Visit): string {
  return `${demo.programme.refresh.grace / 1000} seconds`;
}

/** Sends a request with one fault, and records its answer. */
export async function provoke(visit: Visit, title: string, request: SampleRequest): Promise<void> {
  const answer = await sendSample(visit.demo.base, request);
  note(visit, title, { request, answer, isRefused: true }, { good: '', refused: '' });
  visit.isAtErrors = true;
}

async function rotate(visit: Visit, title: string, good: string): Promise<void> {
  const text = visit.refresh?.text ?? '';
  const sent = await ask(visit, 'refresh_token', { refresh_token: text });
  const until = Date.now() + visit.demo.programme.refresh.grace;
  hold(visit, sent);
  if (!sent.isRefused) visit.spent = { text, answer: sent.answer.body, until };
  note(visit, title, sent, { good, refused: 'The refresh token is good no more.' });
}

interface SentGrant extends Sent {
  readonly grant: GrantType;
}

async function ask(visit: Visit, grant: GrantType, values: SampleValues): Promise<SentGrant> {
  const request = tokenRequest(visit.demo, grant, values);
  const answer = await sendSample(visit.demo.base, request);
  const isRefused = tokenOf(visit, grant, 'accessToken', answer) === undefined;
  return { grant, request, answer, isRefused };
}

function note(
  visit: Visit,
  title: string,
  { request, answer, isRefused }: Sent,
  { good, refused }: { readonly good: string; readonly refused: string },
): void {
  visit.exchanges.push({ title, told: isRefused ? refused : good, request, answer, isRefused });
}

/** Keeps the tokens of an answer with their expiry times. */
function hold(visit: Visit, { grant, answer, isRefused }: SentGrant): void {
  if (isRefused) return;
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
  { demo }: Visit,
  grant: GrantType,
  name: TokenName,
  answer: SampleAnswer,
): string | undefined {
  const { programme, definition, by } = demo;
  if (answer.status !== definition.token_response.status) return undefined;
  return takeToken(tokenPlace(programme, by.client, grant, name), answer);
}
