// Owns the names of inputs that Jetway knows: what it does something with, and what may come only once.

import { inputsOfGrants } from '../../oauth/grant.ts';
import { proofInputs } from '../../oauth/pkce.ts';
import { assertionInputs } from './client_assertion.ts';

const shared = ['client_id', 'redirect_uri', 'scope', 'forwarded_for'];

export const loginInputs: ReadonlySet<string> = new Set([
  ...shared,
  'response_type',
  'state',
  'brand',
  'ui_locales',
  'response_mode',
  'nonce',
  'prompt',
  ...[...proofInputs].filter((role) => role !== 'code_verifier'),
]);

export const tokenInputs: ReadonlySet<string> = new Set([
  ...shared,
  'grant_type',
  'client_secret',
  ...assertionInputs,
  ...inputsOfGrants,
]);

/** RFC 7662 2.1, RFC 7009 2.1. */
export const question = 'token';
export const hint = 'token_type_hint';

/** Those of all endpoints. */
export const knownInputs: ReadonlySet<string> = new Set([
  ...loginInputs,
  ...tokenInputs,
  question,
  hint,
]);
