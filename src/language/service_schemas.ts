// Owns the schemas of what surrounds the dialect: limits, the member directory, verification and the sandbox.

import * as v from 'valibot';

import type { Milliseconds } from '../lib/clock.ts';
import { isLoopback } from '../lib/ip_address.ts';
import { type KeyDeparture, type KeyText, type Output, key } from '../schema/notes.ts';
import {
  answerHeadersSchemaOf,
  freeHeaderSchema,
  lifetimeSchema,
  matching,
  textSchema,
  wholeNumber,
} from '../schema/scalars.ts';
import { valueShapeSchema } from './value_shape.ts';

type LimitTexts = Readonly<
  Record<'limit' | 'window', KeyText<unknown> & { readonly example: string }>
>;

/** `off`, or a number of failures in a window. */
type FailureLimit = 'off' | { readonly limit: number; readonly window: Milliseconds };

const countSchema = wholeNumber(1, 1_000_000);

/** What headers can tell of a limit, in words for partners. */
export const budgetRows = {
  limit: 'how many requests you may make in a window',
  window: 'the length of a window, in seconds',
  remaining: 'how many are left until the window ends',
  reset_after: 'seconds until the window ends',
  reset_at: 'when the window ends, in seconds since 1970',
  policy: 'the limit, as a `RateLimit-Policy` (IETF draft)',
  state: 'what is left, as a `RateLimit` (IETF draft)',
} as const;
export type BudgetValue = keyof typeof budgetRows;
const budgetValues = Object.keys(budgetRows) as readonly BudgetValue[];

/** By header name. */
export type BudgetHeaders = Readonly<Record<string, BudgetValue>>;

export const throttleSchema = v.optional(
  v.union([
    v.literal('off'),
    v.strictObject({
      limit: key(countSchema, { text: 'Requests in one window.', example: '300' }),
      window: key(lifetimeSchema, {
        text: 'Length of the window. `Retry-After` tells the client when the next one opens.',
        example: '5m',
      }),
      headers: key(v.optional(answerHeadersSchemaOf(v.picklist(budgetValues)), {}), {
        text: 'Headers that tell a client what it has left, by name. Token responses have them, and so has `throttled` if the client has used its requests up. `limit`: the requests in a window. `window`: its seconds. `remaining`: the requests that are left until the window ends. `reset_after`: the seconds until then. `reset_at`: that time in seconds since 1970. `policy` and `state`: the texts of `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10). A client with a limit of its own is told that limit. If the file names no header, none is sent.',
        example:
          '{ X-RateLimit-Limit: limit, X-RateLimit-Remaining: remaining, X-RateLimit-Reset: reset_at }',
      }),
    }),
  ]),
  'off',
);

/**
 * A limit on failures; the defaults apply to a limit, or a part of a limit, that a file leaves out.
 */
export function failureLimitSchema(
  limit: number,
  window: string,
  texts: LimitTexts,
): v.GenericSchema<unknown, FailureLimit> {
  const entries = {
    limit: key(v.optional(countSchema, limit), texts.limit),
    window: key(v.optional(lifetimeSchema, window), texts.window),
  };
  return v.optional(v.union([v.literal('off'), v.strictObject(entries)]), { limit, window });
}

/** The departure of a limit on guesses that is off (HOSTILE 65). */
export function unlimited(name: string, what: string): KeyDeparture<unknown> {
  return {
    name,
    when: (limit) => limit === 'off',
    message: `nothing limits ${what} (RFC 6749 10.10)`,
    hint: 'leave it out for the usual limit, unless something in front of Jetway has one',
  };
}

const usualLockout = { attempts: 5, window: '15m', lock: '15m' } as const;

/** Locks a username after too many failures within a window, whichever address they come from. */
export const lockoutSchema = v.optional(
  v.union([
    v.literal('off'),
    v.strictObject({
      attempts: key(v.optional(wholeNumber(1, 1000), usualLockout.attempts), {
        text: 'How many attempts may fail in one window. One more locks the username.',
        example: '10',
      }),
      window: key(v.optional(lifetimeSchema, usualLockout.window), {
        text: 'Length of the window, from the first failure. A successful login ends it.',
        example: '1h',
      }),
      lock: key(v.optional(lifetimeSchema, usualLockout.lock), {
        text: 'How long the lock lasts, from the attempt that was one too many.',
        example: '30m',
      }),
    }),
  ]),
  usualLockout,
);

/** A limit, or undefined where the file switches it off. */
export function unlessOff<Limit extends object>(limit: Limit | 'off'): Limit | undefined {
  return limit === 'off' ? undefined : limit;
}

/** Plain http is allowed on loopback only, since the hook receives passwords. */
function isHookAddress(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.search + url.hash + url.username + url.password !== '') return false;
  if (text.endsWith('/') || url.href.replace(/\/$/, '') !== text) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

const fileSchema = v.exactOptional(textSchema);

export const membersSchema = v.strictObject({
  directory: key(v.optional(v.picklist(['store', 'http']), 'store'), {
    text: "The kind of directory. `store`: the directory inside Jetway's own store, which `jetway member` fills. `http`: a member system of the airline's own, as docs/member-directory.md describes. The other keys, except `membership_number`, are for `http` alone.",
    example: 'http',
  }),
  url: key(
    v.exactOptional(
      v.pipe(
        v.string(),
        v.check(
          isHookAddress,
          'expected an https address in its plain form, without query or trailing slash, such as https://members.example.com/jetway; http is for loopback alone',
        ),
      ),
    ),
    {
      text: 'The address of the hook. Jetway posts to `{url}/verify` at each login and to `{url}/status` at each refresh. `https`, or plain `http` on loopback.',
      example: 'https://members.example.com/jetway',
      otherwise: 'required with `directory: http`',
    },
  ),
  secret_file: key(fileSchema, {
    text: "File with the secret that signs each question (HMAC-SHA256), relative to the programme file's folder. Nobody else may read it. The variable `JETWAY_{PROGRAMME}_MEMBERS_SECRET_FILE` overrides it; there is such a variable for each of these files.",
    example: 'hook.secret',
    otherwise: 'nothing is signed, and a client certificate is needed',
  }),
  previous_secret_file: key(fileSchema, {
    text: 'File with the former secret, while it is being replaced. Each question then carries both signatures.',
    example: 'hook.secret.old',
    otherwise: 'one signature',
  }),
  certificate_file: key(fileSchema, {
    text: "File with Jetway's own certificate (PEM, its chain behind it), if the hook asks for one (mutual TLS).",
    example: 'jetway.crt',
    otherwise: 'none is shown',
  }),
  key_file: key(fileSchema, {
    text: 'File with the private key of that certificate (PEM, without a passphrase). Nobody else may read it.',
    example: 'jetway.key',
    otherwise: 'required with `certificate_file`',
  }),
  authorities_file: key(fileSchema, {
    text: "File with the certificates (PEM) of the authorities that may vouch for the hook. Jetway then believes no other, so that the airline's own authority can be the only one.",
    example: 'airline-ca.pem',
    otherwise: 'the public authorities that come with Jetway',
  }),
  concurrency: key(v.exactOptional(wholeNumber(1, 1000)), {
    text: 'How many questions may be under way at once. Logins have at most three quarters of them, so that refreshes find a place. Four times as many wait their turn, and 32 at least. Any more get the difficulties page at once.',
    example: '64',
    otherwise: '32',
  }),
  membership_number: key(v.exactOptional(valueShapeSchema), {
    text: 'The shape of the membership numbers in answers and tokens (P-7, P-15). If the answer or token of a grant holds `membership_number`, the grant refuses a member without a number of this shape, before anything is spent: with `invalid_code`, `invalid_refresh_token` or `invalid_member_credentials`. Membership numbers are 1 to 24 digits in any case.',
    example: '{ characters: digits, length: 16..24 }',
    otherwise: 'answers hold whatever number a member has, or none',
  }),
});

type MembersDefinition = Output<typeof membersSchema>;

export type CredentialKey = Extract<keyof MembersDefinition, `${string}_file`>;

const apiKeyHeaderSchema = v.pipe(
  freeHeaderSchema,
  v.check(
    (name) => !/^(?:authorization$|cookie$|x-auth-)/i.test(name),
    'Authorization has the token, Cookie all cookies, and X-Auth- is how Jetway answers: name another header',
  ),
);

const toldSchema = v.pipe(
  v.string(),
  v.check(
    (text) => /^(?:member|client)\../.test(text),
    'expected member. or client. and the name of a property',
  ),
);

export const verifySchema = v.strictObject({
  api_key_header: key(v.optional(apiKeyHeaderSchema, 'X-Api-Key'), {
    text: 'Name of the header in which requests to the API carry the API key (C-4). Blocks for gateways have this name, and partners are told of it.',
    example: 'Partner-Key',
  }),
  headers: key(v.optional(v.picklist(['held', 'required', 'ignored']), 'held'), {
    text: "What becomes of headers that name programme or partner: those that a token endpoint reads `in: header` and compares with `must_equal` (but for `client.api_key`, and the input `resource`). `held`: if one is sent, it must be the programme's, and that of the token's client or of a holder of the key. The failures are the same as at that endpoint (`invalid_header`, `programme_mismatch`, `context_mismatch`, `client_mismatch`). `required`: each must be sent, too, or the answer is `missing_header`. `ignored`: nothing is compared. Unless they are ignored, Jetway's yes carries the same headers with the right values, for gateways to pass on (P-4, P-15).",
    example: 'required',
  }),
  tells: key(v.optional(v.record(apiKeyHeaderSchema, toldSchema), {}), {
    text: "More headers of Jetway's yes: properties of the token's member (`member.NAME`, as they were at the login) and of the client (`client.NAME`). A header is empty if there is no such property. A gateway has to replace them as it replaces `X-Auth-` headers.",
    example: '{ Partner-Tier: member.tier }',
  }),
});

/** Headers with a meaning of their own, for browsers, proxies, libraries or Jetway. */
const knownHeaders =
  /^(?:accept(?:-.*)?|authorization|baggage|cookie|dpop|expect|forwarded|from|if-.*|max-forwards|origin|prefer|priority|range|referer|traceparent|tracestate|user-agent|via|warning|x-auth-.*|x-forwarded-.*|x-real-ip|x-request-id)$/i;

const headerSchema = v.pipe(
  freeHeaderSchema,
  v.check(
    (name) => !knownHeaders.test(name),
    'this header has a meaning already: a name such as X-Sandbox-Failure is free',
  ),
);

const parameterSchema = matching(
  /^[A-Za-z][A-Za-z0-9_.-]{0,59}$/,
  'expected a name such as sandbox_failure: a letter, then letters, digits, "_", "." and "-"',
);

export const sandboxSchema = v.pipe(
  v.strictObject({
    header: key(v.exactOptional(headerSchema), {
      text: 'The header, for clients that can send one. Its name must be free: no input and nothing else is read from it.',
      example: 'X-Sandbox-Failure',
      otherwise: 'no header is read',
    }),
    parameter: key(v.exactOptional(parameterSchema), {
      text: 'The parameter, in the query of every endpoint. It is for a login request, which is a link, and for clients that can send no header. Its name must be free, too.',
      example: 'sandbox_failure',
      otherwise: 'no parameter is read',
    }),
  }),
  v.check(
    ({ header, parameter }) => header !== undefined || parameter !== undefined,
    'expected a header, a parameter or both: where would a request name its failure?',
  ),
);

export type SandboxDefinition = Output<typeof sandboxSchema>;
