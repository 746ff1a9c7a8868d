// Owns the promises of the checks of identity tokens and userinfo, whose trees of fields are checked as
// those of every other answer.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatFault } from '../../src/lib/fault.ts';
import { loadProgramme } from '../../src/rules/load.ts';

const head =
  'variant: grant\nname: A\nprogramme_identifier: A\nbase_path: /a\naccepts: { identity_algorithm: told }\n';
const inputs = 'authorize: { endpoint: { inputs: { nonce: {}, prompt: {} } } }\n';
const told = 'token_response: { fields: { id_token: id_token } }\n';

function faultsOf(more: string): readonly string[] {
  return loadProgramme('a.yaml', head + more).faults.map(formatFault);
}

/** By the part of the fault that names it. */
const cases: readonly (readonly [yaml: string, ...faults: readonly RegExp[]])[] = [
  [`id_token: {}\n${inputs}${told}`],
  [`userinfo: { path: /me, fields: { id: subject, tier: member.tier } }`],
  [
    told,
    /^a\.yaml:6:\d+: error: id_token is written here, but the programme issues no identity tokens/,
  ],
  [
    `id_token: {}\n${inputs}`,
    /: error: the answer to authorization_code does not hold the id_token \(add a field/,
  ],
  [
    `id_token: {}\n${told}`,
    /warning: identity tokens name no nonce of the login request/,
    /warning: prompt=none shows the login page/,
  ],
  [
    `id_token: {}\n${inputs}${told}grants: { authorization_code: null, refresh_token: null }\n`,
    /:6:11: error: identity tokens come with the grant authorization_code/,
  ],
  [
    `id_token: {}\n${told}scope: { kind: list, values: [a], client: null, member_default: null }\nauthorize: { endpoint: { inputs: { scope: {}, nonce: {}, prompt: {} } } }\ntoken_endpoints: { grant: { inputs: { scope: {} } } }\n`,
    /:8:30: error: no login can ask for identity tokens: "openid" is none of the scopes/,
  ],
  [
    `id_token: { claims: { sub: member.tier, t: access_token } }\n${inputs}${told}`,
    /:6:28: error: Jetway sets the claim "sub" itself/,
    /:6:21: error: an identity token cannot hold the access_token/,
  ],
  [
    `userinfo: { path: /me, fields: { t: refresh_token, i: token_id } }\n`,
    /:6:32: error: userinfo has no refresh_token/,
    /:6:32: error: userinfo has no token_id/,
  ],
  [
    `id_token: {}\n${inputs}${told}userinfo: { path: /me, fields: { tier: member.tier } }\n`,
    /error: with identity tokens the answer needs sub/,
  ],
  // Where no request is answered with them, none can be repeated (RFC 7519 3: claims are JSON).
  ...(
    [
      ['id_token: { claims:', `}\n${inputs}${told}`, 'an identity token cannot hold the'],
      ['userinfo: { path: /me, fields:', '}\n', 'userinfo has no'],
    ] as const
  ).map(
    ([before, after, words]) =>
      [
        `${before} { a: sent.code, b: { value: client_id, attribute: true }, c: { joined: [{ object: { d: client_id } }] } } ${after}`,
        new RegExp(`:6:\\d+: error: ${words} sent.code$`),
        /:6:\d+: error: only answers in XML have attributes \(take attribute out\)$/,
        /:6:\d+: error: texts are joined of values and constants: no object or array/,
      ] as const,
  ),
  [
    'token_response: { cookies: { a: { value: { value: client_id, attribute: true } } } }\n',
    /error: only answers in XML have attributes/,
  ],
  [`id_token: {}\n${inputs}token_response: { cookies: { i: { value: id_token } } }\n`],
  [`userinfo: { path: /login }\n`, /:6:19: error: \/login is the path of the login page already/],
  [`tokens: { access: { claims: { i: id_token } } }\n`, /error: a token cannot hold the id_token/],
];

const place = /^a\.yaml:\d+:\d+: /;
const usual = new Set(faultsOf('').map((fault) => fault.replace(place, '')));

for (const [yaml, ...expected] of cases) {
  test(`check: ${yaml.split('\n')[0]}: ${expected.length} faults`, () => {
    const found = faultsOf(yaml).filter(
      (fault) => !usual.has(fault.replace(place, '')) && !fault.includes('[both_refused]'),
    );
    assert.equal(found.length, expected.length, found.join('\n'));
    for (const fault of expected) {
      assert.ok(
        found.some((one) => fault.test(one)),
        `${String(fault)}\n${found.join('\n')}`,
      );
    }
  });
}
