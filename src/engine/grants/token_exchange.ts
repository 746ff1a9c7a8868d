// Owns the token_exchange grant (RFC 8693): an access token of the programme for another one, which is
// narrower, lives longer or is of another kind.

import { type Cause, ownCause } from '../../oauth/cause.ts';
import { Refusal } from '../../oauth/failure.ts';
import type { Authorization, GrantRequest } from '../authorization.ts';
import { deadToken } from '../causes/token.ts';
import { expectDrawn } from '../drawn_values.ts';
import { findStandingToken } from '../presented/access_token.ts';
import { namesWith } from '../presented/exchanged.ts';
import { sameResource } from '../resource.ts';
import { expectActiveMember, laterAnswer } from './later_answer.ts';

const rule = ['grants', 'token_exchange'];

/** RFC 8693 3. */
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';

/**
 * The subject token must be live and of this client. The new token is of the same login, bounded by its
 * end, and ends with it; of a client's own token a new own token. It ends with the subject token where
 * that is revoked. Its scope is that of the subject token or a part of it.
 */
export async function authorizeByExchange(
  request: GrantRequest,
  round: number,
): Promise<Authorization> {
  const { service, client, inputs, now, record } = request;
  // Without `act` in the answer the client would take a token of one for that of two.
  if (inputs.get('actor_token') !== undefined) {
    const cause = ownCause(rule, 'no actor_token: there is no delegation', 'one');
    throw new Refusal('invalid_parameter', { parameter: 'actor_token', cause });
  }
  const text = inputs.get('subject_token') ?? '';
  const issuedTokenType = inputs.get('requested_token_type') ?? accessTokenType;
  const known = round === 0 ? request.subject : undefined;
  const subject = await findStandingToken(service, text, now, known);
  if (typeof subject === 'string') throw refused(await deadToken(service, subject, text, now));
  if (subject.client.id !== client.id) throw refused(tokenOfAnother);
  // Its login is a member's: an exchange would make a member's token of the client's own.
  if (subject.beside !== undefined) throw refused(tokenBeside);
  expectDrawn(request, subject.login?.member, refused);
  const scope = service.programme.scope.narrow(request.scope, subject.scope);
  const resource = sameResource(request, subject.resource);
  const { login } = subject;
  const exchange = { issuedTokenType, from: namesWith(subject) };
  if (login === undefined) return { kind: 'own', scope, resource, exchange };
  record.login = login.place;
  await expectActiveMember(request, login, 'invalid_assertion');
  return { ...laterAnswer(request, login, { scope }), exchange };
}

const tokenOfAnother: Cause = Object.freeze(
  ownCause(rule, 'an access token of this client', 'one of another client'),
);

const tokenBeside: Cause = Object.freeze(
  ownCause(rule, "a member's access token, or one by client_credentials", 'a client_token'),
);

function refused(cause: Cause): Refusal {
  return new Refusal('invalid_assertion', { cause });
}
