// Owns the failures that a login request forces where its programme has a sandbox.

import { LoginRefusal } from '../../oauth/failure.ts';
import { pageOnlyLoginReasons } from '../../oauth/login_reasons.ts';
import type { Asking } from '../../programme/sandbox.ts';
import { outageRetryAfter } from '../causes/trouble.ts';
import { findForced, noSuchFailure } from '../sandbox.ts';
import type { Service } from '../service.ts';
import { type DeadEnd, deadEnds, endOn, type LoginOutcome } from './outcome.ts';

const pageOnly: ReadonlySet<string> = new Set(Object.keys(pageOnlyLoginReasons));

/**
 * What a login request forces: an outcome at once, or the refusal that it gets as soon as client and
 * redirect URI are known good. A redirect goes nowhere else, forced or not (RFC 6749 4.1.2.1).
 * Undefined where it forces nothing.
 *
 * @throws LoginRefusal for a failure that is a page in every dialect
 */
export function forcedLogin(
  service: Service,
  request: Asking,
  language: string | undefined,
): LoginOutcome | LoginRefusal | undefined {
  const { sandbox } = service;
  const asked = sandbox?.asked(request);
  if (sandbox === undefined || asked === undefined) return undefined;
  request.record.isForced = true;
  if (isDeadEnd(asked)) return { ...endOn(asked, undefined, waitAt(service, asked)), language };
  const found = findForced(service, sandbox.loginFailures, asked);
  if (found === undefined) {
    const known = [...sandbox.loginFailures.keys(), ...Object.keys(deadEnds)];
    return { kind: 'reply', reply: noSuchFailure(request.record, known) };
  }
  const refusal = new LoginRefusal(found.reason, found.facts);
  if (pageOnly.has(found.reason)) throw refusal;
  return refusal;
}

function isDeadEnd(asked: string): asked is DeadEnd {
  return Object.hasOwn(deadEnds, asked);
}

function waitAt({ programme }: Service, page: DeadEnd): number | undefined {
  if (page === 'difficulties') return outageRetryAfter;
  const { addressLimit } = programme.login;
  return page === 'too_many_attempts' ? addressLimit && addressLimit.window / 1000 : undefined;
}
