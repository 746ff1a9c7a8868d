// The promises of a partner's page: it names what the partner meets, never a secret, in Markdown and in
// HTML that loads nothing; texts of programmes and partners are no markup in either.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { failuresOf } from '../../../src/contract/failures.ts';
import { makeGuide } from '../../../src/contract/partner/guide.ts';
import { partnerHtml } from '../../../src/contract/partner/html.ts';
import { partnerPage } from '../../../src/contract/partner/page/page.ts';
import type { Client } from '../../../src/oauth/client.ts';
import { logsIn } from '../../../src/programme/programme.ts';
import type { Input } from '../../../src/programme/requests/inputs.ts';
import { programmeOf } from '../../support/definition.ts';
import { unescape } from '../../support/page.ts';
import { dialectFiles, guideOf } from './scene.ts';

const base = 'https://tokens.example/oauth';

describe('every dialect', () => {
  for (const file of dialectFiles) {
    test(`${file}: the page names every address, input and failure that a partner meets`, () => {
      const guide = guideOf(file, base);
      const { programme } = guide;
      const page = partnerPage(guide);
      assert.equal(partnerPage(guideOf(file, base)), page);
      assert.doesNotMatch(page, /undefined|\[object|\{names\}|[\u{E000}\u{E001}]/u);
      const readings = [
        logsIn(programme) ? programme.login.endpoint.reading : undefined,
        ...programme.tokenEndpoints.map((one) => one.reading),
      ];
      const inputs = readings.flatMap(
        (reading): readonly Input<unknown>[] => reading?.inputs ?? [],
      );
      for (const { name } of inputs.filter(({ readBy }) => readBy.length > 0)) {
        assert.ok(page.includes(`\n| \`${name}\` | `), name);
      }
      for (const { path } of programme.tokenEndpoints) {
        assert.ok(page.includes(`\`https://tokens.example${path}\``), path);
      }
      const met = failuresOf(programme).flatMap(({ metBy: { partner, caller }, tell }) =>
        [partner, caller].flatMap((names) => (names === undefined ? [] : [tell(names[0])])),
      );
      const [, refused = ''] = page.split('## When a request is refused');
      const rows = refused.split('\n## ')[0]?.match(/^\| \d{3} /gm) ?? [];
      assert.equal(rows.length, met.length);
      for (const { status, body } of met) {
        const line = body.replaceAll(/\s+/g, ' ').replaceAll('|', String.raw`\|`);
        assert.ok(refused.includes(`| ${status} \`${line}\` |`), body);
      }
    });

    test(`${file}: the HTML tells the same, and loads nothing`, () => {
      const guide = guideOf(file, base);
      const html = partnerHtml(guide);
      assert.doesNotMatch(
        html,
        /<script|<link|<img(?! class="(?:paper)?" src="data:image\/)|<iframe|@import|(?<!base64)url\(/,
      );
      for (const [, target = ''] of html.matchAll(/ href="([^"]*)"/g)) assert.match(target, /^#/);
      for (const [, id] of html.matchAll(/ href="#([^"]*)"/g))
        assert.ok(html.includes(` id="${id}"`));
      const headings = (text: string, form: RegExp) =>
        [...text.matchAll(form)].map(([, heading = '']) => unescape(heading));
      assert.deepEqual(
        headings(html, /<h[23] [^>]*>(.*?)<\/h[23]>/g),
        headings(partnerPage(guide), /^###? (.*)$/gm),
      );
    });
  }
});

const hostile = '<img src=x onerror=alert(1)> *Club* | `tick` [a](javascript:b) &amp; \\';

test('HOSTILE 51: texts of programmes and partners are texts in both forms', () => {
  const over = JSON.stringify({
    name: hostile,
    errors: { reasons: { invalid_code: { error: 'a|b`c', error_description: hostile } } },
  });
  const client = {
    ...makeGuide(programmeOf(over), base).by.client,
    name: hostile,
    businessContext: hostile,
  } satisfies Client;
  const html = partnerHtml(makeGuide(programmeOf(over), base, client));
  assert.doesNotMatch(html, /<img|<em>Club|href="javascript/);
  const title = unescape(/<h1[^>]*>(.*?)<\/h1>/.exec(html)?.[1] ?? '');
  assert.equal(title, `${hostile}: guide for partners`);
  const cells = [...html.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell = '']) => unescape(cell));
  assert.ok(cells.includes(hostile), 'the name that the partner is registered by');
  assert.ok(
    cells.some((cell) => cell.includes('{"error":"a|b`c","error_description":"<img src=x')),
  );
});

test('a client is told only of what it may do', () => {
  const { client } = makeGuide(programmeOf(), base).by;
  const page = partnerPage(makeGuide(programmeOf(), base, { ...client, roles: ['partner'] }));
  assert.doesNotMatch(page, /## Log a member in|## Refresh tokens/);
  assert.match(page, /## Get a token of your own/);
});

test('the page tells what the file makes of limits, request ids and further endpoints', () => {
  const over = JSON.stringify({
    request_id: 'X-Trace',
    throttle: { limit: 7, window: '10s', headers: { 'X-Left': 'remaining' } },
    introspection: { path: '/ask' },
    revocation: { path: '/end' },
    metadata: 'on',
    sandbox: { header: 'X-Sandbox' },
    tokens: { refresh: { grace: '0s' } },
    client: { authentication: { basic_charset: 'utf-8_or_iso-8859-1' } },
  });
  const page = partnerPage(makeGuide(programmeOf(over), base));
  for (const told of [
    'Letters beyond ASCII may be in UTF-8 or ISO-8859-1.',
    'the value of `X-Trace`',
    'X-Trace: REQUEST-ID\n',
    'You may make 7 token requests in 10 seconds.',
    '| `X-Left` | how many are left until the window ends |',
    'Never send a refresh token twice',
    '| `invalid_code` |',
    '## Ask about a token',
    '## Log a member out',
    'Revoke them first: see “Revoke tokens”.',
    'If you revoke a refresh token (RFC 7009)',
    '## Configure a standard client',
  ]) {
    assert.ok(page.includes(told), told);
  }
  assert.match(page, /An access token ends alone, and counts/);
  const usual = partnerPage(makeGuide(programmeOf(), base));
  assert.match(usual, /## Log a member out\n\n.* No request ends them here, /);
  assert.match(usual, /## Revoke tokens\n\nIf others may have tokens or secret or API key, ask us/);
  const [, own = ''] = usual.split('## Get a token of your own');
  assert.doesNotMatch(own.split('\n## ')[0] ?? '', /\| `(?:ba_)?refresh_/);
  const silent = JSON.stringify({ request_id: 'none', throttle: 'off' });
  const other = partnerPage(makeGuide(programmeOf(silent), base));
  assert.match(other, /There is no limit on token requests\./);
  assert.match(other, /Tell us when it happened, /);
});

test('HOSTILE 95: the page tells what ends with an access token', () => {
  const [beside, exchange, revocation] = [
    'token_response: { fields: { own: client_token } }',
    `token_endpoints: { grant: { inputs: { subject_token: {} } } }
grants: { token_exchange: { endpoint: grant, role: member } }`,
    'revocation: { path: /end }',
  ];
  const { client } = makeGuide(programmeOf(), base).by;
  const pageOf = (over: readonly string[], who: Client = client): string =>
    partnerPage(makeGuide(programmeOf(over.join('\n')), base, who));
  const fateIn = (...over: readonly string[]): string => {
    const page = pageOf(over);
    return /An access token (ends .*?), and counts/.exec(page)?.[1] ?? '';
  };
  const own = 'the token of your own that came in the same answer';
  const exchanged = 'what you have got for it by an exchange';
  assert.equal(fateIn(revocation, beside), `ends together with ${own}`);
  assert.equal(fateIn(revocation, exchange), `ends together with ${exchanged}`);
  assert.equal(fateIn(revocation, beside, exchange), `ends together with ${own} and ${exchanged}`);
  assert.match(pageOf([beside]), /"own": "CLIENT-TOKEN"/);
  for (const less of [{ isPublic: true }, { roles: ['member'] }] as const) {
    const page = pageOf([revocation, beside], { ...client, ...less });
    assert.match(page, /An access token ends alone/);
    assert.doesNotMatch(page, /CLIENT-TOKEN|\| `own` \|/);
  }
});

test('HOSTILE 35: the page tells which tokens open userinfo', () => {
  const userinfo = 'userinfo: { path: /me, fields: { sub: subject } }';
  const asking = `resources: ["urn:a"]
token_endpoints: { grant: { inputs: { resource: {} } } }`;
  const opening = (...over: readonly string[]): string => {
    const page = partnerPage(makeGuide(programmeOf(over.join('\n')), base));
    return /With a member's access token(.*?) `GET /.exec(page)?.[1] ?? '';
  };
  assert.equal(opening(userinfo), ',');
  assert.equal(opening(userinfo, asking), ' for which you named no API,');
});

test('RFC 8693 2.2.1: the page tells the kind of token that an exchange has issued, and of no other answer', () => {
  const page = partnerPage(
    makeGuide(
      programmeOf(`token_endpoints: { grant: { inputs: { subject_token: {} } } }
grants: { token_exchange: { endpoint: grant, role: member } }
token_response: { fields: { issued_token_type: issued_token_type } }`),
      base,
    ),
  );
  const told = page.split('\n## ').filter((section) => section.includes('issued_token_type'));
  assert.deepEqual(
    told.map((section) => section.split('\n')[0]),
    ['Exchange an access token'],
  );
  assert.match(
    told[0] ?? '',
    /"issued_token_type": "urn:ietf:params:oauth:token-type:access_token"/,
  );
});

test('the page tells of a sandbox with the failures of each address, but not in the live environment', () => {
  const over = 'sandbox: { header: X-Fail, parameter: fail_as }';
  const parts = [programmeOf(over), 'https://tokens.example'] as const;
  const [, section = ''] = partnerPage(makeGuide(...parts)).split(
    '## See each refusal before it happens\n',
  );
  const [told = ''] = section.split('\n## ');
  assert.match(told, /in the header `X-Fail` or in the parameter `fail_as` of its query/);
  assert.match(
    told,
    /curl -sS -i \\\n {2}-X POST \\\n {2}-H 'X-Fail: throttled' \\\n {2}https:\/\/tokens\.example\/executive-club\/api\/grant\n/,
  );
  const rows = told.split('\n').filter((line) => /^\| (?:`|calls)/.test(line));
  assert.deepEqual(
    rows.map((line) =>
      [/`access_denied`/, /`invalid_code`/, /`invalid_token`/].map((one) => one.test(line)),
    ),
    [
      [true, false, false],
      [false, true, false],
      [false, false, true],
    ],
  );
  const without = partnerPage(makeGuide(programmeOf(), parts[1]));
  assert.equal(partnerPage(makeGuide(...parts, undefined, 'live')), without);
});

test('RFC 8705: the examples of a client that shows a certificate show it', () => {
  const over = 'client: { authentication: { methods: [tls_client_auth] } }';
  const page = partnerPage(makeGuide(programmeOf(over), base));
  assert.match(
    page,
    /If others may have tokens or API key or the private key of your certificate, /,
  );
  assert.match(page, /curl -sS \\\n {2}--cert partner\.pem \\\n {2}--key partner\.key \\\n/);
});

test('a partner is told what separates scopes, and which it has unasked', () => {
  const page = partnerPage(guideOf('test/dialects/default-scopes.yaml', base));
  assert.match(
    page,
    /\| `scope` \| .*one of `balance`, `charges`, `refunds`; several with `, ` between; without it, `charges`, `balance` \|/,
  );
});

test('the page of a public client names no secret and no key, and the ports that are free', () => {
  const over = JSON.stringify({
    client: { authentication: { methods: ['none'] } },
    authorize: { pkce: 'required' },
    grants: { client_credentials: null },
  });
  const guide = makeGuide(programmeOf(over), base);
  const page = partnerPage(guide);
  assert.doesNotMatch(page, /API_KEY|CLIENT_SECRET|X-Api-Key/);
  assert.match(page, /If others may have tokens, ask us at once/);
  assert.match(page, /compared to the letter, but for the port of `http:\/\/127\.0\.0\.1`/);
  const other = partnerPage(makeGuide(programmeOf(), base));
  assert.match(other, /\| API key \| .*`API_KEY`/);
  assert.match(other, / \(yours; compared to the letter\) \|/);
});

test('the page of a public client names the origins of its pages, and what signs identity tokens', () => {
  const { programme, by } = guideOf('test/dialects/browser-app.yaml', base);
  const app = by.client;
  const page = partnerPage(
    makeGuide(programme, base, { ...app, origins: ['https://app.example'] }),
  );
  const rest =
    'a page in a browser reads our answers only from one of these, and sends no cookies along';
  assert.ok(page.includes(`| Origins of your pages | \`https://app.example\`; ${rest} |`));
  assert.ok(partnerPage(makeGuide(programme, base)).includes(`pages | none yet; ${rest} |`));
  assert.match(page, /an identity token \(OpenID Connect\), a JWT signed with RS256\./);
  assert.doesNotMatch(partnerPage(makeGuide(programmeOf(), base)), /Origins of your pages/);
});

test('the page tells what tokens look like, where the file says so', () => {
  const over = JSON.stringify({
    grants: { client_credentials: { access_form: { prefix: 'own_', length: 40 } } },
    tokens: { access: { form: { prefix: 'acc_', characters: 'lower_hex', length: 40 } } },
  });
  const page = partnerPage(makeGuide(programmeOf(over), base));
  assert.match(page, /\n\| What \| Good for \| Form \|\n/);
  for (const row of [
    '| Access token of your own | 30 minutes | `own_` and 40 letters and digits |',
    '| Access token from a code | 30 minutes | `acc_` and 40 hexadecimal digits in lower case |',
    '| Refresh token | 1 day, one use | may change |',
  ]) {
    assert.ok(page.includes(row), row);
  }
  assert.doesNotMatch(partnerPage(makeGuide(programmeOf(), base)), /\| Form \|/);
});

test('HOSTILE 76: no request in a page has a pattern in its address', () => {
  const over = `
client: { authentication: { methods: [basic, private_key_jwt], assertion: { audience: token_endpoint } } }
authorize: { endpoint: { path: "/{tenant}/{version}/login", inputs: { tenant: { in: path, must_equal: client.tenant }, version: { in: path, allowed: [v1, v2] } } } }
token_endpoints: { grant: { path: "/{tenant}/{version}/token", inputs: { client_assertion: {}, tenant: { in: path, must_equal: client.tenant }, version: { in: path, characters: digits } } } }
sandbox: { header: X-Fail }
`;
  const programme = programmeOf(over);
  const { client: placeholder } = makeGuide(programme, base).by;
  const registered = { ...placeholder, properties: { tenant: ['north', 'south'] } };
  const incomplete = { ...placeholder, properties: {} };
  for (const [client, tenant] of [
    [undefined, 'YOUR-TENANT'],
    [registered, 'north'],
    [incomplete, 'YOUR-TENANT'],
  ] as const) {
    const guide = makeGuide(programme, base, client);
    const page = partnerPage(guide);
    const blocks = [...page.matchAll(/^```\w+\n(.*?)^```$/gms)].map(([, code = '']) => code);
    for (const text of blocks) {
      assert.doesNotMatch(text, /\{(?:tenant|version)\}|%7B/i);
    }
    const addresses = [
      ...blocks.join('').matchAll(/\/executive-club\/(\S+?)\/\S+?\/(?:login|token)/g),
    ];
    assert.ok(addresses.length > 3);
    assert.deepEqual([...new Set(addresses.map(([, one]) => one))], [tenant]);
    assert.match(page, /`aud` with the URL of the request, /);
  }
});
