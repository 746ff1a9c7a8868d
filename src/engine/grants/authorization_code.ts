// Owns the authorization_code grant (RFC 6749 4.1.3): a login's code is exchanged for tokens.

import { digest } from '../../lib/digest.ts';
import type { Cause } from '../../oauth/cause.ts';
import { Refusal } from '../../oauth/failure.ts';
import { codeKey, type Place } from '../../oauth/grant.ts';
import { provesChallenge, verifierFault } from '../../oauth/pkce.ts';
import type { FoundCode, NewLogin } from '../../store/grants.ts';
import type { Authorization, GrantRequest } from '../authorization.ts';
import {
  codeOfAnother,
  codeOfInactive,
  deadCode,
  otherRedirect,
  spentCode,
  unknownCode,
  wrongVerifier,
} from '../causes/code.ts';
import { expectDrawn } from '../drawn_values.ts';
import { sameResource } from '../resource.ts';

/**
 * A code must belong to this client, match the login request and be live. A request that fails one of
 * these changes nothing; a replay by the code's own client revokes what the first use issued (G-2,
 * G-21).
 */
export async function authorizeByCode(request: GrantRequest): Promise<Authorization> {
  const { service, client, inputs, scope, now } = request;
  const { programme, store } = service;
  const key = codeKey(inputs.get('code') ?? '');
  const found = await store.findCode(programme.id, key, now);
  if (found === undefined) {
    const cause = unknownCode(programme, inputs.get('code') ?? '');
    throw new Refusal('invalid_code', { cause, code: key });
  }
  if (found.code.client !== client.id) throw refused(codeOfAnother);
  checkPossession(found, request);
  if (found.spentFor !== undefined) {
    await store.revoke(programme.id, { place: found.spentFor }, now);
    noteReplay(request, found.spentFor);
    throw refused(spentCode);
  }
  const { member, issuedAt, expiresAt, ...code } = found.code;
  // The store refuses it too, but only once tokens were made, and kept where they have a form.
  if (now >= expiresAt) throw refused(deadCode(expiresAt, now));
  expectDrawn(request, member, refused);
  // FAULTS 38: an operator's withdrawal counts at the next step. A directory elsewhere is not asked for each
  // code, two minutes after it knew the member: it is at the next refresh.
  const { directory } = service;
  if (directory.isOwn && !(await directory.isActive(member.subject, request.record))) {
    throw refused(codeOfInactive);
  }
  // A login without a scope leaves the scope to the token request (P-5). The requested scope of
  // either is the granted one: a refresh cannot widen it, and does not lose it (HOSTILE 32).
  const asked = code.scope ?? scope;
  const own = code.resource;
  const resource = own === undefined ? inputs.get('resource') : sameResource(request, own);
  const persist = async (login: NewLogin): Promise<void> => {
    const spending = await request.record.timed('store spend_code', () =>
      store.spendCode(programme.id, client.id, key, login, now),
    );
    const { outcome } = spending;
    if (outcome === 'spent') return;
    if (outcome === 'unknown') throw refused(deadCode(expiresAt, now));
    noteReplay(request, spending.place);
    throw refused(spentCode);
  };
  const loggedIn = { at: issuedAt, nonce: code.nonce };
  const hasChallenge = code.codeChallenge !== undefined;
  const began = { loggedInAt: issuedAt, loggedIn, hasChallenge, place: found.place };
  return { kind: 'login', member, asked, scope, resource, ...began, persist };
}

/** The login that the code's first use began is revoked. */
function noteReplay({ record }: GrantRequest, place: Place): void {
  record.login = place;
  record.ended = 'replayed_code';
}

/** The token request must match the login request that the code is of (RFC 6749 4.1.3). */
function checkPossession(
  { code, spentFor }: FoundCode,
  { inputs, client, refuseMissing }: GrantRequest,
): void {
  // It is compared where it is sent: not every document asks for it here.
  const redirectUri = inputs.get('redirect_uri');
  const isNeeded = 'repeatsRedirectUri' in code && code.repeatsRedirectUri;
  if (isNeeded && redirectUri === undefined) refuseMissing('redirect_uri', inputs);
  const kept = code.redirectUri;
  if (redirectUri !== undefined && digest(redirectUri).slice(0, kept.length) !== kept) {
    throw refused(otherRedirect(redirectUri, client));
  }
  const { codeChallenge } = code;
  const left = spentFor === undefined ? undefined : codeChallenge?.length;
  const verifier = inputs.get('code_verifier');
  if (!provesChallenge(codeChallenge, verifier, left)) {
    throw refused(wrongVerifier(verifierFault(codeChallenge, verifier, left), verifier));
  }
}

function refused(cause: Cause): Refusal {
  return new Refusal('invalid_code', { cause });
}
