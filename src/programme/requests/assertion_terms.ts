// Owns the terms on which a programme takes assertions (RFC 7523): compiled from its file.

import { type Client, privateKeyJwt } from '../../oauth/client.ts';
import type {
  AssertionRules,
  AssertionUse,
  ExpectedClaims,
} from '../../token/assertions/assertion.ts';
import type { Definition } from '../language/definition.ts';
import { clientPropertyPrefix } from '../language/vocabularies.ts';
import { heldValues } from './client_values.ts';

export interface AssertionTerms {
  readonly rules: Readonly<Record<AssertionUse, AssertionRules>>;
  /** What the claims of a client's assertions must be; of no client, what none can be. */
  readonly expectedOf: (client: Client | undefined) => ExpectedClaims;
}

/** Whether clients sign anything for the programme. */
export function takesAssertions({ client, grants }: Definition): boolean {
  return client.authentication.methods.includes(privateKeyJwt) || grants.jwt_bearer !== undefined;
}

/**
 * @param issuer the programme's public base URL
 * @param publicUrl in front of the paths of token endpoints; from the configuration (HOSTILE 62)
 */
export function compileAssertionTerms(
  definition: Definition,
  issuer: string,
  publicUrl: string,
): AssertionTerms | undefined {
  if (!takesAssertions(definition)) return undefined;
  const {
    audience,
    algorithms,
    issuer: named,
    ...rest
  } = definition.client.authentication.assertion;
  const { longest, tolerance, jti } = rest;
  const base = { algorithms: new Set<string>(algorithms), longest, tolerance };
  const endpoints = Object.values(definition.token_endpoints).map(
    ({ path }) => publicUrl + definition.base_path + path,
  );
  const audiencesOf = audience.map((word): ((client: Client | undefined) => readonly string[]) => {
    if (word === 'issuer') return () => [issuer];
    if (word === 'token_endpoint') return () => endpoints;
    if (word === 'absent') return () => [];
    return isClientValue(word) ? valuesOf(word) : () => [word];
  });
  const issuersOf = valuesOf(isClientValue(named) ? named : 'client.id');
  return {
    rules: {
      client: { ...base, needsId: jti !== 'optional' },
      grant: { ...base, needsId: jti === 'required' },
    },
    expectedOf: (client) => ({
      issuers: new Set(issuersOf(client)),
      audiences: new Set(audiencesOf.flatMap((values) => values(client))),
      takesNoAudience: audience.includes('absent'),
    }),
  };
}

/** `client.id`, or a property of the client. */
function isClientValue(word: string): word is `client.${string}` {
  return word.startsWith(clientPropertyPrefix);
}

function valuesOf(word: `client.${string}`): (client: Client | undefined) => readonly string[] {
  const held = heldValues(word);
  return (client) => (client === undefined ? [] : held(client));
}

/** Names of the client properties that a claim must be: without one, no assertion of the client is good. */
export function provenProperties(definition: Definition): readonly string[] {
  if (!takesAssertions(definition)) return [];
  const { issuer } = definition.client.authentication.assertion;
  return issuer === 'client.id' ? [] : [issuer.slice(clientPropertyPrefix.length)];
}
