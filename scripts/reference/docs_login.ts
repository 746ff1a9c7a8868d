// Owns the texts on the keys of the login request, its failures, and codes.

import type { KeyDocs } from './key_doc.ts';

export const loginDocs: KeyDocs = {
  authorize: {
    text: 'The login request: the link by which a partner sends a member to log in (RFC 6749 4.1.1).',
    example: '{ pkce: required }',
  },
  'authorize.endpoint': {
    text: 'Path, methods and inputs of the login request. It is always read from the query, must declare `client_id`, `response_type` and `redirect_uri`, and refuses repeated parameters whatever `repeated` says.',
    example: '{ path: /connect, methods: [GET, POST] }',
  },
  'authorize.redirect_status': {
    text: 'Status of the redirect to the login page. Where the request is a POST, 303 makes every browser go on with GET.',
    example: '303',
  },
  'authorize.binds': {
    text: "Which browser a login belongs to: with `request` the one that sent the login request, which gets the login's cookie with the redirect; with `first_page` the one that gets the login page first, so that the partner's server can send the request and hand the `Location` to the browser (P-3). What each guards against stands in docs/decisions/022-login-binding.md.",
    example: 'first_page',
  },
  'authorize.redirect_uri': {
    text: 'Whether a client with exactly one registered redirect URI may leave `redirect_uri` out (G-3), or must always send it. With several registered it must in any case.',
    example: 'required',
  },
  'authorize.pkce': {
    text: 'Proof keys for codes (RFC 7636, S256 only): `required` refuses a login request without `code_challenge`, `optional` enforces those that are sent. With `off`, the inputs for it are no inputs of the programme, even where they are declared.',
    example: 'required',
  },
  'authorize.answer': {
    text: 'Names of the parameters on the redirect back to the partner (RFC 6749 4.1.2).',
    example: '{ code: authCode, error: errorCode }',
  },
  'authorize.answer.code': {
    text: 'Carries the authorization code after a login.',
    example: 'authCode',
  },
  'authorize.answer.error': {
    text: 'Carries the error code of a failure that is told by redirect.',
    example: 'errorCode',
  },
  'authorize.answer.state': {
    text: 'Carries the `state` of the login request back, where one of the declared shape was sent.',
    example: 'context',
  },
  'authorize.answer.issuer': {
    text: "Carries the programme's issuer, so that clients of several servers can tell whose answer it is (RFC 9207 calls it `iss`).",
    example: 'iss',
    otherwise: 'no issuer is sent',
  },
  'authorize.answer.more': {
    text: 'What else stands on the redirect, by wire name, as [fields](#fields-of-an-answer) that are texts; `only` names `code`, for the redirect with a code, or [failures](#failures-of-a-login-request). What is absent is left out.',
    example:
      '{ realmId: client.realm_id, error_description: error_description, region: { constant: eu, only: [code] } }',
  },
  'authorize.failures': {
    text: 'What each failure of a login request becomes: a page for the user, or a redirect with an error code. All of them must be mapped; the list is [below](#failures-of-a-login-request).',
    example: '{ access_denied: { redirect: not_a_partner } }',
  },
  'page_failure.page': {
    text: 'A page shown to the user, who stays here. The failures that come before client and redirect URI are known good can be nothing else (RFC 6749 4.1.2.1).',
    example: '{ status: 403, title: No access, text: This partner cannot log members in. }',
    beside: 'authorize: { failures: { invalid_scope: { redirect: null } } }',
    otherwise: 'one of `page` and `redirect` is required',
  },
  'page_failure.page.status': {
    text: 'HTTP status of the page.',
    example: '403',
    beside:
      'authorize: { failures: { invalid_scope: { redirect: null, page: { title: T, text: T } } } }',
  },
  'page_failure.page.title': {
    text: 'Heading and title of the page (G-7: `Security Issue`).',
    example: 'Security Issue',
    beside:
      'authorize: { failures: { invalid_scope: { redirect: null, page: { status: 400, text: T } } } }',
  },
  'page_failure.page.text': {
    text: 'The sentence below the heading. It is shown as text: markup has no meaning in it.',
    example: 'The login request names a partner that is not known here.',
    beside:
      'authorize: { failures: { invalid_scope: { redirect: null, page: { status: 400, title: T } } } }',
  },
  'login_failure.error_description': {
    text: 'What the redirect can say of this failure beside its code: the value `error_description` of `authorize.answer.more`.',
    example: 'The login request is incomplete',
    beside: 'authorize: { failures: { access_denied: { redirect: access_denied } } }',
    otherwise: 'none',
  },
  'login_failure.redirect': {
    text: 'Sends the browser back to the partner (302) with this error code, and `state` if there was one (G-5, P-12).',
    example: 'invalid_scope',
    otherwise: 'one of `page` and `redirect` is required',
  },

  code: {
    text: 'The authorization code that a login ends in: its shape and lifetime. A shape with fewer than 128 random bits does not load (RFC 6749 10.10); of a range of lengths, up to 64 characters are used.',
    example: '{ characters: base64url, length: 43, lifetime: 90s }',
  },
  'code.prefix': {
    text: 'Text in front of the random characters.',
    example: 'ac_',
    otherwise: 'none',
  },
  'code.characters': {
    text: 'The class the random characters are drawn from (G-2, P-2).',
    example: 'base64url',
    otherwise: '`alphanumeric`',
  },
  'code.length': {
    text: 'Number of random characters.',
    example: '43',
    otherwise: '`64`',
  },
  'code.lifetime': {
    text: 'How long a code can be redeemed, once; 10 minutes at most (RFC 6749 4.1.2).',
    example: '90s',
  },

  login: {
    text: 'The login page, the one page that members meet.',
    example: '{ title: Log in to Harbour Hotels, lifetime: 10m }',
  },
};
