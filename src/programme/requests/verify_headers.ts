// Owns the headers that verification compares with programme and client, and gateways' headers.

import type { Definition } from '../../language/definition.ts';
import type { InputDefinition } from '../../language/input_schema.ts';
import { memberPropertyPrefix } from '../../language/vocabularies.ts';
import type { Member } from '../../oauth/member.ts';
import { isFreeHeader } from '../../schema/scalars.ts';
import { type Caller, heldValues } from './client_values.ts';
import { compileInput, type Input } from './inputs.ts';

/**
 * The headers that a token endpoint compares with programme or client, by role. Where several
 * endpoints read a role, the first endpoint counts. Credentials are left out: an API key has a header
 * of its own, and Authorization has the token.
 */
export function heldHeaders({
  verify,
  token_endpoints: endpoints,
}: Pick<Definition, 'verify' | 'token_endpoints'>): ReadonlyMap<string, InputDefinition> {
  const found = new Map<string, InputDefinition>();
  if (verify.headers === 'ignored') return found;
  for (const { inputs } of Object.values(endpoints)) {
    for (const [role, input] of Object.entries(inputs)) {
      const { in: place, must_equal: comparison = 'client.api_key' } = input;
      if (place !== 'header' || comparison === 'client.api_key' || found.has(role)) continue;
      if (headerName(role, input).toLowerCase() !== 'authorization') found.set(role, input);
    }
  }
  return found;
}

/** The same as compiled inputs of calls. */
export function compileComparedHeaders(
  definition: Pick<Definition, 'verify' | 'token_endpoints' | 'programme_identifier'>,
): readonly Input[] {
  const required = definition.verify.headers === 'required';
  const kinds = ['call'] as const;
  return [...heldHeaders(definition)].map(([role, input]) => ({
    ...compileInput(role, { ...input, required }, definition.programme_identifier),
    readBy: kinds,
    neededBy: required ? kinds : [],
    missedBy: required ? kinds : [],
  }));
}

function headerName(role: string, { name = role }: InputDefinition): string {
  return name;
}

export interface ToldHeader {
  readonly name: string;
  /** The input's; undefined where requests have no such header. */
  readonly role?: string;
  /**
   * Undefined if caller or member are not known to have such a value. Of several, the one that was sent: it
   * was compared before.
   */
  readonly valueFor: (caller: Caller, sent?: string, member?: Member) => string | undefined;
}

/** The right values, without names that have another meaning in an answer. */
export function toldHeaders(
  definition: Pick<Definition, 'verify' | 'token_endpoints' | 'programme_identifier'>,
): readonly ToldHeader[] {
  const more = Object.entries(definition.verify.tells).map(([name, told]) => ({
    name,
    valueFor: propertyOf(told),
  }));
  const held = [...heldHeaders(definition)].flatMap(([role, input]): readonly ToldHeader[] => {
    const name = headerName(role, input);
    if (!isFreeHeader(name) || /^x-auth-/i.test(name)) return [];
    const { must_equal: comparison = 'programme.identifier', scheme } = input;
    const valueFor =
      comparison === 'programme.identifier'
        ? () => definition.programme_identifier
        : rightOf(heldValues(comparison));
    if (scheme === undefined) return [{ name, role, valueFor }];
    return [{ name, role, valueFor: (caller, sent) => withScheme(scheme, valueFor(caller, sent)) }];
  });
  return [...held, ...more];
}

/** The value of `member.NAME` or `client.NAME`. */
function propertyOf(told: string): ToldHeader['valueFor'] {
  if (!told.startsWith(memberPropertyPrefix))
    return rightOf(heldValues(told as `client.${string}`));
  const name = told.slice(memberPropertyPrefix.length);
  return (_caller, _sent, member) => {
    const { properties = {} } = member ?? {};
    return Object.hasOwn(properties, name) ? properties[name] : undefined;
  };
}

function rightOf(valuesOf: ReturnType<typeof heldValues>): ToldHeader['valueFor'] {
  return (caller, sent) => {
    const values = valuesOf(caller);
    return values.length === 1 ? values[0] : values.find((value) => value === sent);
  };
}

function withScheme(scheme: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : `${scheme} ${value}`;
}
