// Owns the causes of the pages that end a login without a failure of a login request.

import type { Cause } from '../../oauth/cause.ts';
import type { LoginPageName } from '../../programme/login/texts.ts';
import { tooManyFailures } from './member.ts';

function cause(rule: Cause['rule'], expected: string, came: string): Cause {
  return Object.freeze({ rule, expected, came });
}

export const pageCauses: Readonly<Partial<Record<LoginPageName, Cause>>> = {
  expired: cause(
    ['login', 'lifetime'],
    'a login that goes on',
    'none in the address, one that took too long, or one whose code was used',
  ),
  damaged: cause(
    ['login', 'pages', 'damaged'],
    'a login that this programme began',
    'a text that it did not seal: damaged, of another programme, or from before a change of the master key',
  ),
  other_browser: cause(
    ['authorize', 'binds'],
    'the browser in which the login began, with its cookie',
    'another browser, or one that keeps no cookies',
  ),
  finished: cause(
    ['login', 'pages', 'finished'],
    'a login that goes on',
    'one that its browser has finished, as after Back',
  ),
  forged: cause(
    ['login', 'pages', 'forged'],
    "the form of this browser's login page",
    'a form without its token, or with that of another login',
  ),
  too_many_attempts: tooManyFailures,
};
