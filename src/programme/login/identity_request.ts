// Owns the parameters of a login request that OpenID Connect Core 3.1.2.1 defines and that need an answer
// here. Every login asks for the password: `prompt=login` and `max_age` are met in any case.

import { countOf, describeText, endpointRule, ownCause } from '../../oauth/cause.ts';
import { type LoginFailureReason, LoginRefusal } from '../../oauth/failure.ts';
import type { Inputs } from '../requests/input_rules.ts';

/** Characters. A nonce stands in the login's address and in the code's row. */
const longestNonce = 1024;

export function checkIdentityRequest(inputs: Inputs): void {
  const nonce = inputs.get('nonce');
  if (nonce !== undefined && nonce.length > longestNonce) {
    const came = countOf(nonce.length, 'character');
    refuse('invalid_parameter', 'nonce', `at most ${longestNonce} characters`, came);
  }
  const prompt = inputs.get('prompt');
  const prompts = prompt?.split(' ') ?? [];
  if (!prompts.includes('none')) return;
  if (prompts.length > 1) {
    refuse('invalid_parameter', 'prompt', 'none alone', describeText(prompt ?? ''));
  }
  refuse('login_required', 'prompt', 'a login that the member sees', 'none');
}

function refuse(reason: LoginFailureReason, role: string, expected: string, came: string): never {
  const cause = ownCause(endpointRule('inputs', role), expected, came, role);
  throw new LoginRefusal(reason, { parameter: role, cause });
}
