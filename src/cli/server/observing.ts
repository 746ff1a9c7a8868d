// Owns telling each of several observers of an answered request.

import type { Observer } from '../../oauth/request_record.ts';

export function observeAll(observers: readonly Observer[]): Observer {
  const [first, ...others] = observers;
  if (first !== undefined && others.length === 0) return first;
  return {
    answered: (record) => {
      for (const observer of observers) observer.answered(record);
    },
  };
}
