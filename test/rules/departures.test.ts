// Tests of warnings: gateways keep their refusals whatever errors.groups says, and each warning stands
// at the key that it is about.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatFault } from '../../src/lib/fault.ts';
import { gatewayRefusals } from '../../src/oauth/reasons.ts';
import { loadProgramme } from '../../src/rules/load.ts';

const head = 'variant: grant\nname: A\nprogramme_identifier: A\nbase_path: /a\n';

/** Warnings of the file with such a text in them. */
function warned(yaml: string, text: string): readonly string[] {
  const { loaded, faults } = loadProgramme('a.yaml', head + yaml);
  assert.ok(loaded !== undefined);
  return faults.filter(({ message }) => message.includes(text)).map(formatFault);
}

test('HOSTILE 58 C-4: all leaves a gateway its 401 and 403, unless they are named, which is warned of', () => {
  const statuses = (groups: string, more = ''): readonly unknown[] => {
    const { loaded } = loadProgramme('a.yaml', `${head}errors: { groups: [${groups}]${more} }`);
    const reasons = loaded?.definition.errors.reasons;
    return [...gatewayRefusals.keys()].map((reason) => reasons?.[reason].status);
  };
  const all = '{ reasons: all, status: 400, error: failed }';
  const named = '{ reasons: [invalid_token, insufficient_scope], status: 418 }';
  assert.deepEqual(statuses(all), [401, 401, 401, 401, 403]);
  assert.deepEqual(statuses(`${all}, ${named}`), [401, 401, 401, 418, 418]);
  assert.deepEqual(statuses(`${named}, ${all}`), [401, 401, 401, 418, 418]);
  const own = ', reasons: { missing_token: { status: 503 } }';
  assert.deepEqual(statuses(all, own), [401, 401, 503, 401, 403]);
  // Without a variant there is none that they could keep.
  const bare = `errors: { fields: { error: error }, groups: [{ reasons: all, status: 410, error: x }] }`;
  const { faults } = loadProgramme('a.yaml', bare);
  assert.deepEqual(
    faults.filter(({ path }) => path.startsWith('errors')),
    [],
  );
  assert.deepEqual(warned(`errors: { groups: [${all}] }`, 'a gateway takes'), []);
  // What a gateway's headers are held against, where a dialect has them (P-15).
  const partner = head.replace('variant: grant', 'variant: partner-login');
  const { faults: mismatch } = loadProgramme('a.yaml', `${partner}errors: { groups: [${all}] }`);
  const told = mismatch.filter(({ message }) => message.startsWith('a gateway takes 400'));
  assert.deepEqual(
    told.map(({ path }) => path),
    ['errors.reasons.context_mismatch.status'],
  );
  assert.deepEqual(
    warned(
      `errors:
  groups:
    - { reasons: [invalid_token], status: 400 }
    - { reasons: [insufficient_scope, missing_token], status: 200 }
  reasons:
    invalid_api_key: { status: 503 }
    temporarily_unavailable: { status: 401 }
`,
      'a gateway takes',
    ),
    [
      'a.yaml:7:43: warning: a gateway takes 400 for an outage, and tells callers 503 for invalid_token (RFC 6750 3.1) (give invalid_token the status 401 or 403) [gateway_status]',
      'a.yaml:10:32: warning: a gateway takes 503 for an outage, and tells callers 503 for invalid_api_key (RFC 6750 3.1) (give invalid_api_key the status 401 or 403) [gateway_status]',
      'a.yaml:11:40: warning: a gateway takes 401 for a refusal, and callers throw good tokens away at temporarily_unavailable (RFC 6750 3.1) (give temporarily_unavailable the status 503) [gateway_status]',
    ],
  );
});

test('P-11: a 401 that asks for no authentication is warned of, at its place', () => {
  const mute = (reasons: string): readonly string[] =>
    warned(`errors: { reasons: { ${reasons} } }\n`, 'how to authenticate');
  assert.deepEqual(mute('client_mismatch: { status: 401 }'), [
    'a.yaml:5:49: warning: the 401 of client_mismatch does not say how to authenticate (RFC 9110 15.5.2) (give client_mismatch a challenge) [no_challenge]',
  ]);
  assert.deepEqual(mute('client_mismatch: { status: 401, challenge: basic }'), []);
  const own = 'headers: { www-authenticate: Own }';
  assert.deepEqual(mute(`client_mismatch: { status: 401, ${own} }`), []);
});

test('HOSTILE 58: what may have been meant is warned of, at its place', () => {
  const { faults } = loadProgramme(
    'a.yaml',
    `${head}scope:
  values: [AUTHN-LEVEL-10, AUTHN-LEVEL-15, AUTHN-LEVEL-12]
token_endpoints:
  grant:
    inputs:
      redirect_uri: null
      redirect_url: {}
      device: {}
`,
  );
  const told = faults.map(formatFault).filter((text) => !/RFC 6749 (?:4.1.3|2.3)/.test(text));
  assert.deepEqual(told, [
    'a.yaml:6:44: warning: "AUTHN-LEVEL-12" counts as higher than "AUTHN-LEVEL-15", since it stands after it (write the levels lowest first) [level_order]',
    'a.yaml:11:21: warning: Jetway knows no input "redirect_url": it is checked as declared, and used for nothing else (did you mean "redirect_uri"? If only its name on the wire is another, write that as name) [unused_input]',
  ]);
});

const remedy =
  '(RFC 6749 10.10) (leave it out for the usual limit, unless something in front of Jetway has one)';

const limits = 'nothing limits';

test('HOSTILE 65: each limit on guesses that is off is warned of where it is switched off', () => {
  const off = `login: { lockout: off, address_limit: off }
client: { authentication: { failure_limit: off } }
`;
  assert.deepEqual(warned(off, limits), [
    `a.yaml:5:19: warning: nothing limits wrong passwords for one username ${remedy} [no_lockout]`,
    `a.yaml:5:39: warning: nothing limits failed logins from one address ${remedy} [no_address_limit]`,
    `a.yaml:6:44: warning: nothing limits wrong secrets for one client ${remedy} [no_failure_limit]`,
  ]);
  assert.deepEqual(warned('login: { lockout: off }\n', limits), [
    `a.yaml:5:19: warning: nothing limits wrong passwords for one username ${remedy} [no_lockout]`,
  ]);
  assert.deepEqual(warned('login: { lockout: { attempts: 9 } }\n', limits), []);
});

test('access tokens that outlive their login are warned of at each place that says so', () => {
  const text = 'end with their login';
  const message = 'access tokens end with their login, 30d after it began (tokens.refresh.longest)';
  const hint = " (only a client's own, which come from no login, live for so long)";
  const access = 'tokens: { access: { lifetime: 31d } }\n';
  assert.deepEqual(warned('tokens: { access: { lifetime: 30d } }\n', text), []);
  assert.deepEqual(warned(access, text), [
    `a.yaml:5:31: warning: ${message}${hint} [tokens_outlive_login]`,
  ]);
  assert.deepEqual(warned(`${access}grants: { client_credentials: null }\n`, text), [
    `a.yaml:5:31: warning: ${message} [tokens_outlive_login]`,
  ]);
  const own = (type: string): string => `grants: { ${type}: { access_lifetime: 32d } }\n`;
  assert.deepEqual(warned(own('client_credentials'), text), []);
  assert.deepEqual(warned(own('refresh_token'), text), [
    `a.yaml:5:45: warning: ${message} [tokens_outlive_login]`,
  ]);
});

test('RFC 9700 4.14.2: refresh tokens that stay, or are good twice for long, are warned of', () => {
  const told = (refresh: string): readonly string[] =>
    warned(`tokens: { refresh: { ${refresh} } }\n`, 'RFC 9700 4.14.2');
  assert.deepEqual(told('rotation: off, grace: 1h'), [
    'a.yaml:5:32: warning: refresh tokens stay, so that the use of a stolen one is not noticed (RFC 9700 4.14.2) (clients must prove themselves with each, and revoking it ends all tokens of its login) [lasting_refresh_tokens]',
  ]);
  assert.deepEqual(told('grace: 301s'), [
    'a.yaml:5:29: warning: a refresh token that was used stays good for more than 5 minutes (RFC 9700 4.14.2) (it is good no more once its successor was used) [long_grace]',
  ]);
  assert.deepEqual(told('grace: 5m'), []);
});

test('RFC 6749 4.4.3: a refresh token beside a client’s own token is warned of', () => {
  const own = 'grants: { client_credentials: { refresh_token: on } }\n';
  assert.deepEqual(warned(own, 'RFC 6749 4.4.3'), [
    "a.yaml:5:48: warning: a refresh token comes with a client's own token (RFC 6749 4.4.3) (the client must prove itself with it, as for a new one) [own_refresh_token]",
  ]);
  assert.deepEqual(warned(own.replace(' on ', ' off '), 'RFC 6749 4.4.3'), []);
});

test('a refresh token alone and a subject_token alone are warned of apart, each where its grant is on', () => {
  const methods = 'client: { authentication: { methods: [basic, token] } }\n';
  const exchange = `token_endpoints: { grant: { inputs: { subject_token: {} } } }
grants: { token_exchange: { endpoint: grant, role: member }`;
  const at = 'a.yaml:5:38: warning:';
  const refresh = `${at} a thief of a refresh token needs no credentials to get access tokens with it, until its login ends (RFC 6749 6)`;
  const noticed = `${refresh} (as soon as thief and client have both used one token, the login ends with all of its tokens; before that, revoke the refresh token) [refresh_token_alone]`;
  const unnoticed = `${refresh} (nothing shows the theft while tokens.refresh.rotation is off: turn it on, so that the second use of a token ends its login) [refresh_token_alone]`;
  const subject = `${at} a thief of an access token needs no credentials to exchange it for a new one, again and again, until its login ends (RFC 8693 2.1) (to revoke the stolen token ends all that was exchanged from it; a short tokens.refresh.longest and a narrow scope limit the rest) [subject_token_alone]`;
  const of = (yaml: string): readonly string[] => warned(yaml, 'a thief of');
  assert.deepEqual(of(methods), [noticed]);
  assert.deepEqual(of(`${methods}tokens: { refresh: { rotation: off, grace: null } }\n`), [
    unnoticed,
  ]);
  assert.deepEqual(of(`${methods}${exchange} }\n`), [noticed, subject]);
  assert.deepEqual(of(`${methods}${exchange}, refresh_token: null }\n`), [subject]);
  assert.deepEqual(of(`${exchange} }\n`), []);
});

test('a text of the variant that names a place or a media type of another dialect is warned of', () => {
  const of = (yaml: string, variant = 'grant'): readonly string[] => {
    const text = `${head.replace('grant', variant)}accepts: { both_refused: told }\n${yaml}`;
    const { loaded, faults } = loadProgramme('a.yaml', text);
    assert.ok(loaded !== undefined, faults.map(formatFault).join('\n'));
    return faults
      .filter(({ name }) => name === 'untrue_text')
      .map(({ path, message }) => `${path.split('.')[2]}: ${message}`);
  };
  const type =
    'unsupported_media_type: this text names "application/x-www-form-urlencoded", but an endpoint takes other media types';
  const place =
    'misplaced_parameter: this text names "body", but an endpoint reads parameters from the query';
  assert.deepEqual(of(''), []);
  assert.deepEqual(of('token_endpoints: { grant: { read: [form, json] } }\n'), [type]);
  assert.deepEqual(of('token_endpoints: { grant: { media_types: [text/plain] } }\n'), [type]);
  assert.deepEqual(of('token_endpoints: { grant: { read: query } }\n'), [place]);
  assert.deepEqual(of('token_endpoints: { grant: { inputs: { scope: { in: query } } } }\n'), [
    place,
  ]);
  const own = 'errors: { reasons: { misplaced_parameter: { error_description: misplaced } } }\n';
  assert.deepEqual(of(`token_endpoints: { grant: { read: query } }\n${own}`), []);
  const silent = 'errors: { fields: { error_description: null } }\n';
  assert.deepEqual(of(`token_endpoints: { grant: { read: query } }\n${silent}`), []);
  assert.deepEqual(of('', 'partner-login'), []);
  const named = `client: { authentication: { methods: [parameters] } }
token_endpoints:
  key: { inputs: { programme: { in: query } } }
  refresh: { inputs: { programme: { in: form } } }
`;
  assert.deepEqual(of(named, 'partner-login'), [
    'authentication_missing: this text names "header", but no credentials are read from a header',
    'programme_mismatch: this text names "header", but the programme is not read from a header',
  ]);
});
