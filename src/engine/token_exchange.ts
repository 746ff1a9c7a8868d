// Owns the token_exchange grant (RFC 8693): an access token of the programme for another one, which is
// narrower, lives longer or is of another kind.

import type { Cause } from '../oauth/cause.ts';
import { ownCause } from '../oauth/cause.ts';
import { Refusal } from '../oauth/failure.ts';
import type { TokenSet } from '../oauth/token_set.ts';
import type { GrantRequest } from './authorization.ts';
import { deadToken } from './causes/token.ts';
import { makeClientToken } from './issue.ts';
import { expectActiveMember, makeLaterToken } from './later_token.ts';
import { findStandingToken } from './standing_token.ts';

/** After a lost compare-and-set the login is read again. */
const mostRounds = 5;

const grant = 'token_exchange';

/** RFC 8693 3. */
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';

/**
 * The subject token must be live and of this client. The new token is of the same login, bounded by its
 * end, and ends with it; of a client's own token a new own token. Its scope is that of the subject token
 * or a part of it.
 */
export async function grantByExchange(request: GrantRequest): Promise<TokenSet> {
  const { service, client, inputs, now, record } = request;
  const { scope: scopes } = service.programme;
  // Without `act` in the answer the client would take a token of one for that of two.
  if (inputs.get('actor_token') !== undefined) {
    const cause = ownCause(['grants', grant], 'no actor_token: there is no delegation', 'one');
    throw new Refusal('invalid_parameter', { parameter: 'actor_token', cause });
  }
  const text = inputs.get('subject_token') ?? '';
  const issuedTokenType = inputs.get('requested_token_type') ?? accessTokenType;
  for (let round = 0; round < mostRounds; round += 1) {
    const subject = await findStandingToken(service, text, now);
    if (subject === undefined) throw refused(await deadToken(service, text, now));
    if (subject.client.id !== client.id) throw refused(tokenOfAnother);
    const scope = scopes.narrow(request.scope, subject.scope);
    const { login } = subject;
    if (login === undefined) {
      return { ...(await makeClientToken(request, scope, grant)), issuedTokenType };
    }
    record.login = login.place;
    await expectActiveMember(request, login, 'invalid_assertion');
    const tokens = await makeLaterToken(request, login, { grant, scope });
    if (tokens !== undefined) return { ...tokens, issuedTokenType };
  }
  throw new Error('a login was changed by other requests again and again');
}

const tokenOfAnother: Cause = Object.freeze({
  ...ownCause(['grants', grant], 'an access token of this client', 'one of another client'),
});

function refused(cause: Cause): Refusal {
  return new Refusal('invalid_assertion', { cause });
}
