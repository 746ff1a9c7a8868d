// Owns the list of departures from RFC 6749, RFC 9700 and others. The dialect is the contract: a
// departure is allowed, and warned of.

import { answerDepartures } from './answers.ts';
import { assertionDepartures } from './assertions.ts';
import { clientDepartures } from './clients.ts';
import type { Departures } from './departure.ts';
import { limitDepartures } from './limits.ts';
import { identityDepartures, loginDepartures } from './login.ts';
import { passwordDepartures } from './password.ts';
import { requestDepartures } from './requests.ts';

const groups: readonly Departures[] = [
  requestDepartures,
  clientDepartures,
  assertionDepartures,
  loginDepartures,
  identityDepartures,
  passwordDepartures,
  limitDepartures,
  answerDepartures,
];

export const departures: Departures = Object.fromEntries(groups.flatMap(Object.entries));
