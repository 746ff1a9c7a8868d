// Owns how an OpenAPI document says that requests prove who sends them.

import type { AuthenticationMethod } from '../../../oauth/client.ts';
import { methodRows } from '../../../programme/language/methods.ts';
import type { Guide } from '../guide.ts';

/** A token that is read from the Authorization header. */
export function isBearer({ wireName, inHeader }: { wireName: string; inHeader: boolean }): boolean {
  return inHeader && wireName === 'authorization';
}

export function security(
  { contract: { programme } }: Guide,
  bearer = false,
): readonly Readonly<Record<string, readonly string[]>>[] {
  const { methods, secret_half: half } = programme.clients.authentication;
  const known = methods.flatMap((method) => schemeOf(method, half));
  return [
    ...[...new Set(known)].map((name) => ({ [name]: [] })),
    methods.some((method) => schemeOf(method, half).length === 0) && {},
    bearer && { bearer: [] },
  ].filter((one) => one !== false);
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
  bearer: { type: 'http', scheme: 'bearer', description: 'The refresh token' },
  access: { type: 'http', scheme: 'bearer', description: 'The access token' },
});

export function schemes(guide: Guide): Readonly<Record<string, object>> {
  const bearer = guide.contract.tokenEndpoints.some(({ reading }) => reading.inputs.some(isBearer));
  const used = new Set(security(guide, bearer).flatMap((one) => Object.keys(one)));
  if (guide.contract.programme.userinfo !== undefined) used.add('access');
  const { scheme } = guide.contract.programme.clients.authentication;
  return Object.fromEntries(Object.entries(allSchemes(scheme)).filter(([name]) => used.has(name)));
}
