// Owns how an OpenAPI document says that requests prove who sends them.

import type { ClientAuthentication } from '../../../language/client_schema.ts';
import { knownInput } from '../../../language/known_inputs.ts';
import { methodRows, type AuthenticationMethod, isByNothing } from '../../../oauth/methods.ts';
import type { Input } from '../../../programme/requests/inputs.ts';
import type { Reading } from '../../../programme/requests/reading.ts';
import { type Guide, introspectionFor } from '../guide.ts';
import { sentence } from '../words.ts';

/** One way to prove who sends a request: the names of all schemes that it takes. */
type Requirement = Readonly<Record<string, readonly string[]>>;

/** Schemes that fill the Authorization header, which a request has once. */
const headerSchemes: ReadonlySet<string> = new Set(['basic', 'bare_basic']);

/** The input that comes in the Authorization header: OpenAPI tells it as a scheme, by its role. */
function authorizationInput({ inputs }: Reading<unknown>): Input<unknown> | undefined {
  return inputs.find(
    ({ wireName, inHeader, readBy }) =>
      inHeader && wireName === 'authorization' && readBy.length > 0,
  );
}

/** @param authentication of the endpoint; management endpoints take all methods of the dialect */
export function security(
  { programme, by, isRegistered }: Guide,
  reading: Reading<unknown>,
  authentication: ClientAuthentication = programme.clients.authentication,
): readonly Requirement[] {
  const { methods: all, secret_half: half } = authentication;
  // A registered client is public or has a proof.
  const isPublic = by.client.isPublic === true;
  const methods = isRegistered ? all.filter((one) => isByNothing(one) === isPublic) : all;
  const known = methods.flatMap((method) => schemeOf(method, half));
  const ways: readonly Requirement[] = [
    ...[...new Set(known)].map((name) => ({ [name]: [] })),
    ...(methods.some((method) => schemeOf(method, half).length === 0) ? [{}] : []),
  ];
  const input = authorizationInput(reading);
  if (input === undefined) return ways;
  const own = { [input.role]: [] };
  const free = ways.filter((way) => !Object.keys(way).some((name) => headerSchemes.has(name)));
  const beside = free.length === 0 ? [own] : free.map((way) => ({ ...way, ...own }));
  const isNeeded = reading.kinds.every((kind) => input.neededBy.includes(kind));
  return isNeeded ? beside : [...ways, ...beside];
}

/** The scheme of a method; none where the proof is a parameter, or nothing. */
function schemeOf(method: AuthenticationMethod, half: unknown): readonly string[] {
  if (method === 'secret') return half === undefined ? [] : ['basic'];
  const { openapi } = methodRows[method];
  return openapi === undefined ? [] : [openapi];
}

const allSchemes = (scheme: string): Readonly<Record<string, object>> => ({
  basic: { type: 'http', scheme: scheme.toLowerCase() },
  bare_basic: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'base64 of identifier, colon and secret, without the word Basic',
  },
  certificate: { type: 'mutualTLS' },
  access: { type: 'http', scheme: 'bearer', description: 'The access token' },
});

function inputScheme({ role, scheme }: Input<unknown>): object {
  const description = sentence(knownInput(role)?.partner ?? role);
  return scheme === undefined
    ? { type: 'apiKey', in: 'header', name: 'Authorization', description }
    : { type: 'http', scheme: scheme.toLowerCase(), description };
}

export function schemes(guide: Guide): Readonly<Record<string, object>> {
  const { clients, revocation, userinfo, tokenEndpoints } = guide.programme;
  const management = [revocation, introspectionFor(guide)].flatMap((one) => one?.reading ?? []);
  const readings = [...tokenEndpoints.map(({ reading }) => reading), ...management];
  const requirements = [
    ...tokenEndpoints.flatMap((one) => security(guide, one.reading, one.authentication)),
    ...management.flatMap((reading) => security(guide, reading)),
  ];
  const used = new Set(requirements.flatMap((one) => Object.keys(one)));
  if (userinfo !== undefined) used.add('access');
  const own = readings.flatMap((reading) => authorizationInput(reading) ?? []);
  const all = {
    ...allSchemes(clients.authentication.scheme),
    ...Object.fromEntries(own.map((input) => [input.role, inputScheme(input)])),
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => used.has(name)));
}
