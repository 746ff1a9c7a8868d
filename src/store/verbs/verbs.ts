// Owns putting together the verbs that are written once, over the driver of a backend.

import type { Store } from '../contract.ts';
import type { Db } from '../sql/db.ts';
import { attemptVerbs } from './attempts.ts';
import { codeVerbs } from './codes.ts';
import { itemVerbs } from './items.ts';
import { keyCheck } from './key_check.ts';
import { loginVerbs } from './logins.ts';
import { tokenVerbs } from './revocations.ts';
import { type SweepParts, sweepVerb } from './sweep.ts';
import { textVerbs } from './texts.ts';
import { type TimeParts, timeVerbs } from './time.ts';
import { useVerbs } from './uses.ts';

/** What a backend knows beside its driver. */
export type SharedParts = Omit<TimeParts, 'setBackUses'> & Pick<SweepParts, 'recorded' | 'more'>;

/** All verbs but those that a backend writes by hand. */
export type SharedVerbs = Omit<
  Store,
  'count' | 'health' | 'leaseNode' | 'nodes' | 'close' | 'wall' | 'warnings'
>;

export function sharedVerbs(db: Db, parts: SharedParts): SharedVerbs {
  const { forgetLogin, revokeLogin, ...logins } = loginVerbs(db);
  const { forgetToken, revokeToken, ...tokens } = tokenVerbs(db);
  const { setBack, written, ...uses } = useVerbs(db);
  const { revokeOwner, ...items } = itemVerbs(db, written);
  const { life, ...times } = timeVerbs(db, { ...parts, setBackUses: setBack });
  const revoke: Store['revoke'] = (programme, ...[what, now]) => {
    if (now === undefined) return revokeOwner(programme, what);
    if ('place' in what) return revokeLogin(programme, what.place, now);
    return revokeToken(programme, what, now);
  };
  return {
    ...items,
    ...codeVerbs(db, revokeLogin),
    ...logins,
    ...tokens,
    ...textVerbs(db, forgetToken),
    ...attemptVerbs(db),
    ...uses,
    ...times,
    revoke,
    ensureKeyCheck: keyCheck(db),
    sweep: sweepVerb(db, { ...parts, life, forgetLogin }),
  };
}
