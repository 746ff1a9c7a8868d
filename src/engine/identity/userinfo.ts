// Owns the userinfo endpoint (OpenID Connect Core 5.3): what a member's access token tells of its member.

import { describeText, ownCause } from '../../oauth/cause.ts';
import { Refusal } from '../../oauth/failure.ts';
import type { Reply } from '../../oauth/reply.ts';
import type { WireRequest } from '../../oauth/wire_request.ts';
import { type UserinfoRules, userinfoStatuses } from '../../programme/answers/identity.ts';
import { tokenValues } from '../../programme/answers/token_layout.ts';
import { deadToken } from '../causes/token.ts';
import { answering, renderFailure, type ReportedFailure } from '../failure.ts';
import { findStandingToken, memberOf } from '../presented/access_token.ts';
import { missingToken, readBearer } from '../presented/bearer.ts';
import { expectAudience } from '../resource.ts';
import type { Service } from '../service.ts';

const rule = ['userinfo'];

/** Answers a userinfo request; never rejects. */
export const answerUserinfo = answering(tellUserinfo, { render: refuseUserinfo });

async function tellUserinfo(
  service: Service,
  userinfo: UserinfoRules,
  request: WireRequest,
): Promise<Reply> {
  const { record } = request;
  const now = service.clock.now();
  record.step = 'credentials';
  const bearer = readBearer(service, request, rule);
  if (bearer === undefined) throw missingToken(request, rule, 'userinfo');
  record.step = 'token';
  const token = await findStandingToken(service, bearer, now);
  if (typeof token === 'string') {
    throw new Refusal('invalid_token', { cause: await deadToken(service, token, bearer, now) });
  }
  record.client = token.client.id;
  const member = memberOf(token);
  record.member = member?.subject;
  expectAudience(service, token, rule);
  record.step = 'scope';
  if (member === undefined || !userinfo.isAllowed(token.scope)) {
    const came =
      member === undefined ? 'one of a client' : `the scope ${describeText(token.scope ?? '')}`;
    const cause = ownCause(rule, 'a token of a member, of openid and of no restricted scope', came);
    throw new Refusal('insufficient_scope', { cause });
  }
  const { client, subject, scope, issuedAt, expiresAt } = token;
  const facts = {
    grant: 'authorization_code',
    kind: 'member',
    subject,
    tokenId: '',
    scope,
    issuedAt,
    accessExpiresAt: expiresAt,
    level: member.level,
    membershipNumber: member.membershipNumber,
    memberProperties: member.properties,
  } as const;
  return userinfo.render(tokenValues(facts, client, service.programme.values));
}

function refuseUserinfo(service: Service, failure: ReportedFailure): Reply {
  const reply = renderFailure(service, failure);
  const { reason } = failure;
  const status = userinfoStatuses[reason];
  if (status === undefined) return reply;
  const challenge = reason === 'missing_token' ? 'Bearer' : `Bearer error="${reason}"`;
  return { ...reply, status, headers: { ...reply.headers, 'WWW-Authenticate': challenge } };
}
