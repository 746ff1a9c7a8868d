// Owns the check of a login request's proof key (RFC 7636).

import { type Cause, describeText, ownCause } from '../../oauth/cause.ts';
import { LoginRefusal, type LoginFailureReason } from '../../oauth/failure.ts';
import type { AuthorizeDefinition } from '../language/authorize_schema.ts';
import type { Inputs } from '../requests/input_rules.ts';

function refuse(reason: LoginFailureReason, parameter: string, cause: Cause): never {
  throw new LoginRefusal(reason, { parameter, cause });
}

const pkceRule = ['authorize', 'pkce'];

/** RFC 7636 4.3: a challenge without a method means `plain`, which Jetway never accepts. */
export function checkChallenge(pkce: AuthorizeDefinition['pkce'], inputs: Inputs): void {
  const challenge = inputs.get('code_challenge');
  const method = inputs.get('code_challenge_method');
  if (challenge === undefined && (method !== undefined || pkce === 'required')) {
    const parameter = 'code_challenge';
    const came = method === undefined ? 'neither' : 'code_challenge_method alone';
    const expected = 'code_challenge and code_challenge_method';
    refuse('missing_parameter', parameter, ownCause(pkceRule, expected, came, parameter));
  }
  if (challenge !== undefined && method !== 'S256') {
    const parameter = 'code_challenge_method';
    const came = method === undefined ? 'none' : describeText(method);
    refuse('invalid_parameter', parameter, ownCause(pkceRule, 'S256', came, parameter));
  }
}
