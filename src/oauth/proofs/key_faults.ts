// Owns the faults of certificates and assertions, a part of the table of proof_faults.ts.

export interface ProofAdvice {
  /** What came; left out where it is told with a value at hand. */
  readonly came?: string;
  readonly likely: string;
  readonly remedy: string;
}

/** Of client certificates (RFC 8705). */
export const ofCertificates = {
  certificate_missing: {
    came: 'the identifier without a certificate',
    likely:
      "the partner's program shows none, a proxy in front ends TLS, or tls asks for none (client_certificates)",
    remedy: 'load certificate and key in the program, and let no proxy end TLS on the way',
  },
  certificate_ended: {
    came: 'one that has ended',
    likely: 'the certificate was not renewed in time, or the program still shows the former one',
    remedy: 'have the partner show its next one, and register it (client set --add-certificate)',
  },
  certificate_unregistered: {
    came: 'another certificate than those of the client',
    likely: 'the partner renewed it without a word',
    remedy: 'register it: client set --add-certificate FILE',
  },
  certificate_unvouched: {
    came: 'one for which no authority of client_authorities_file vouches',
    likely: 'it is self-signed, or another authority issued it',
    remedy: 'name its authority in tls.client_authorities_file, or have the right one issue it',
  },
  certificate_subject_order: {
    came: 'the registered subject with its parts in another order',
    likely: 'the subject was copied from a tool that prints it the other way round',
    remedy: 'register what openssl x509 -noout -subject -nameopt RFC2253,-esc_msb prints',
  },
  certificate_other_subject: {
    came: 'a certificate with another subject',
    likely: 'the authority writes the subject otherwise since the last renewal',
    remedy:
      'compare: openssl x509 -noout -subject -nameopt RFC2253,-esc_msb, and jetway client show',
  },
  certificate_other_name: {
    came: 'a certificate with other names (subjectAltName)',
    likely: 'the partner shows the certificate of another of its machines',
    remedy: 'register that name, or have it issued with the registered one',
  },
  certificate_without_name: {
    came: 'a certificate without any name of the registered kind',
    likely: 'it was issued without subjectAltName, or with one of another kind',
    remedy: 'have it issued with the registered name, or register its subject',
  },
  client_without_certificate: {
    came: 'a certificate of a client that has none registered',
    likely: 'the client was added without one',
    remedy: 'register it: client set --certificate FILE, or --certificate-subject NAME',
  },
} as const satisfies Readonly<Record<string, ProofAdvice>>;

/** Of assertions (RFC 7523). */
export const ofAssertions = {
  assertion_encrypted: {
    came: 'an encrypted JWT, of five parts',
    likely: 'the library was set to encrypt (JWE) in place of signing',
    remedy: 'send a signed JWT alone',
  },
  assertion_no_jwt: {
    likely: 'another value was sent, such as the secret, or the JWT was cut off',
    remedy: 'send the whole JWT: three parts of base64url with dots between, without padding',
  },
  assertion_no_json: {
    came: 'a JWT whose header or claims are no JSON object, or name a member twice',
    likely: 'the JWT was put together by hand',
    remedy: 'make it by a library',
  },
  assertion_crit: {
    came: 'a JWT whose header has crit',
    likely: 'the library adds an extension',
    remedy: 'leave crit out: no extension is known here',
  },
  assertion_algorithm: {
    came: 'a JWT with an algorithm that is for no public key',
    likely: 'it is signed with the secret (HS256), or not at all (none)',
    remedy: 'sign with the private key, by ES256, EdDSA, PS256 or RS256',
  },
  assertion_type: {
    came: 'a JWT that says by typ that it is of another kind',
    likely: 'an access token or ID token was sent',
    remedy: 'leave typ out, or set it to JWT',
  },
  assertion_member: {
    likely: 'the claim is there with another type, null or empty',
    remedy: 'give it the type that is expected, or leave it out',
  },
  assertion_keyless: {
    likely: 'the client was added without its public keys',
    remedy: 'register them: jetway client set --jwks FILE or https://…',
  },
  assertion_other_algorithm: {
    likely: 'the key is of another kind than the programme takes',
    remedy: 'sign by an algorithm that is expected, or add it (client.authentication.assertion)',
  },
  assertion_kid: {
    likely: 'the partner signs with a new key that is not registered or published yet',
    remedy: 'publish the key before signing with it, or register it (client set --jwks)',
  },
  assertion_key_kind: {
    likely: 'the header names an algorithm that the key is not for',
    remedy: "let alg fit the key's kty, crv and alg",
  },
  assertion_signature: {
    likely: 'the key was replaced under the same kid, or the signature is DER in place of JOSE',
    remedy: 'compare the public key with the registered one (jetway client show)',
  },
  assertion_issuer: {
    likely: 'iss is a URL or a name in place of the identifier, or of another environment',
    remedy: 'set iss to what is registered for the client',
  },
  assertion_subject: {
    likely: 'sub is a user or a URL in place of what is registered, or a workload of another name',
    remedy: 'compare sub with what is registered for the client, letter by letter',
  },
  assertion_audience: {
    likely: 'aud is the URL of another environment or endpoint, or has a slash too many',
    remedy: 'set aud to one of those that are expected, letter by letter',
  },
  assertion_ended: {
    likely: "the partner's clock is behind, or the program sends one JWT again and again",
    remedy: 'make a JWT for each request, and set the clock by NTP',
  },
  assertion_no_end: {
    likely: 'the library leaves exp out unless it is told a lifetime',
    remedy: 'set exp to a minute from now, in seconds',
  },
  assertion_far_end: {
    likely: 'the JWT was made for longer than the programme takes',
    remedy: 'set exp to a minute from now',
  },
  assertion_milliseconds: {
    likely: 'the program takes Date.now() or currentTimeMillis() as it is',
    remedy: 'divide by 1000: times in a JWT are seconds',
  },
  assertion_early: {
    likely: "the partner's clock is ahead",
    remedy: 'set the clock by NTP',
  },
  assertion_id: {
    likely: 'the library leaves jti out unless it is told one',
    remedy: 'give each JWT a jti of its own, such as a UUID',
  },
  assertion_replayed: {
    likely: 'the program sends one JWT again, or a retry repeats the request',
    remedy: 'make a JWT for each request',
  },
} as const satisfies Readonly<Record<string, ProofAdvice>>;
