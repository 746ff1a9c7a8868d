// Owns the JWT bearer grant (RFC 7523 2.1): an assertion that a client has signed, for a token of its own
// or of a member whom it names.

import type { Cause } from '../../oauth/cause.ts';
import { type Client, propertyValues } from '../../oauth/client.ts';
import { Refusal } from '../../oauth/failure.ts';
import { isSubject, type Member } from '../../oauth/member.ts';
import { type ProvenAssertion, readAssertion } from '../../token/assertions/assertion.ts';
import { AssertionFault } from '../../token/assertions/claims.ts';
import { isSpent, proveByKeys, spendOnce, usedKey, useOf } from '../authentication/assertion.ts';
import type { Authorization, GrantRequest } from '../authorization.ts';
import { replayedAssertion, unknownSubject, unreadableAssertion } from '../causes/assertion.ts';

/**
 * The assertion is proved by the keys of the client that has authenticated, also where it was what
 * authenticated it. It is spent last: a refused request leaves it good.
 */
export async function authorizeByAssertion(request: GrantRequest): Promise<Authorization> {
  const { service, client, now } = request;
  const { programme, store } = service;
  const proven = request.assertion ?? (await prove(request));
  const scope = request.scope ?? programme.scope.check(proven.scope);
  const subject = await findSubject(request, proven);
  const once = useOf(service, client, proven);
  // Asked before, too: tokens of a form are kept before the assertion is spent.
  if (once !== undefined && (await isSpent(service, once, now))) throw refused(replayedAssertion);
  const spend = async (): Promise<void> => {
    if (once !== undefined && !(await spendOnce(service, once, now))) {
      throw refused(replayedAssertion);
    }
    store.recordSecretUse(programme.id, client.id, usedKey(client, proven), now);
  };
  const resource = request.inputs.get('resource');
  if (subject === 'client') {
    return { kind: 'own', scope: programme.scope.ofClient(scope), resource, spend };
  }
  const asked = programme.scope.ofLogin(scope, subject.level);
  return { kind: 'login', member: subject, asked, scope, resource, loggedInAt: now, spend };
}

function refused(cause: Cause): Refusal {
  return new Refusal('invalid_assertion', { cause });
}

async function prove({ service, client, inputs, now }: GrantRequest): Promise<ProvenAssertion> {
  const assertion = readAssertion(inputs.get('assertion') ?? '', 'grant');
  if (assertion instanceof AssertionFault) throw refused(unreadableAssertion(assertion));
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
