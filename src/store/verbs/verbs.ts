// Owns putting together the verbs that are written once, over the driver of a backend.

import type { Instant } from '../../lib/clock.ts';
import type { Place } from '../../oauth/grant.ts';
import type { Store } from '../contract.ts';
import type { Counters } from '../counters.ts';
import type { Grants } from '../grants.ts';
import type { Keeping } from '../keeping.ts';
import type { Registry } from '../registry.ts';
import type { Db } from '../sql/db.ts';
import { attemptVerbs } from './attempts.ts';
import { codeVerbs } from './codes.ts';
import { itemVerbs } from './items.ts';
import { loginVerbs } from './logins.ts';
import { tokenVerbs } from './revocations.ts';
import { textVerbs } from './texts.ts';
import { useVerbs } from './uses.ts';

export interface SharedVerbs {
  readonly verbs: Registry &
    Grants &
    Omit<Counters, 'count'> &
    Pick<Keeping, 'recordSecretUse' | 'secretUses'>;
  /** The login of that place was removed. */
  readonly forgetLogin: (place: Place) => void;
  /** Sets back the uses of secrets that are not written yet. */
  readonly setBack: (now: Instant) => void;
}

export function sharedVerbs(db: Db): SharedVerbs {
  const { forgetLogin, revokeLogin, ...logins } = loginVerbs(db);
  const { forgetToken, revokeToken, ...tokens } = tokenVerbs(db);
  const { setBack, written, ...uses } = useVerbs(db);
  const { revokeOwner, ...items } = itemVerbs(db, written);
  const revoke: Store['revoke'] = (programme, ...[what, now]) => {
    if (now === undefined) return revokeOwner(programme, what);
    if ('place' in what) return revokeLogin(programme, what.place, now);
    return revokeToken(programme, what, now);
  };
  const verbs = {
    ...items,
    ...codeVerbs(db, revokeLogin),
    ...logins,
    ...tokens,
    ...textVerbs(db, forgetToken),
    ...attemptVerbs(db),
    ...uses,
    revoke,
  };
  return { verbs, forgetLogin, setBack };
}
