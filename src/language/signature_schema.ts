// Owns the schemas of signatures by a client's signing secret: on the redirect, and as the proof of a client.

import * as v from 'valibot';

import {
  secretWord,
  signatureEncodings,
  type SignatureHash,
  signatureHashes,
  type SignatureMethod,
  weakHashes,
} from '../oauth/proofs/signature.ts';
import { key, type KeyDeparture, type Output, type Surroundings } from '../schema/notes.ts';
import { listOf, matching, wireNameSchema } from '../schema/scalars.ts';

type Get = Surroundings['get'];

function weak(isUsed: (get: Get) => boolean): KeyDeparture<SignatureHash | undefined> {
  return {
    name: 'weak_signature',
    when: (hash, { get }) => hash !== undefined && weakHashes.includes(hash) && isUsed(get),
    message: 'signatures are made with SHA-1 or MD5 (RFC 6194, RFC 6151)',
    hint: 'sha256 or sha512, where the document of the dialect leaves a choice',
  };
}

const hashSchema = v.picklist(signatureHashes);
const encodingSchema = v.optional(v.picklist(signatureEncodings), 'hex');
const encodingText = {
  text: 'How the signature is written. `hex` has lower case, `upper_hex` upper case; `base64` is padded, `base64url` is not.',
  example: 'base64',
};

/** Of `authorize.answer.signature`. */
export const redirectSignatureSchema = v.strictObject({
  name: key(wireNameSchema, {
    text: 'The name of the parameter that holds the signature.',
    example: 'hmac',
  }),
  hmac: key(hashSchema, {
    text: 'The hash of the HMAC (RFC 2104), whose key is the signing secret.',
    example: 'sha256',
    departs: [weak(() => true)],
  }),
  of: key(v.pipe(listOf(wireNameSchema), v.nonEmpty('expected at least one name')), {
    text: 'Names of the parameters that are signed, in this order, as `name=value` with `&` between. Those that a redirect does not have are left out. In values `%` is signed as `%25` and `&` as `%26`, in names `=` as `%3D` too.',
    example: '[code, shop, state]',
  }),
  encoding: key(encodingSchema, encodingText),
});

export type RedirectSignature = Output<typeof redirectSignatureSchema>;

/** Of `client.authentication.signature`. */
export const requestSignatureSchema = v.strictObject({
  hmac: key(v.exactOptional(hashSchema), {
    text: 'The hash of an HMAC (RFC 2104), whose key is the signing secret. One of `hmac` and `digest` is required.',
    example: 'sha256',
    otherwise: 'the signature is a `digest`',
    departs: [weak(isRead)],
  }),
  digest: key(v.exactOptional(hashSchema), {
    text: 'The hash of a text of which the signing secret is a part.',
    example: 'sha256',
    otherwise: 'the signature is an `hmac`',
    departs: [weak(isRead)],
  }),
  of: key(
    v.pipe(
      listOf(matching(/^[A-Za-z][\w-]{0,63}$/, 'expected the name of an input, or secret')),
      v.nonEmpty('expected at least one name'),
    ),
    {
      text: 'The values that are joined to the text, in this order: names of inputs, and in a digest `secret`. So that no two requests have one text, every input but `client_id` and one other needs a fixed `length`, or `characters` without the `separator`. In a digest, all that follows the secret needs a fixed length, since a digest can be continued by whoever has seen it. A request without one of the inputs is refused.',
      example: '[client_id, timestamp]',
    },
  ),
  separator: key(v.optional(matching(/^[ -~]{0,8}$/, 'expected up to 8 ASCII characters'), ''), {
    text: 'What stands between the values.',
    example: '":"',
  }),
  encoding: key(encodingSchema, encodingText),
});

export type RequestSignature = Output<typeof requestSignatureSchema>;

/** How a client makes it, as Markdown for partners; `nameOf` gives the wire name of an input. */
export function signatureText(
  { hmac, digest, of, separator, encoding }: RequestSignature,
  nameOf: (role: string) => string,
): string {
  const how = hmac === undefined ? `the digest by ${digest}` : `the HMAC by ${hmac}`;
  const values = of.map((one) =>
    one === secretWord ? 'your signing secret' : `the value of \`${nameOf(one)}\``,
  );
  const between = separator === '' ? 'nothing' : `\`${separator}\``;
  const under = hmac === undefined ? '' : ', under your signing secret';
  return `The signature is ${how} (${encoding})${under}, of ${values.join(', ')}, joined in this order with ${between} between.`;
}

function isRead(get: Get): boolean {
  const methods = get('client', 'authentication', 'methods') as readonly string[];
  return methods.includes('signature');
}

/** Which recipe it is; the rules have made sure that it is one. */
export function methodOf({ hmac, digest, encoding }: RequestSignature): SignatureMethod {
  return hmac === undefined
    ? { kind: 'digest', hash: digest ?? 'sha256', encoding }
    : { kind: 'hmac', hash: hmac, encoding };
}

/** The inputs that are signed. */
export function signedInputs({ of }: Pick<RequestSignature, 'of'>): readonly string[] {
  return of.filter((one) => one !== secretWord);
}
