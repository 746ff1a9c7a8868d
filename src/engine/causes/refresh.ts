// Owns the causes for which a refresh token is refused; the judgement itself is the store's.

import type { Instant } from '../../lib/clock.ts';
import { sameDigest } from '../../lib/digest.ts';
import { type Cause, countOf, describeAge, describeText, ownCause } from '../../oauth/cause.ts';
import type { LoginState } from '../../oauth/grant.ts';
import type { Programme } from '../../programme/programme.ts';
import { type PresentedRefresh, refreshEnd } from '../../store/judgement.ts';

const rule = ['tokens', 'refresh'];
const known = 'a refresh token of the programme';

export function malformedRefresh({ forms }: Programme, sent: string): Cause {
  const none =
    forms.refresh_token === undefined ? 'that Jetway can have made' : 'that is kept, or no longer';
  return ownCause(rule, known, `none ${none}: ${describeText(sent)}`);
}

/** Why a token is neither good nor known to be used before; in the order of `judgeRefresh`. */
export function deadRefresh(
  login: LoginState | undefined,
  presented: PresentedRefresh,
  now: Instant,
): Cause {
  if (login === undefined || !sameDigest(login.loginDigest, presented.loginDigest)) {
    const came =
      'one of a login that the programme does not know: of another programme or environment, or over for long';
    return { rule, expected: known, came };
  }
  if (login.client !== presented.client) {
    return { rule, expected: 'one that was issued to this client', came: "another client's" };
  }
  const standing = 'one whose login goes on';
  if (login.revoked) {
    return ownCause(
      rule,
      standing,
      'one whose login was ended: revoked, or by the reuse of a code or refresh token',
    );
  }
  if (now >= login.endsAt) {
    const came = `one whose login ended ${describeAge(now - login.endsAt)}`;
    return ownCause([...rule, 'longest'], standing, came);
  }
  const end = refreshEnd(login);
  if (login.generation === presented.generation && now >= end) {
    const came = `one that expired ${describeAge(now - end)}`;
    return ownCause([...rule, 'lifetime'], 'a refresh token within its lifetime', came);
  }
  if (presented.generation > login.generation) {
    const came = 'one that is ahead of its login: was the store put back to an earlier state?';
    return { rule, expected: known, came };
  }
  return ownCause(rule, known, 'one that no answer of its login held');
}

export function reusedRefresh(
  login: LoginState,
  { generation }: PresentedRefresh,
  now: Instant,
): Cause {
  const answers = countOf(login.generation - generation, 'newer one');
  const came = `one that was used before, of which ${answers} came, the last ${describeAge(now - login.answeredAt)}: its login was ended`;
  return ownCause([...rule, 'grace'], 'the latest refresh token of its login', came);
}

export const inactiveMember: Cause = Object.freeze({
  rule: ['members'],
  expected: 'a member who may log in',
  came: 'one who is disabled or gone: the login was ended',
});
