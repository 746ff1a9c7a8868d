// The proxies that docs/handbook/tls.md puts before Jetway, as real nginx, Caddy and HAProxy: answers pass
// unchanged, callers' addresses arrive and cannot be forged, no log holds a query string, and callers are
// told in the words of their dialect that Jetway is away.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

import { createAuthority } from '../support/certificates.ts';
import { type Club, loginTarget, openClub, paths } from '../support/club.ts';
import { testNeeding } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { type Answer, ask, type Ask } from '../support/wire.ts';
import { caddyIn } from './caddy.ts';
import { haproxyCommand } from './haproxy.ts';
import { nginxIn, surroundings } from './nginx.ts';
import { blockNamed, filledIn } from './page.ts';
import { gatewayFolder, runGateway } from './process.ts';
import { askThrough, type Door, host } from './through.ts';

const authority = createAuthority('Proxies of tests');
const certified = authority.issue(`DNS:${host}`);
const page = 'handbook/tls.md';

interface Front {
  readonly door: Door;
  /** What the proxy has logged of requests. */
  readonly logged: () => string;
}

type Start = (t: TestContext, jetway: string) => Promise<Front>;

const startNginx: Start = async (t, jetway) => {
  const { folder, write } = gatewayFolder(t, {
    'nginx.conf': surroundings,
    'front.pem': certified.certificate,
    'front.key': certified.key,
  });
  const [port, log] = [await freePort(), join(folder, 'jetway.log')];
  const text = filledIn(blockNamed('/etc/nginx/conf.d/jetway.conf', page), [
    ['listen 443 ssl http2;', `listen 127.0.0.1:${port} ssl http2;`],
    ['server_name tokens.example.com;', `server_name ${host};`],
    ['/etc/nginx/tokens.example.com', join(folder, 'front')],
    ['/var/log/nginx/jetway.log', log],
    ['/var/log/nginx/jetway-error.log', log],
    ['127.0.0.1:8080', jetway],
  ]);
  write('site.conf', text);
  const printed = await runGateway(t, folder, nginxIn(folder));
  const logged = (): string => printed() + (existsSync(log) ? readFileSync(log, 'utf8') : '');
  return { door: { at: { port }, authority: authority.certificate }, logged };
};

const startCaddy: Start = async (t, jetway) => {
  const { folder, write } = gatewayFolder(t, {
    'cert.pem': certified.certificate,
    'key.pem': certified.key,
  });
  const port = await freePort();
  const own = `https://${host}:${port} {\n\tbind 127.0.0.1\n\ttls ${join(folder, 'cert.pem')} ${join(folder, 'key.pem')}\n`;
  const text = filledIn(blockNamed('/etc/caddy/Caddyfile', page), [
    ['{\n\tlog {\n', '{\n\tadmin off\n\tauto_https off\n\tlog {\n'],
    ['tokens.example.com {\n', own],
    ['127.0.0.1:8080', jetway],
  ]);
  write('Caddyfile', text);
  const logged = await runGateway(t, folder, caddyIn(folder));
  return { door: { at: { port }, authority: authority.certificate }, logged };
};

const startHaproxy: Start = async (t, jetway) => {
  const { folder, write } = gatewayFolder(t, {
    'front.pem': certified.certificate + certified.key,
  });
  const port = await freePort();
  const text = filledIn(blockNamed('/etc/haproxy/haproxy.cfg', page), [
    ['log stdout', 'log stderr'],
    ['bind :443', `bind 127.0.0.1:${port}`],
    ['/etc/haproxy/tokens.example.com.pem', join(folder, 'front.pem')],
    ['127.0.0.1:8080', jetway],
  ]);
  write('haproxy.cfg', text);
  const logged = await runGateway(t, folder, haproxyCommand);
  return { door: { at: { port }, authority: authority.certificate }, logged };
};

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
      server.close(() => resolve(port));
    });
  });
}

const over = 'client: { authentication: { failure_limit: { limit: 1, window: 1m } } }';

/** Requests whose answers are the same whenever they are asked. */
const requests = ({ client }: Club): readonly (readonly [target: string, asked: Ask])[] => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const authorization = client.basic;
  const token = (body: string, headers: object = { authorization }): Ask => ({
    method: 'POST',
    headers: { ...form, ...headers },
    body,
  });
  return [
    [paths.grant, token('grant_type=authorization_code&code=x')],
    [paths.grant, token('grant_type=none')],
    [paths.grant, token('grant_type=client_credentials', {})],
    [paths.grant, token(`a=${'x'.repeat(70_000)}`)],
    [paths.grant, token('', { authorization: `Basic ${'x'.repeat(40_000)}` })],
    [paths.grant, {}],
    [`${paths.grant}/../grant`, token('')],
    ['/executive-club//api/grant', token('')],
    ['/executive-club/api%2Fgrant', token('')],
    [loginTarget({ id: 'x' }, { state: 'secret-state' }), {}],
    ['/nowhere?code=secret-code', {}],
  ];
};

for (const [name, start] of [
  ['nginx', startNginx],
  ['caddy', startCaddy],
  ['haproxy', startHaproxy],
] as const) {
  const test = testNeeding(name, 'openssl');

  test(`through ${name} each answer is the one of Jetway itself`, async (t) => {
    const club = await openClub(t, { over, trustedProxies: ['127.0.0.1/32'] });
    const { door, logged } = await start(t, new URL(club.url).host);
    for (const [target, asked] of requests(club)) {
      const straight = tellingOf(await ask(club.url, target, asked));
      const answer = tellingOf(await askThrough(door, target, asked));
      assert.deepEqual(answer, straight, target);
    }
    assert.doesNotMatch(logged(), /secret|\?/);
    // Caddy logs what it cannot hand on alone.
    if (name !== 'caddy')
      for (const { id } of club.records.slice(-1)) await until(() => logged().includes(id));
  });

  test(`through ${name} a redirect brings back the longest state`, async (t) => {
    const club = await openClub(t, { over, trustedProxies: ['127.0.0.1/32'] });
    const { door } = await start(t, new URL(club.url).host);
    const target = loginTarget(club.client, { response_type: 'none', state: '"'.repeat(2048) });
    const straight = await ask(club.url, target);
    assert.ok((straight.headers['location'] ?? '').length > 3 * 2048, 'the state is in it');
    assert.equal((await askThrough(door, target)).status, straight.status);
  });

  test(`while Jetway is away ${name} answers in its words, and logs no query`, async (t) => {
    const { door, logged } = await start(t, `127.0.0.1:${await freePort()}`);
    const target = '/executive-club/api/grant?code=secret-code';
    const words = {
      club: [503, '{"error":"temporarily_unavailable"}'],
      second: [
        500,
        '{"error":"temporarily_unavailable","error_description":"Temporarily unavailable"}',
      ],
    };
    const heads = { authorization: 'Bearer secret-token', referer: 'https://a.example/?secret' };
    const post = { method: 'POST', headers: heads };
    const told = async (path: string, asked: Ask): Promise<object> => {
      const { status, headers, body } = await askThrough(door, path, asked);
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal(headers['retry-after'], '5');
      assert.match(headers['content-type'] ?? '', body.startsWith('<') ? /^text\/html/ : /json$/);
      return [status, body];
    };
    assert.deepEqual(await told(target, post), words.club);
    assert.deepEqual(await told(target.replace('executive', 'second'), post), words.second);
    const accept = 'text/html,application/xhtml+xml';
    const [status, text] = (await told('/executive-club/login?code=secret', {
      headers: { accept },
    })) as [number, string];
    assert.equal(status, 503);
    assert.match(text, /<title>Please try again<\/title>/);
    await until(() => logged().length > 0);
    assert.doesNotMatch(logged(), /secret|\?/);
  });

  test(`HOSTILE 21: through ${name} callers are told apart by an address that they cannot forge`, async (t) => {
    const club = await openClub(t, { over, trustedProxies: ['127.0.0.1/32'] });
    const { door } = await start(t, new URL(club.url).host);
    const wrong = `Basic ${btoa(`${club.client.id}:wrong`)}`;
    const guess = async (from: string, forged?: string): Promise<number> => {
      const headers = {
        authorization: wrong,
        'content-type': 'application/x-www-form-urlencoded',
        ...(forged === undefined ? {} : { 'x-forwarded-for': forged }),
      };
      const body = 'grant_type=client_credentials';
      const asked = { method: 'POST', headers, body };
      return (await askThrough({ ...door, from }, paths.grant, asked)).status;
    };
    const told = [
      await guess('127.0.0.2'),
      await guess('127.0.0.2'),
      await guess('127.0.0.2', '203.0.113.9'),
      await guess('127.0.0.3', '127.0.0.2'),
      await guess('127.0.0.3'),
    ];
    const [first = 0, limited = 0] = told;
    assert.equal(first, 401);
    assert.notEqual(limited, first);
    assert.deepEqual(told, [first, limited, limited, first, limited]);
  });
}

testNeeding('nginx', 'openssl')(
  'one nginx takes the file for tokens and the one for the gateway beside each other',
  async (t) => {
    const { folder, write } = gatewayFolder(t, {
      'nginx.conf': surroundings,
      'jetway-headers.conf': blockNamed('/etc/nginx/jetway-headers.conf'),
      'a.pem': certified.certificate,
      'a.key': certified.key,
    });
    const certificate = (name: string): readonly [string, string][] => [
      [`/etc/nginx/${name}.pem`, join(folder, 'a.pem')],
      [`/etc/nginx/${name}.key`, join(folder, 'a.key')],
    ];
    const tokens = filledIn(blockNamed('/etc/nginx/conf.d/jetway.conf', page), [
      ...certificate('tokens.example.com'),
      ['listen 443', `listen unix:${join(folder, 'tokens')}`],
      ['/var/log/nginx', folder],
    ]);
    const gateway = filledIn(blockNamed('/etc/nginx/conf.d/loyalty-api.conf'), [
      ...certificate(host),
      ['listen 443', `listen unix:${join(folder, 'api')}`],
    ]);
    write('site.conf', tokens + gateway);
    await runGateway(t, folder, nginxIn(folder));
  },
);

/** An answer without what differs from one to the next. */
function tellingOf({ status, headers, body }: Answer): object {
  const { 'content-type': type, allow, 'www-authenticate': challenge } = headers;
  const reference = /<strong translate="no">\w+<\/strong>/;
  return { status, type, allow, challenge, body: body.replace(reference, '') };
}
