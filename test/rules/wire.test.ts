// Files about XML, cookies, headers, repeated values and zones that do not load, or that are warned of
// (HOSTILE 58, 67).

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { formatFault } from '../../src/lib/fault.ts';
import { loadProgramme } from '../../src/rules/load.ts';

const head = 'variant: grant\nname: A\nprogramme_identifier: A\nbase_path: /a\n';

/** What is told of the file, with lines counted from the given ones. */
function told(yaml: string, severity: 'error' | 'warning'): readonly string[] {
  const { faults } = loadProgramme('a.yaml', head + yaml);
  return faults
    .filter((fault) => fault.severity === severity)
    .map((fault) =>
      formatFault(fault)
        .replace(/^a\.yaml:(\d+)/, (_, line: string) => String(Number(line) - 4))
        .replace(/ (?:error|warning):/, ''),
    );
}

const ownCookie =
  "Jetway's login page has the cookies of such names (give it a name that does not begin with jetway_)";

const refused: Readonly<Record<string, readonly string[]>> = {
  'token_endpoints: { grant: { root: Envelope } }': [
    '1:35: this endpoint reads no XML (add xml to read)',
  ],
  'token_endpoints: { grant: { read: xml, inputs: { a: { name: "s:a" }, b: { within: [c, "1"] } } } }':
    [
      '1:61: "s:a" cannot name an element or attribute of XML (prefixes are not compared: leave them out)',
      '1:83: "1" cannot name an element or attribute of XML (prefixes are not compared: leave them out)',
    ],
  'token_endpoints: { grant: { read: [json, xml], inputs: { a: { attribute: true } } } }': [
    '1:74: only XML has attributes (add in: xml)',
  ],
  'token_endpoints: { grant: { read: xml, inputs: { a: {}, b: { within: [a] }, c: { within: [a], attribute: true } } } }':
    ['1:70: what is an object here is the text "a" already'],
  'token_response: { fields: { a: { constant: 1, attribute: true } } }': [
    '1:27: only answers in XML have attributes (take attribute out)',
  ],
  'token_response: { encoding: xml, wrap: [t], fields: { a: { array: [{ constant: 1, attribute: true }] } } }':
    ['1:53: an attribute is a member of an object, not an item or a part of another field'],
  'token_response: { encoding: xml, fields: [{ "s:t": { object: { t: access_token } } }] }': [
    '1:42: the prefix of "s:t" is declared nowhere around it (give the element an attribute "xmlns:s")',
  ],
  'token_response: { encoding: xml, fields: [{ t: access_token, id: { constant: 1, attribute: true } }] }':
    ['1:42: XML has one element around all others (put the fields into one object)'],
  'token_response: { fields: { a: { value: issued_at, zone: "+01:00" } } }': [
    '1:32: only a date or a date_time has a zone: set as to one of them',
  ],
  'token_response: { fields: { a: { value: issued_at, as: http_date, zone: "+01:00" } } }': [
    '1:32: only a date or a date_time has a zone: set as to one of them',
  ],
  'token_response: { fields: { a: sent.code, b: sent.client_secret } }': [
    '1:27: sent.code is a secret, which no answer repeats',
    '1:27: sent.client_secret is a secret, which no answer repeats',
  ],
  'token_response: { fields: { a: sent.scop }, headers: { X-A: { value: sent.scope } } }': [
    '1:27: no token endpoint has an input "scop" (did you mean sent.scope?)',
    '1:54: sent.scope would stand here as it was sent (only bodies of JSON, XML and forms can repeat what a request says)',
  ],
  'tokens: { access: { claims: { a: sent.scope } } }': [
    '1:29: sent.scope would stand here as it was sent (only bodies of JSON, XML and forms can repeat what a request says)',
  ],
  'errors: { encoding: text, fields: [{ a: { joined: [error, sent.scope] } }] }': [
    '1:35: sent.scope would stand here as it was sent (only bodies of JSON, XML and forms can repeat what a request says)',
  ],
  'token_response: { cookies: { __Host-a: { value: access_token, path: /b }, b: { value: { object: { c: scope } } } } }':
    [
      '1:69: browsers accept a cookie of such a name only with the path / (RFC 6265bis 4.1.3.2)',
      '1:87: a cookie is one text',
    ],
  'token_response: { cookies: { a: { value: access_token, secure: false, same_site: None } } }': [
    '1:64: browsers take this cookie only if it is secure (RFC 6265bis 5.7)',
  ],
  'token_response: { cookies: { jetway_login_a: { value: access_token }, __host-Jetway_b: { value: access_token }, __Secure-jetway_: { value: access_token } } }':
    [`1:46: ${ownCookie}`, `1:88: ${ownCookie}`, `1:131: ${ownCookie}`],
  'token_endpoints: { grant: { inputs: { a: { in: cookie, name: __Host-jetway_device_a }, jetway_b: { in: cookie } } } }':
    [`1:62: ${ownCookie}`, `1:98: ${ownCookie}`],
  'token_endpoints: { grant: { inputs: { a: { in: header, name: Cookie }, te: { in: header }, b: { in: header, name: Content-Length }, c: { in: header, name: Proxy-Authorization } } } }':
    [
      "1:62: this header has all cookies, those of Jetway's login page too (read one of them: in: cookie)",
      '1:76: te is a header of the connection, which proxies set, change and remove (name another one)',
      '1:115: Content-Length is a header of the connection, which proxies set, change and remove (name another one)',
      '1:156: Proxy-Authorization is a header of the connection, which proxies set, change and remove (name another one)',
    ],
  'authorize: { endpoint: { inputs: { a: { in: header, name: Host } } } }': [
    '1:59: Host is a header of the connection, which proxies set, change and remove (name another one)',
  ],
  'request_id: X-Robots-Tag': ['1:13: answers of Jetway have this header already: name another'],
  'verify: { api_key_header: cookie }': [
    '1:27: Authorization has the token, Cookie all cookies, and X-Auth- is how Jetway answers: name another header',
  ],
  'authorize: { endpoint: { inputs: { a: { in: cookie } } } }': [
    '1:45: a login request reads no cookies (other sites can make a browser send it)',
  ],
};

for (const [yaml, errors] of Object.entries(refused)) {
  test(`refused: ${yaml}`, () => assert.deepEqual(told(`${yaml}\n`, 'error'), errors));
}

test('cookies that are exposed, and cookies that are read, are warned of', () => {
  const yaml = `token_response: { cookies: { a: { value: access_token, http_only: false, same_site: Lax } } }
token_endpoints: { grant: { inputs: { refresh_token: { in: cookie } } } }
`;
  const warnings = told(yaml, 'warning').filter((warning) => /cookie/.test(warning));
  assert.deepEqual(warnings, [
    '1:67: scripts of a page can read the token in this cookie (RFC 6265bis 8.6) (leave http_only out) [exposed_cookie]',
    '1:85: browsers send this cookie with requests that other sites cause (RFC 6265bis 8.2) (whoever reads it must check Origin or a token of its own) [exposed_cookie]',
    '2:60: browsers send a cookie unasked, so other sites may cause such requests (RFC 6265bis 8.2) (they cannot read the answer; let the cookie be SameSite=Strict, or require a header beside it) [cookie_read]',
  ]);
});

test('G-18: headers that tell of a limit do not load where the programme has none', () => {
  const yaml = readFileSync('programmes/second-club.yaml', 'utf8');
  const { loaded, faults } = loadProgramme(
    'a.yaml',
    `${yaml}\nthrottle: { headers: { X-Left: remaining } }\n`,
  );
  assert.equal(loaded, undefined);
  const errors = faults.filter(({ severity }) => severity === 'error');
  assert.deepEqual(
    errors.map(({ message }) => message),
    ['"limit" is missing', '"window" is missing'],
  );
});
