// Owns verifiers that know of an authorization server its key set, `iss` and `aud`, and nothing of its kinds
// of tokens: those of Debian, and jose.

import { execFile } from 'node:child_process';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';

import { createRemoteJWKSet, errors, jwtVerify } from 'jose';

import { pythonPath } from '../support/tools.ts';
import { ask } from '../support/wire.ts';
import { type ApacheOptions, startApache } from './apache.ts';

/** Whether it takes a token for an access token. */
export type Takes = (token: string) => Promise<boolean>;

const run = promisify(execFile);

/** As its own documentation shows it. */
const pyjwt = `
import sys, jwt
token, issuer, audience, keys = sys.argv[1:]
key = jwt.PyJWKClient(keys).get_signing_key_from_jwt(token).key
try:
    jwt.decode(token, key, algorithms=["ES256", "RS256", "EdDSA"], issuer=issuer, audience=audience)
    print("taken")
except jwt.InvalidTokenError as error:
    print(type(error).__name__)
`;

const authlib = `
import json, sys, urllib.request
from authlib.jose import JsonWebKey, JsonWebToken
from authlib.jose.errors import JoseError
token, issuer, audience, keys = sys.argv[1:]
key_set = JsonWebKey.import_key_set(json.load(urllib.request.urlopen(keys)))
options = {
    "iss": {"essential": True, "value": issuer},
    "aud": {"essential": True, "value": audience},
}
try:
    JsonWebToken(["ES256", "RS256", "EdDSA"]).decode(token, key_set, claims_options=options).validate()
    print("taken")
except JoseError as error:
    print(type(error).__name__)
`;

/** Refusals for any other reason than the audience would prove nothing. */
async function byPython(
  script: string,
  refusal: string,
  args: readonly string[],
): Promise<boolean> {
  const { stdout } = await run(pythonPath, ['-B', '-c', script, ...args], { env: {} });
  const said = stdout.trim();
  if (said === 'taken') return true;
  if (said === refusal) return false;
  throw new Error(`refused for ${said}`);
}

/** By name, each set up for one programme. */
export async function keySetVerifiers(
  t: TestContext,
  trusted: ApacheOptions,
): Promise<Readonly<Record<string, Takes>>> {
  const { issuer, audience, keySet } = trusted;
  const apache = await startApache(t, trusted);
  const remote = createRemoteJWKSet(new URL(keySet));
  return {
    'Apache mod_oauth2': async (token) => {
      const headers = { authorization: `Bearer ${token}` };
      const { status } = await ask(apache, '/index.html', { headers });
      if (status === 200) return true;
      if (status === 401) return false;
      throw new Error(`Apache answered ${status}`);
    },
    PyJWT: (token) => byPython(pyjwt, 'InvalidAudienceError', [token, issuer, audience, keySet]),
    Authlib: (token) => byPython(authlib, 'InvalidClaimError', [token, issuer, audience, keySet]),
    jose: async (token) => {
      try {
        await jwtVerify(token, remote, { issuer, audience });
        return true;
      } catch (error) {
        if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'aud') return false;
        throw error;
      }
    },
  };
}
