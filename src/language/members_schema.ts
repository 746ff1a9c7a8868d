// Owns the schema of `members`: the kind of member directory, and the settings of an HTTP hook.

import * as v from 'valibot';

import { isLoopback } from '../lib/ip_address.ts';
import { key, type Output } from '../schema/notes.ts';
import { textSchema, wholeNumber } from '../schema/scalars.ts';
import { valueShapeSchema } from './value_shape.ts';

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
