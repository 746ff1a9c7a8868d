// Owns the faults of what a client proves itself by, for `why`: what came, the likely cause, and what to do.
// Nothing of them is ever on the wire (G-16, G-17, HOSTILE 40), and no text repeats what was sent.

import { ofAssertions, ofCertificates, type ProofAdvice } from './key_faults.ts';

const encode = `printf '%s' "$ID:$SECRET" | base64 -w0`;

/** Of an Authorization header. */
const ofHeaders = {
  several_headers: {
    likely: 'a proxy or a library added its own header to that of the program',
    remedy: 'send the header Authorization once',
  },
  header_too_long: {
    likely: 'a token, or a whole document, in place of identifier and secret',
    remedy: 'send base64 of identifier:secret alone',
  },
  other_scheme: {
    likely: 'an access token was sent, or the library was set to another method',
    remedy: 'set the library to the method that is expected (client_secret_basic)',
  },
  scheme_misspelled: {
    came: 'an Authorization header whose first word is nearly the scheme',
    likely: 'the scheme is misspelled, or has a colon behind it',
    remedy: 'write the scheme as it is expected, then one space',
  },
  scheme_missing: {
    came: 'an Authorization header without a known scheme',
    likely: 'the credentials were sent without the word before them',
    remedy: 'put the scheme and one space before the base64',
  },
  scheme_alone: {
    came: 'a scheme that nothing follows',
    likely: 'the variable with the credentials was empty',
    remedy: 'look where the program takes identifier and secret from',
  },
  scheme_separator: {
    came: 'a scheme and credentials with no space between them',
    likely: 'a tab or nothing stands where one space should be',
    remedy: 'put one space between the scheme and the base64',
  },
  credentials_wrapped: {
    came: 'base64 in several parts with spaces between',
    likely: 'base64 broke its output into lines, which were joined by spaces',
    remedy: `encode without line breaks: ${encode}`,
  },
  credentials_plain: {
    came: 'text with a colon that is not in base64',
    likely: 'identifier:secret was not encoded',
    remedy: `encode it: ${encode}`,
  },
  credentials_base64url: {
    came: 'base64url ("-" and "_") in place of base64',
    likely: 'the encoder is the one for URLs',
    remedy: 'use the ordinary alphabet of base64, with "+" and "/"',
  },
  credentials_not_base64: {
    came: 'characters that are not of base64',
    likely: 'the secret alone was sent, or quotation marks went along',
    remedy: `send base64 of identifier:secret: ${encode}`,
  },
  credentials_cut: {
    came: 'base64 with too few or too many characters, or padding',
    likely: 'it was cut off when it was copied, or padding was added twice',
    remedy: 'encode identifier:secret anew',
  },
  credentials_utf16: {
    came: 'base64 of UTF-16',
    likely: 'PowerShell or .NET encoded by [Text.Encoding]::Unicode',
    remedy: 'encode by [Text.Encoding]::UTF8',
  },
  credentials_not_utf8: {
    came: 'base64 of bytes that are no UTF-8, such as letters beyond ASCII in ISO-8859-1',
    likely: 'letters such as é were encoded in ISO-8859-1',
    remedy: 'encode identifier and secret in UTF-8',
  },
  credentials_encoded_twice: {
    came: 'base64 of base64',
    likely: 'the program encodes, and the library does so again',
    remedy: 'give identifier and secret to the library as they are',
  },
  credentials_no_colon: {
    came: 'base64 of a text without a colon',
    likely: 'the secret or the identifier was encoded alone',
    remedy: `put both, with a colon between: ${encode}`,
  },
  identifier_empty: {
    came: 'credentials with nothing before the colon',
    likely: 'the variable with the identifier was empty',
    remedy: 'look where the program takes the client identifier from',
  },
  secret_empty: {
    came: 'credentials with nothing for a secret',
    likely: 'the variable with the secret was empty',
    remedy: 'look where the program takes the secret from',
  },
  secret_line_end: {
    came: 'credentials that end in a line end',
    likely: 'echo, or a file that ends in one, added it before base64',
    remedy: `use printf or echo -n: ${encode}`,
  },
  line_end_inside: {
    came: 'credentials with a line end inside',
    likely: 'the identifier was read from a file with its line end',
    remedy: 'cut the line end off before identifier and secret are joined',
  },
  control_character: {
    came: 'credentials with a control character inside',
    likely: 'the secret was damaged when it was copied, or is in another encoding',
    remedy: 'copy the secret anew from where it is kept',
  },
  percent_malformed: {
    came: 'a percent sign that no two hexadecimal digits follow',
    likely: 'the secret has a "%" and was not form-encoded, which this programme expects',
    remedy: 'form-encode identifier and secret before base64: % becomes %25',
  },
  halves_not_base64: {
    came: 'base64 whose halves are not each in base64',
    likely: 'identifier and secret were not encoded before they were joined',
    remedy: 'encode identifier and secret each, join them by a colon, and encode that',
  },
  secret_half_misplaced: {
    came: 'credentials whose secret is not in the half that is expected',
    likely: 'the secret stands on the other side of the colon, or something stands beside it',
    remedy: 'put the secret alone where it is expected, and nothing or the same on the other side',
  },
} as const satisfies Readonly<Record<string, ProofAdvice>>;

/** Of a secret that was read. */
const ofSecrets = {
  secret_white_space: {
    came: "the client's secret, with white space around it",
    likely: 'it was copied with a space, a tab or a line end',
    remedy: 'cut off what stands around the secret',
  },
  secret_quoted: {
    came: "the client's secret, in quotation marks",
    likely: 'a settings file took the quotation marks for part of the value',
    remedy: 'leave the quotation marks out',
  },
  secret_percent: {
    came: "the client's secret, form-encoded",
    likely: 'the library form-encodes (RFC 6749 2.3.1), which this programme does not expect',
    remedy: 'have the library send it as it is, or set client.authentication.credentials to either',
  },
  secret_other: {
    likely: 'a secret that was retired, of another environment, or of another client',
    remedy: 'compare when each was made (jetway client show), or make one (client rotate-secret)',
  },
  signature_other: {
    likely:
      'the values were joined in another order or escaped, the hash is written in another way, or the secret is another one',
    remedy:
      'compare text, hash and encoding with what is asked (client.authentication.signature), and when the secret was made (jetway client show)',
  },
  client_unknown: {
    likely: 'the identifier is of another programme or environment, was mistyped, or was removed',
    remedy: 'compare it with jetway client list',
  },
  client_disabled: {
    came: 'one that is disabled',
    likely: 'somebody disabled the client',
    remedy: 'see jetway client show and the audit stream for when; jetway client enable lets it in',
  },
  secret_ended: {
    likely: 'the secret was rotated, and the partner still sends the former one',
    remedy: 'have the partner take the newer secret',
  },
} as const satisfies Readonly<Record<string, ProofAdvice>>;

/** Of proof keys (RFC 7636). */
const ofVerifiers = {
  verifier_missing: {
    likely: 'the program began the login with a challenge and lost the verifier',
    remedy: 'keep the verifier until the code comes, and send it as code_verifier',
  },
  verifier_undeclared: {
    likely: 'the login request was made without code_challenge',
    remedy: 'send code_challenge and code_challenge_method=S256 with the login request',
  },
  verifier_short: {
    likely: 'the verifier was made of fewer than 32 random bytes',
    remedy: 'make it of 43 to 128 characters, such as base64url of 32 random bytes',
  },
  verifier_long: {
    likely: 'the verifier was made of too many random bytes',
    remedy: 'make it of 43 to 128 characters, such as base64url of 32 random bytes',
  },
  verifier_characters: {
    likely: 'the verifier is in base64 in place of base64url, or padded by "="',
    remedy: 'use letters, digits, "-", ".", "_" and "~" alone',
  },
  verifier_is_challenge: {
    came: 'the challenge itself',
    likely:
      'the login request had the verifier for its challenge (plain), or both are one variable',
    remedy: 'send base64url(SHA-256(verifier)) as the challenge, and the verifier with the code',
  },
  challenge_of_line_end: {
    came: 'the verifier whose challenge was made with a line end',
    likely: 'echo added a line end before the hash',
    remedy: 'hash the verifier alone: printf, or echo -n',
  },
  challenge_of_bytes: {
    came: 'the verifier whose challenge was made of its decoded bytes',
    likely: 'the random bytes were hashed in place of their text in base64url',
    remedy: 'hash the text of the verifier as it is sent',
  },
  verifier_other: {
    likely: 'the verifier is of another login, as of one in another tab',
    remedy: 'keep one verifier for each state',
  },
  challenge_padded: {
    likely: 'the challenge ends in "=", the padding of base64',
    remedy: 'cut the "=" off: a challenge has 43 characters',
  },
  challenge_hex: {
    likely: 'the hash is in hexadecimal',
    remedy: "encode the hash's 32 bytes in base64url",
  },
  challenge_base64: {
    likely: 'the hash is in base64, with "+" or "/"',
    remedy: 'use base64url, with "-" and "_"',
  },
  method_plain: {
    likely: 'the library was set to the method plain, or takes it where no method is named',
    remedy: 'set it to S256, and send code_challenge_method=S256',
  },
  method_spelling: {
    likely: 'the method is spelled otherwise, such as s256 or SHA256',
    remedy: 'send code_challenge_method=S256',
  },
} as const satisfies Readonly<Record<string, ProofAdvice>>;

const rows = { ...ofHeaders, ...ofSecrets, ...ofVerifiers, ...ofCertificates, ...ofAssertions };

/** Closed: logs have the name, `why` the words. */
export type ProofFault = keyof typeof rows;

export const proofFaults: Readonly<Record<ProofFault, ProofAdvice>> = rows;
