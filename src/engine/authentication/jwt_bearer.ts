// Owns the JWT bearer grant (RFC 7523 2.1): an assertion that a client has signed, for a token of its own
// or of a member whom it names.

import type { Cause } from '../../oauth/cause.ts';
import { type Client, propertyValues } from '../../oauth/client.ts';
import { Refusal } from '../../oauth/failure.ts';
import { isSubject, type Member } from '../../oauth/member.ts';
import type { TokenSet } from '../../oauth/token_set.ts';
import { type ProvenAssertion, readAssertion } from '../../token/assertions/assertion.ts';
import { beginLogin } from '../answer.ts';
import type { GrantRequest } from '../authorization.ts';
import { replayedAssertion, unknownSubject, unreadableAssertion } from '../causes/assertion.ts';
import { makeClientToken } from '../issue.ts';
import { isSpentAssertion, proveByKeys, spendAssertion, usedKey } from './assertion.ts';

/**
 * The assertion is proved by the keys of the client that has authenticated, also where it was what
 * authenticated it. It is spent last: a refused request leaves it good.
 */
export async function grantByAssertion(request: GrantRequest): Promise<TokenSet> {
  const { service, client, now } = request;
  const { programme, store } = service;
  const proven = await prove(request);
  const scope = request.scope ?? proven.scope;
  programme.scope.check(scope);
  const subject = await findSubject(request, proven);
  // A login's tokens are made before it is spent for: what they end or keep, a replay must not reach.
  if (await isSpentAssertion(service, client, proven, now)) throw refused(replayedAssertion);
  const spend = async (): Promise<void> => {
    if (!(await spendAssertion(service, client, proven, now))) throw refused(replayedAssertion);
    store.recordSecretUse(programme.id, client.id, usedKey(client, proven), now);
  };
  if (subject === 'client') {
    const granted = programme.scope.ofClient(scope);
    await spend();
    return makeClientToken(request, granted, 'jwt_bearer');
  }
  const beginning = {
    grant: 'jwt_bearer',
    member: subject,
    asked: programme.scope.ofLogin(scope, subject.level),
    loggedInAt: now,
  } as const;
  let isSpent = false;
  return beginLogin({ ...request, scope }, beginning, async (login) => {
    if (!isSpent) await spend();
    isSpent = true;
    await request.record.timed('store start_login', async () => store.startLogin(login));
  });
}

function refused(cause: Cause): Refusal {
  return new Refusal('invalid_assertion', { cause });
}

async function prove({ service, client, inputs, now }: GrantRequest): Promise<ProvenAssertion> {
  const assertion = readAssertion(inputs.get('assertion') ?? '', 'grant');
  if (assertion === undefined) throw refused(unreadableAssertion);
  const { proven, cause } = await proveByKeys(service, assertion, 'grant', client, now);
  if (proven === undefined) throw refused(cause);
  return proven;
}

/** Whom the assertion is about, by the first way of the file that finds anybody. */
async function findSubject(
  { service, client, record }: GrantRequest,
  { issuer, subject: sub }: ProvenAssertion,
): Promise<Member | 'client'> {
  const { programme, directory } = service;
  const ways = programme.assertionSubjects;
  for (const way of ways) {
    if (way === 'username' || way === 'subject') {
      const isText = sub !== undefined && (way === 'username' || isSubject(sub));
      const member = isText ? await directory.find(way, sub, record) : undefined;
      if (member !== undefined) return member;
    } else if (isClient(way, client, issuer, sub)) return 'client';
  }
  throw refused(unknownSubject(ways.join(', '), sub === undefined ? 'none' : 'another one'));
}

function isClient(way: string, client: Client, issuer: string, sub: string | undefined): boolean {
  if (way === 'client') return sub === undefined || sub === client.id || sub === issuer;
  const name = way.slice('client.'.length);
  return sub !== undefined && propertyValues(client.properties, name).includes(sub);
}
