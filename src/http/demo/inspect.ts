// Owns looking into a JWT for people: header, claims, and what its times are.

export interface Inspection {
  readonly header: string;
  readonly claims: string;
  readonly times: readonly { readonly name: string; readonly means: string; readonly at: string }[];
}

/** RFC 7519 4.1. */
const times = { iat: 'issued', nbf: 'not good before', exp: 'expires' } as const;

/** What a token says; undefined where it is no JWT. Its signature is not looked at. */
export function inspect(token: string): Inspection | undefined {
  const parts = token.split('.');
  if (parts.length !== 3) return undefined;
  const [header, claims] = parts.slice(0, 2).map((part): unknown => {
    try {
      return JSON.parse(Buffer.from(part, 'base64url').toString());
    } catch {
      return undefined;
    }
  });
  if (!isMap(header) || !isMap(claims)) return undefined;
  return {
    header: JSON.stringify(header, null, 2),
    claims: JSON.stringify(claims, null, 2),
    times: Object.entries(times).flatMap(([name, means]) => {
      const seconds = claims[name];
      if (typeof seconds !== 'number') return [];
      return [{ name, means, at: new Date(seconds * 1000).toUTCString() }];
    }),
  };
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
