// Every decision of docs/rules.md that is a value: a line of YAML changes it. The shipped files have it, as their
// transcripts say; laid over them, the line makes a transcript fail where the decision shows, and in one way.
//
// Not here, because no file may decide them (DESIGN, "Semantics fixed once for every dialect"):
// - C-8, the order in which faults answer: a partner's client must not see it change.
// - C-9, what `sub` and `iss` are, and that `jti` is unique; `iss` follows public_url.
// - G-2, single use, binding, and what a replay revokes; G-4, that a query of a redirect URI is kept.
// - G-6 and G-7, that these are never redirects, and that redirect URIs are compared as strings.
// - G-17, the same bytes and time for unknown client and wrong secret.
// - G-18, one counter over all grants, Retry-After, and that a refused request spends nothing.
// - G-19 and G-21, which cases are one and the same failure.
// - G-22, Retry-After, and that no outage is an invalid_grant.
// - G-23, that refresh tokens rotate, and that the directory is asked at each refresh.
// - P-5, `Allow` on a 405. P-7, `jti` of 1 to 2^53-1 and dates in UTC.
//
// C-9, the prefix of clients' subjects, the audience and the algorithm: test/wire/executive_club_jwt.transcript,
// own_refresh.transcript. G-9, bodies that are JSON: json_request.transcript.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { failureReasons } from '../../src/oauth/reasons.ts';
import { programmeOf } from '../support/definition.ts';
import { shippedProgramme } from '../support/jetway.ts';
import { play } from '../support/transcript/play.ts';
import { parseTranscript, type Transcript } from '../support/transcript/transcript.ts';
import { readTranscripts } from '../support/transcript/transcript_file.ts';
import type { Answer } from '../support/wire.ts';

/** The rule and the decision, YAML that decides otherwise, the exchange where that shows, and how. */
type Decision = readonly [decides: string, over: string, exchange: string, shown: RegExp];

const beginning = 'G-3 G-4: the login request leads';
const back = 'G-3 G-4 HOSTILE 9: the login leads back';
const tokens = 'authorization_code: G-10';

const grant: readonly Decision[] = [
  [
    'C-6: the version label is no path segment unless base_path says so',
    'base_path: /v1/executive-club',
    beginning,
    /^404 /,
  ],
  [
    'C-9: no iss (RFC 9207) on redirects',
    'authorize: { answer: { issuer: iss } }',
    back,
    /&iss=https%3A%2F%2Ftokens.example%2Fexecutive-club$/,
  ],
  [
    'G-1: prefix and digits of a client identifier',
    'client: { identifier: { prefix: p-, length: 4 } }',
    beginning,
    /^400 This login cannot start/,
  ],
  [
    'G-2: shape of a code',
    'code: { characters: digits, length: 50 }',
    'a login, whose code is',
    /\?code=\d{50}$/,
  ],
  ['G-2: lifetime of a code', 'code: { lifetime: 1m }', tokens, /^400 .*"invalid_grant"/],
  [
    'G-3: state is sent back',
    'authorize: { endpoint: { inputs: { state: null } } }',
    back,
    /\?code=[0-9a-f]{64}$/,
  ],
  [
    'G-3: a proof key may be sent: required',
    'authorize: { pkce: required }',
    beginning,
    /^302 .*\?error=invalid_request$/,
  ],
  [
    'G-3: a proof key may be sent, and then counts: off',
    'authorize: { pkce: off }',
    'G-2 G-21 HOSTILE 23 HOSTILE 27 HOSTILE 28: a code',
    /^200 .*"access_token"/,
  ],
  [
    'G-3: redirect_uri may be left out where there is one',
    'authorize: { redirect_uri: required }',
    beginning,
    /^400 .*does not say where to take you back to/,
  ],
  [
    'G-4: a checked request is answered 302 to the login page',
    'authorize: { redirect_status: 303 }',
    beginning,
    /^303 /,
  ],
  [
    'G-5: a missing response_type is invalid_request',
    'authorize: { failures: { missing_response_type: { redirect: unsupported_response_type } } }',
    'G-5 HOSTILE 28: a login request',
    /\?error=unsupported_response_type$/,
  ],
  [
    'G-6: the page for an unknown client',
    'authorize: { failures: { unknown_client: { page: { status: 404, title: Unknown } } } }',
    'misspelt, unknown, disabled',
    /^404 Unknown \| /,
  ],
  [
    'G-6: the page for a missing client',
    'authorize: { failures: { missing_client_id: { page: { status: 422, title: Who } } } }',
    'missing',
    /^422 Who \| /,
  ],
  [
    'G-7: status of the Security Issue page',
    'authorize: { failures: { unregistered_redirect_uri: { page: { status: 403 } } } }',
    'a redirect URI that is not registered',
    /^403 Security Issue \| /,
  ],
  [
    'G-11: the refresh field after a refresh',
    'token_response: { fields: { ba_refresh_expires_in: { value: refresh_lifetime, only: [authorization_code] } } }',
    'refresh_token: G-10',
    /"expires_in":1800}$/,
  ],
  [
    'G-11: member tokens tell token_type and expires_in',
    'token_response: { fields: { token_type: { constant: bearer, only: [client_credentials] }, expires_in: { value: access_lifetime, only: [client_credentials] } } }',
    tokens,
    /"scope":"AUTHN-LEVEL-10","ba_refresh_expires_in":86400}$/,
  ],
  [
    'G-12: level of a member whose directory gives none',
    'scope: { member_default: AUTHN-LEVEL-12 }',
    tokens,
    /"scope":"AUTHN-LEVEL-12"/,
  ],
  [
    'G-17: a challenge goes with 401',
    'errors: { reasons: { client_authentication_failed: { challenge: null } } }',
    'G-17 HOSTILE 40: an unknown client',
    /^401 {"error":"invalid_client"}$/,
  ],
  [
    'G-18: limit and window',
    'throttle: { limit: 1, window: 200s }',
    'refresh_token: G-10',
    /^429 200 .*"too_many_tokens"/,
  ],
  [
    'G-22: a client without roles gets access_denied on the redirect',
    'authorize: { failures: { access_denied: { redirect: unauthorized_client } } }',
    'G-20 G-22: a login request of a client without the role',
    /\?error=unauthorized_client&state=s$/,
  ],
  [
    'G-22: a login request that meets an outage is told on a page',
    'login: { messages: { difficulties: Come back later. } }',
    'the page is away',
    /^503 5 You cannot log in at the moment \| Come back later\.$/,
  ],
  [
    'G-23: an access token lives for 30 minutes, a refresh token for 24 hours',
    'tokens: { access: { lifetime: 5m }, refresh: { lifetime: 1h } }',
    tokens,
    /"expires_in":300,"ba_refresh_expires_in":3600}$/,
  ],
  [
    'G-23: and for 30 days from the login at most',
    'tokens: { refresh: { longest: 40h } }',
    'in its last moment',
    /"ba_refresh_expires_in":57600}$/,
  ],
  [
    'G-23: a retry is answered again for ten seconds',
    'tokens: { refresh: { grace: 0s } }',
    'refresh_token: G-23 HOSTILE 29: a retry',
    /^400 .*"invalid_token"/,
  ],
];

const pair = 'authorization_code: P-5';
const refreshed = 'refresh_token: P-7 P-9: new tokens';
const wrong = 'P-7 HOSTILE 31 HOSTILE 35: a refresh token';

const partner: readonly Decision[] = [
  [
    'P-1: shape of a client identifier',
    'client: { identifier: { length: 9 } }',
    'P-3: the login leads back',
    /^400 This login cannot start/,
  ],
  ['P-2: a code lives for 2 minutes', 'code: { lifetime: 1m }', pair, /^400 .*"invalid_grant"/],
  [
    'P-3: a checked request is answered 303 to the login page',
    'authorize: { redirect_status: 302 }',
    'as the partner’s server may send it',
    /^302 /,
  ],
  [
    'P-3: a login begins with POST',
    'authorize: { endpoint: { methods: [GET, POST] } }',
    'P-3: another method than POST',
    /^303 /,
  ],
  [
    'P-3: success is told with code and state',
    'authorize: { answer: { code: auth_code, state: echo } }',
    'P-3: the login leads back',
    /\?auth_code=\w+&echo=abc123$/,
  ],
  [
    'P-4: the context of a login request is not looked at',
    'authorize: { endpoint: { inputs: { context: { must_equal: client.business_context } } } }',
    'a login that asks for a scope',
    /^302 .*\?error=access_denied$/,
  ],
  [
    'P-4: the context of a login request is required',
    'authorize: { endpoint: { inputs: { context: { required: false } } } }',
    'P-1 P-3 P-12: a login request without',
    /^303 /,
  ],
  [
    'P-4: the page for another programme’s name',
    'authorize: { failures: { programme_mismatch: { page: { status: 404, title: Lost } } } }',
    'another programme',
    /^404 Lost \| /,
  ],
  [
    'P-4: the context must be this partner’s',
    'token_endpoints: { key: { inputs: { context: { must_equal: null } } } }',
    'P-4 P-11: another partner',
    /^200 /,
  ],
  [
    'P-5: the method is POST',
    'token_endpoints: { key: { methods: [POST, GET] } }',
    'P-5 P-11: a method',
    /^400 .*Missing header: authorization/,
  ],
  [
    'P-6: authorization may leave out the word Basic',
    'client: { authentication: { methods: [basic] } }',
    'P-6 HOSTILE 38: the scheme in any case',
    /^401 .*"invalid_client"/,
  ],
  [
    'P-6: accept must let JSON through',
    'token_endpoints: { key: { inputs: { accept: null } } }',
    'P-6: an accept that excludes JSON',
    /^200 /,
  ],
  [
    'P-6: x-forwarded-for is held to its form',
    'token_endpoints: { key: { inputs: { forwarded_for: { format: null } } } }',
    'P-6 HOSTILE 22: an x-forwarded-for',
    /^200 /,
  ],
  [
    'P-6: x-forwarded-for may be absent',
    'token_endpoints: { key: { inputs: { forwarded_for: { required: true } } } }',
    pair,
    /^400 .*Missing header: x forwarded for/,
  ],
  [
    'P-7: a refresh token is sent where it can be used',
    'grants: { refresh_token: null }\ntoken_endpoints: { refresh: null }',
    pair,
    /"token_type":"bearer","expires_in"/,
  ],
  [
    'P-7: scope is there when one was granted',
    'token_response: { fields: { scope: { value: scope, absent: nothing } } }',
    pair,
    /"scope":null,/,
  ],
  [
    'P-7: jti is a number',
    'token_response: { fields: { jti: { type: string } } }',
    pair,
    /"jti":"\d+"/,
  ],
  [
    'P-7: dateTimeIssued is a date',
    'token_response: { fields: { token_Information: { object: { dateTimeIssued: { as: date_time } } } } }',
    pair,
    /"dateTimeIssued":"2026-01-02T03:06:04Z"/,
  ],
  [
    'P-8: the token fields are at the top',
    'token_response: { wrap: [token] }',
    pair,
    /^200 {"token":{"access_token"/,
  ],
  [
    'P-8: names are written as in the source: upper',
    'token_response: { name_case: upper }',
    pair,
    /"ACCESS_TOKEN".*"TOKEN_INFORMATION":{"DATETIMEISSUED"/,
  ],
  [
    'P-8: names are written as in the source: lower',
    'token_response: { name_case: lower }',
    pair,
    /"token_information":{"datetimeissued"/,
  ],
  [
    'P-9: refresh takes a form',
    'token_endpoints: { refresh: { read: query } }',
    refreshed,
    /^400 .*Misplaced parameter/,
  ],
  [
    'P-9: refresh is an endpoint of its own, and is at the key endpoint as well',
    'grants: { refresh_token: { endpoint: refresh } }',
    'refresh_token: P-9 HOSTILE 29: a retry',
    /^400 .*"unsupported_grant_type"/,
  ],
  [
    'P-10: separators in names become spaces',
    'errors: { parameter_names: as_sent }',
    'P-11: a missing grant type',
    /Missing parameter: grant_type/,
  ],
  [
    'P-10: text case, and the name of the description',
    'errors: { text_case: upper, fields: { error_description: null, description: error_description } }',
    wrong,
    /"error":"INVALID_GRANT","description":"INVALID REFRESH TOKEN"/,
  ],
  [
    'P-11: every 401 has a challenge',
    'errors: { groups: [{ reasons: all, challenge: null }] }',
    'P-11: a partner that may not log members in',
    /^401 {"error":"unauthorized"/,
  ],
  [
    'P-12: which error a fault goes back with',
    'authorize: { failures: { invalid_scope: { redirect: invalid_request } } }',
    'P-12 HOSTILE 32: a login request for a scope',
    /\?error=invalid_request&state=abc123$/,
  ],
  [
    'P-14: the throttle is off',
    'throttle: { limit: 1, window: 100s }',
    refreshed,
    /^500 40 .*"temporarily_unavailable"/,
  ],
];

/** What an answer says, in one line. */
function said({ status, headers, body }: Answer): string {
  return [status, headers['location'], headers['retry-after'], headers['www-authenticate'], body]
    .filter((one) => one !== undefined && one !== '')
    .join(' ');
}

for (const [programme, decisions, files] of [
  ['executive-club', grant, ['executive_club', 'executive_club_pages', 'why']],
  ['second-club', partner, ['partner_login_pages']],
] as const) {
  const shipped = readFileSync(`test/dialects/shipped/${programme}.transcript`, 'utf8');
  const transcripts: readonly (Transcript & { readonly over?: readonly string[] })[] = [
    parseTranscript(shipped),
    ...files.flatMap((file) => readTranscripts(`test/wire/${file}.transcript`)),
  ];
  for (const [decides, over, exchange, shown] of decisions) {
    test(decides, async (t) => {
      const transcript = transcripts.find(({ exchanges }) =>
        exchanges.some(({ title }) => title.startsWith(exchange)),
      );
      assert.ok(transcript, `no exchange is called ${exchange}`);
      const yaml = shippedProgramme(programme, ...(transcript.over ?? []), over);
      await assert.rejects(play(t, programme, yaml, transcript), (error) => {
        if (!(error instanceof assert.AssertionError)) throw error;
        assert.equal(error.message.slice(0, exchange.length), exchange);
        assert.match(said(error.actual as Answer), shown);
        return true;
      });
    });
  }
}

test('G-9 G-18 G-19 G-21 G-22 P-4 P-11: how each reason is told is a line of YAML', () => {
  for (const reason of failureReasons) {
    const own = '{ status: 418, error: trouble, error_description: Oh dear, challenge: null }';
    const { renderFailure } = programmeOf(`errors: { reasons: { ${reason}: ${own} } }`);
    const { status, body } = renderFailure(reason);
    assert.equal(status, 418, reason);
    assert.equal(body, '{"error":"trouble","error_description":"Oh dear"}', reason);
  }
});
