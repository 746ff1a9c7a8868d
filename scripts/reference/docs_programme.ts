// Owns the texts on the keys that say what a programme is, who its clients are and how often they
// may ask.

import type { KeyDocs } from './key_doc.ts';

/** What examples of keys of a hook stand beside. */
const hook = 'members: { directory: http, url: https://members.example.com/jetway }';

export const programmeDocs: KeyDocs = {
  variant: {
    text: 'The dialect this file is laid over. Everything the file does not say is as the variant has it.',
    example: 'partner-login',
    otherwise: 'the file is a complete dialect of its own',
  },
  name: {
    text: "The programme's name for people: in `jetway` listings, and as the realm of a `WWW-Authenticate: Basic` challenge.",
    example: 'Harbour Hotels',
  },
  programme_identifier: {
    text: 'The word that partners send as programme-identifier (P-1, P-4) and that answers can hold as `programme_identifier`. Required even where a dialect never sends it: `jetway client add` shows it to each partner.',
    example: 'HarbourHotels',
  },
  base_path: {
    text: "The path under which all of the programme's endpoints lie; a partner calls the path it was onboarded to (C-2). It begins with `/`, does not end with one, and is matched byte for byte. A `/` alone is the root of the host; other programmes can still lie below it.",
    example: '/harbour-hotels',
  },
  interface_version: {
    text: "The label of the interface's version (C-6). It is data and no part of any path; write it into `base_path` if it belongs there.",
    example: 'v2',
  },
  audience: {
    text: "The `aud` of the programme's access tokens: whom they are meant for (C-9, RFC 7519 4.1.3).",
    example: 'https://api.example.com/hotels',
    otherwise: "the programme's public base URL, as in `iss`",
  },

  selector: {
    text: 'Lets several programmes share a `base_path`: an input of every documented endpoint tells them apart. The login page and key set then lie under `{base_path}/{file name}`.',
    example: '{ input: programme, default: true }',
    on: 'partner-login',
    otherwise: 'the programme has its paths to itself',
  },
  'selector.input': {
    text: 'The input, by the name it has under `inputs`, that names the programme. Each endpoint must read it from a header or the query and hold it against `programme.identifier`.',
    example: 'programme',
    on: 'partner-login',
  },
  'selector.default': {
    text: "Whether this programme's dialect words the answer where the selector is missing or names no programme. Exactly one of those that share a path has it.",
    example: 'true',
    on: 'partner-login',
    beside: 'selector: { input: programme }',
  },

  client: {
    text: 'Who may call: what client identifiers look like, and how clients authenticate at the token endpoints.',
    example: '{ authentication: { methods: [basic, parameters] } }',
  },
  'client.identifier': {
    text: 'The shape of `client_id` (G-1, P-1): `jetway client add` draws new ones of it, and a login request with another shape gets `unknown_client`.',
    example: '{ prefix: hh-, characters: digits, length: 8 }',
  },
  'client.authentication': {
    text: 'How a client proves at the token endpoints that it is itself (RFC 6749 2.3).',
    example: '{ methods: [basic], credentials: form }',
  },
  'client.authentication.methods': {
    text: 'What is accepted: `basic` is `Authorization: Basic base64(id:secret)` (RFC 7617), `bare_basic` the same without the word Basic (P-6), `parameters` the inputs `client_id` and `client_secret` under whatever wire names they have. Header and `client_secret` together are `authentication_ambiguous`.',
    example: '[basic, bare_basic]',
    on: 'partner-login',
  },
  'client.authentication.credentials': {
    text: 'How identifier and secret stand in the header: `raw` takes them as they are (RFC 7617), `form` decodes them first (percent and plus), as RFC 6749 2.3.1 has it, `either` takes both, since clients do the one or the other, and `base64` has each of the two in base64 by itself before they are joined. What Jetway generates is the same in all.',
    example: 'form',
  },

  'client.authentication.failure_limit': {
    text: 'How many wrong secrets for one client identifier, known or not, may come from one address (of IPv6, one /64) in a window of time; after that a wrong one is answered `throttled` until the window ends. The right secret is let in even then, so that nobody locks a partner out. In place of a map, `off`.',
    example: '{ limit: 60, window: 1m }',
  },
  'client.authentication.failure_limit.limit': {
    text: 'Failures in one window.',
    example: '60',
  },
  'client.authentication.failure_limit.window': {
    text: 'Length of the window, from the first failure. `Retry-After` tells when it ends.',
    example: '5m',
  },

  verify: {
    text: 'What requests must bring when a gateway asks about them, beside the token (C-4, P-15).',
    example: '{ headers: required }',
    on: 'partner-login',
  },
  'verify.api_key_header': {
    text: 'Name of the header in which requests to the API carry the API key (C-4); it stands in gateways and in what partners are told.',
    example: 'Partner-Key',
  },
  'verify.headers': {
    text: "Headers that name programme or partner: those that a token endpoint reads `in: header` and compares with `must_equal` (not `client.api_key`). `held`: where one is sent it must be the programme's, and that of the token's client or of a holder of the key; the failures are the same as at that endpoint (`invalid_header`, `programme_mismatch`, `context_mismatch`, `client_mismatch`). `required`: each must be sent, or the answer is `missing_header`. `ignored`: nothing is compared. Unless they are ignored, Jetway's yes carries the same headers with the right values, for gateways to pass on (P-4, P-15).",
    example: 'required',
    on: 'partner-login',
  },
  introspection: {
    text: 'Lets gateways, and clients for their own tokens, ask about a token (RFC 7662). Gateways authenticate by what `jetway gateway add` gives them, always with Basic.',
    example: '{ path: /introspect }',
    otherwise: 'there is no such endpoint',
  },
  'introspection.path': {
    text: "The path below the programme's own: its base path, with its name where that is shared.",
    example: '/token/introspect',
  },
  revocation: {
    text: 'Lets clients give up a token (RFC 7009), authenticated as at the token endpoints. A refresh token takes its login and all tokens of it along.',
    example: '{ path: /revoke }',
    otherwise: 'there is no such endpoint',
  },
  'revocation.path': {
    text: "The path below the programme's own.",
    example: '/token/revoke',
  },
  metadata: {
    text: 'Publishes what standard clients can be told of the programme (RFC 8414), at `/.well-known/oauth-authorization-server/{file name}` and where the RFC derives it from the issuer.',
    example: 'on',
  },

  throttle: {
    text: 'How many token requests a client may make in a window of time, over all grants (G-18); one more is `throttled`. `jetway client set` can give a client a limit of its own. In place of a map, `off`.',
    example: '{ limit: 60, window: 10s }',
  },
  'throttle.limit': { text: 'Requests in one window.', example: '300' },
  'throttle.window': {
    text: 'Length of the window. `Retry-After` tells the client when the next one opens.',
    example: '5m',
  },

  members: {
    text: 'Where the members are known whose logins this programme takes (P-15).',
    example: '{ directory: store }',
  },
  'members.membership_number': {
    text: 'The shape of the membership numbers in answers and tokens (P-7, P-15). A grant whose answer or token holds `membership_number` refuses a member without a number of this shape, before anything is spent: with `invalid_code`, `invalid_refresh_token` or `invalid_member_credentials`. Membership numbers are 1 to 24 digits in any case.',
    example: '{ characters: digits, length: 16..24 }',
    otherwise: 'answers hold whatever number a member has, or none',
  },
  'members.directory': {
    text: "The kind of directory: `store` is the one inside Jetway's own store, filled by `jetway member`; `http` asks a member system of the airline's own, as docs/member-directory.md describes. The other keys, but for `membership_number`, are for `http` alone.",
    example: 'http',
    beside: hook,
  },
  'members.url': {
    text: 'The address of the hook: Jetway posts to `{url}/verify` at each login and to `{url}/status` at each refresh. `https`, or plain `http` on loopback.',
    example: 'https://members.example.com/jetway',
    beside: hook,
    otherwise: 'required with `directory: http`',
  },
  'members.secret_file': {
    text: "File with the secret that signs each question (HMAC-SHA256), relative to the programme file's folder; nobody else may read it. The variable `JETWAY_{PROGRAMME}_MEMBERS_SECRET_FILE` goes before it, as one of this kind does for each of these files.",
    example: 'hook.secret',
    beside: hook,
    otherwise: 'nothing is signed, and a client certificate is needed',
  },
  'members.previous_secret_file': {
    text: 'File with the secret before that, while it is being replaced: each question then carries both signatures.',
    example: 'hook.secret.old',
    beside: hook,
    otherwise: 'one signature',
  },
  'members.certificate_file': {
    text: "File with Jetway's own certificate (PEM, its chain behind it), which the hook asks for: mutual TLS.",
    example: 'jetway.crt',
    beside: hook,
    otherwise: 'none is shown',
  },
  'members.key_file': {
    text: 'File with the private key of that certificate (PEM, without a passphrase); nobody else may read it.',
    example: 'jetway.key',
    beside: hook,
    otherwise: 'required with `certificate_file`',
  },
  'members.authorities_file': {
    text: "File with the certificates (PEM) of the authorities that may vouch for the hook; no other is believed then, so that the airline's own authority can be the only one.",
    example: 'airline-ca.pem',
    beside: hook,
    otherwise: 'the public authorities that come with Jetway',
  },
  'members.concurrency': {
    text: 'How many questions may be under way at once; logins have at most three quarters of them, so that refreshes find a place. Four times as many wait their turn; more get the difficulties page at once.',
    example: '64',
    beside: hook,
    otherwise: '32',
  },
};
