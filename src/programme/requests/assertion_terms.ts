// Owns the terms on which a programme takes assertions (RFC 7523): compiled from its file.

import type { Definition } from '../../language/definition.ts';
import type { EndpointDefinition } from '../../language/input_schema.ts';
import { isProperty } from '../../language/tokens/assertion_schema.ts';
import { clientPropertyPrefix } from '../../language/vocabularies.ts';
import type { Client } from '../../oauth/client.ts';
import { privateKeyJwt } from '../../oauth/methods.ts';
import type { AssertionUse } from '../../token/assertions/assertion.ts';
import type { AssertionRules, ExpectedClaims } from '../../token/assertions/claims.ts';
import { heldValues } from './client_values.ts';
import { valueFault } from './input_faults.ts';
import { compileInput, type Input, type SecretTest } from './inputs.ts';

export interface AssertionTerms {
  /** Names of the client properties that a claim must be: without one, no assertion of the client is good. */
  readonly properties: readonly string[];
  readonly rules: Readonly<Record<AssertionUse, AssertionRules>>;
  /** Whether an assertion may come again. */
  readonly isRepeatable: boolean;
  /** Whether assertions speak of somebody else than their client: whoever signs them may sign for many. */
  readonly isOfOthers: boolean;
  /** What `sub` of an assertion must be that proves its client. */
  readonly subjectsOf: (client: Client) => readonly string[];
  /** What the claims of a client's assertions must be; of no client, what none can be. */
  readonly expectedOf: (client: Client | undefined, isSecret?: SecretTest) => ExpectedClaims;
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
    issuer: issuerWord,
    sub: subjectWord,
    ...rest
  } = definition.client.authentication.assertion;
  const { longest, tolerance, jti } = rest;
  const base = { algorithms: new Set<string>(algorithms), longest, tolerance };
  const endpoints = Object.values(definition.token_endpoints).map((endpoint) =>
    addressOf(endpoint, definition, publicUrl),
  );
  const audiencesOf = audience.map((word): Names => {
    if (word === 'issuer') return named(() => [issuer]);
    if (word === 'token_endpoint') return allOf(endpoints);
    if (word === 'absent') return named(() => []);
    return named(isClientValue(word) ? valuesOf(word) : () => [word]);
  });
  const audiences = allOf(audiencesOf);
  const issuersOf = valuesOf(isClientValue(issuerWord) ? issuerWord : 'client.id');
  const [onlyAudience = '', ...otherAudiences] = audience;
  // Of several audiences, another one is good enough.
  const needed = [issuerWord, subjectWord, ...(otherAudiences.length > 0 ? [] : [onlyAudience])];
  return {
    properties: [...new Set(needed.filter(isProperty))].map((word) =>
      word.slice(clientPropertyPrefix.length),
    ),
    isRepeatable: jti === 'repeatable',
    isOfOthers: isProperty(subjectWord),
    subjectsOf: valuesOf(isProperty(subjectWord) ? subjectWord : 'client.id'),
    rules: {
      client: { ...base, needsId: jti === undefined || jti === 'required' },
      grant: { ...base, needsId: jti === 'required' },
    },
    expectedOf: (client, isSecret = () => false) => ({
      issuers: new Set(issuersOf(client)),
      audiences: audiences.tell(client),
      isAudience: (text) => audiences.has(text, client, isSecret),
      takesNoAudience: audience.includes('absent'),
    }),
  };
}

/** What a claim may be; of no client, what it may be of each. */
interface Names {
  readonly has: (text: string, client: Client | undefined, isSecret: SecretTest) => boolean;
  /** In words. */
  readonly tell: (client: Client | undefined) => readonly string[];
}

function named(valuesOf: (client: Client | undefined) => readonly string[]): Names {
  return { has: (text, client) => valuesOf(client).includes(text), tell: valuesOf };
}

function allOf(names: readonly Names[]): Names {
  return {
    has: (...asked) => names.some(({ has }) => has(...asked)),
    tell: (client) => [...new Set(names.flatMap(({ tell }) => tell(client)))],
  };
}

/** In words, the URL of a token endpoint with values in its path. */
export const requestUrl = 'the URL of the request';

/** The URL of a token endpoint, with the client's values where its path has values (HOSTILE 76). */
function addressOf(
  { path, inputs }: EndpointDefinition,
  { programme_identifier: identifier, base_path: base }: Definition,
  publicUrl: string,
): Names {
  const url = publicUrl + base + path;
  const inPath = Object.entries(inputs).filter(([, input]) => input.in === 'path');
  if (inPath.length === 0) return named(() => [url]);
  const rules = new Map<string, Input>(
    inPath.map(([role, input]) => {
      const rule = compileInput(role, input, identifier);
      return [`{${rule.wireName}}`, rule] as const;
    }),
  );
  const segments = url.split('/');
  return {
    has: (text, client, isSecret) => {
      const sent = text.split('/');
      const isThere = (segment: string, index: number): boolean => {
        const [value = '', rule] = [sent[index], rules.get(segment)];
        if (rule === undefined) return value === segment;
        return (
          client !== undefined &&
          valueFault(rule, value) === undefined &&
          rule.clientTest?.holds(value, client, isSecret) !== false
        );
      };
      return sent.length === segments.length && segments.every(isThere);
    },
    tell: () => [requestUrl],
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
