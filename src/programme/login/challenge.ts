// Owns the check of a login request's proof key (RFC 7636).

import { type Cause, describeText, ownCause } from '../../oauth/cause.ts';
import { LoginRefusal, type LoginFailureReason } from '../../oauth/failure.ts';
import type { AuthorizeDefinition } from '../language/authorize_schema.ts';
import type { InputRule, Inputs } from '../requests/input_rules.ts';

function refuse(reason: LoginFailureReason, parameter: string, cause: Cause): never {
  throw new LoginRefusal(reason, { parameter, cause });
}

const pkceRule = ['authorize', 'pkce'];

/** The wire names of challenge and method. */
export function challengeNames(
  rules: readonly Pick<InputRule<unknown>, 'role' | 'wireName'>[],
): Readonly<Record<'challenge' | 'method', string>> {
  const nameOf = (name: string): string =>
    rules.find(({ role }) => role === name)?.wireName ?? name;
  return { challenge: nameOf('code_challenge'), method: nameOf('code_challenge_method') };
}

/** RFC 7636 4.3: a challenge without a method means `plain`, which Jetway never accepts. */
export function compileChallengeCheck(
  { pkce }: Pick<AuthorizeDefinition, 'pkce'>,
  names: ReturnType<typeof challengeNames>,
): (inputs: Inputs) => void {
  return (inputs) => {
    const challenge = inputs.get('code_challenge');
    const method = inputs.get('code_challenge_method');
    if (challenge === undefined && (method !== undefined || pkce === 'required')) {
      const came = method === undefined ? 'neither' : `${names.method} alone`;
      const expected = `${names.challenge} and ${names.method}`;
      const cause = ownCause(pkceRule, expected, came, names.challenge);
      refuse('missing_parameter', names.challenge, cause);
    }
    if (challenge !== undefined && method !== 'S256') {
      const came = method === undefined ? 'none' : describeText(method);
      const cause = ownCause(pkceRule, 'S256', came, names.method);
      refuse('invalid_parameter', names.method, cause);
    }
  };
}
