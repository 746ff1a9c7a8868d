// Owns what a click can do in a visit: the steps with its tokens, and the requests with one fault.

import { type SampleFault, tokenFaults, loginFaults } from '../../contract/samples/faults.ts';
import type { LoginFailureReason } from '../../oauth/login_reasons.ts';
import { type FailureReason, failureReasons } from '../../oauth/reasons.ts';
import { loginValues, verifyFaults, verifyRequest } from './demo.ts';
import { sendSample } from './sample_sending.ts';
import { refreshWith, rotate, type Visit } from './visit.ts';

/** What a click can do with the tokens of a visit. */
export interface Step {
  readonly name: string;
  readonly label: string;
  readonly what: (visit: Visit) => string;
  readonly isPossible: (visit: Visit) => boolean;
  readonly take: (visit: Visit) => Promise<unknown>;
}

/** In displayed order. */
const steps: readonly Step[] = [
  {
    name: 'verify',
    label: 'Verify',
    what: () => 'Ask as a gateway does whether a request with this token may pass.',
    isPossible: ({ access }) => access !== undefined,
    take: async (visit) => {
      const request = verifyRequest(visit.demo, visit.kind, { token: visit.access?.text ?? '' });
      const answer = await sendSample(visit.demo.base, request);
      const isRefused = answer.status !== 200;
      const told = isRefused
        ? 'It may not: the token has ended, although its time has not come.'
        : 'It may. The X-Auth headers tell the API who is calling.';
      const title = 'A gateway asks: may a request with this token pass?';
      visit.exchanges.push({ title, told, request, answer, isRefused });
    },
  },
  {
    name: 'refresh',
    label: 'Refresh',
    what: () => 'Get new tokens for the refresh token.',
    isPossible: (visit) => canRefresh(visit) && visit.refresh !== undefined,
    take: (visit) => rotate(visit, 'Refresh', refreshedText(visit)),
  },
  {
    name: 'again',
    label: 'The same refresh again',
    what: (visit) => `As after a lost answer. Within ${graceText(visit)} it gets the same one.`,
    isPossible: (visit) => canRefresh(visit) && visit.spent !== undefined,
    take: async (visit) => {
      const title = 'The same refresh again, as after an answer that was lost';
      const { isRefused } = await refreshWith(visit, visit.spent?.text, title, {
        good: 'The same tokens (a JWT with a new signature): nobody is logged out by a lost answer.',
        refused: `Refused: a retry is answered within ${graceText(visit)} only. It is taken for theft, and all tokens of this login have ended.`,
      });
      visit.ended = isRefused;
    },
  },
  {
    name: 'old',
    label: 'The old refresh token',
    what: () => 'Use the new one, then the old one once more, as a thief would.',
    isPossible: ({ spent, refresh, ...visit }) =>
      canRefresh(visit) && spent !== undefined && refresh !== undefined,
    take: async (visit) => {
      const old = visit.spent?.text;
      await rotate(
        visit,
        'The new refresh token is used',
        'New tokens again. Who uses the new refresh token had the answer, so that retries of the old one end here.',
      );
      const title = 'Then the old refresh token comes once more';
      const { isRefused } = await refreshWith(visit, old, title, {
        good: 'The old one was good still.',
        refused:
          'Two hold tokens of this login, and one of them must be a thief: all of its tokens have ended.',
      });
      visit.ended = isRefused;
    },
  },
];

export function stepsOf(visit: Visit): readonly Step[] {
  return steps.filter(({ isPossible }) => isPossible(visit));
}

export async function takeStep(visit: Visit, { name, take }: Step): Promise<void> {
  await take(visit);
  visit.isAtErrors = false;
  visit.done.push(name);
}

function canRefresh({ ended, demo }: Pick<Visit, 'ended' | 'demo'>): boolean {
  return !ended && demo.programme.grants.has('refresh_token');
}

function refreshedText({ demo }: Visit): string {
  return demo.programme.refresh.rotation === 'on'
    ? 'New tokens. The refresh token that was sent is spent now.'
    : 'A new access token. The refresh token stays the same.';
}

/** How long a retry gets the same answer, in words. */
function graceText({ demo }: Visit): string {
  return `${demo.programme.refresh.grace / 1000} seconds`;
}

/** A request with one fault, for a visitor to send with a click. */
export interface DemoFault extends SampleFault<FailureReason | LoginFailureReason> {
  /** The endpoints that give this answer, in words. */
  readonly group: string;
  /** Unique among the faults of its programme. */
  readonly key: string;
}

/** Requests that the programme refuses, each for another reason. */
export function faultsOf({ demo, access, kind, ended }: Visit): readonly DemoFault[] {
  const { programme, by } = demo;
  const held = access && !ended ? { token: access.text, kind } : undefined;
  const hasLogin = programme.grants.has('authorization_code');
  const groups: Readonly<Record<string, readonly SampleFault<DemoFault['reason']>[]>> = {
    'At the token endpoints': tokenFaults(programme, by),
    'At verify, as a gateway passes them on': verifyFaults(demo, held),
    'At the login': hasLogin ? loginFaults(programme, by, loginValues(demo)) : [],
  };
  return Object.entries(groups).flatMap(([group, faults]) =>
    faults.map((fault) => ({ ...fault, group, key: `${group} ${fault.reason}` })),
  );
}

/** The reasons that none of the faults brings about. */
export function otherReasons(faults: readonly DemoFault[]): readonly FailureReason[] {
  const sent = new Set<string>(faults.map(({ reason }) => reason));
  return failureReasons.filter((reason) => !sent.has(reason));
}

/** Sends a request with one fault, and records its answer. */
export async function provoke(visit: Visit, { reason, what, request }: DemoFault): Promise<void> {
  const answer = await sendSample(visit.demo.base, request);
  const title = `${reason}: ${what}`;
  visit.exchanges.push({ title, told: '', request, answer, isRefused: true });
  visit.isAtErrors = true;
}
