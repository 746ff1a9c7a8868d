// HOSTILE 62: a public address with a path, behind a real nginx that passes paths on or changes them.

import assert from 'node:assert/strict';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

import { type Club, openClub, tokensIn } from '../support/club.ts';
import { listenHere } from '../support/listen.ts';
import { openLogin, submitLogin } from '../support/login.ts';
import { testNeeding } from '../support/tools.ts';
import { ask, post } from '../support/wire.ts';
import { nginxIn } from './nginx.ts';
import { gatewayFolder, runGateway } from './process.ts';

const test = testNeeding('nginx');

const issuer = 'https://www.example/auth/executive-club';

/** An nginx before the club, which passes on as `location` says; returns where it listens. */
async function startFront(t: TestContext, club: Club, location: string): Promise<string> {
  const { folder, write } = gatewayFolder(t, {});
  const path = join(folder, 'front');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${kind};`,
  );
  write(
    'nginx.conf',
    `daemon off; worker_processes 1; error_log stderr notice; pid nginx.pid; events {}
    http {
      access_log off; ${temporary.join(' ')}
      server {
        listen unix:${path};
        location /auth/ { ${location.replaceAll('JETWAY', club.url)} }
        location /.well-known/ { proxy_pass ${club.url}; }
      }
    }`,
  );
  await runGateway(t, folder, nginxIn(folder));
  const port = createServer((socket) => {
    const behind = connect(path);
    for (const end of [socket, behind]) end.on('error', () => end.destroy());
    socket.pipe(behind).pipe(socket);
  });
  return `http://${await listenHere(t, port)}`;
}

const openHere = (t: TestContext): Promise<Club> =>
  openClub(t, {
    publicUrl: 'https://www.example/auth',
    over: 'metadata: on\ntokens: { access: { format: jwt } }',
  });

const login = ({ client }: Club): string =>
  `/auth/executive-club/auth/login?response_type=code&client_id=${client.id}`;

for (const location of ['proxy_pass JETWAY;', 'proxy_pass JETWAY/auth/;']) {
  test(`HOSTILE 62: what is announced is what is served, by ${location}`, async (t) => {
    const club = await openHere(t);
    const front = await startFront(t, club, location);
    const opened = await openLogin(front, login(club));
    assert.ok(opened.begin.headers['location']?.startsWith(`${issuer}/login?`));
    assert.equal(opened.action.split('?')[0], '/auth/executive-club/login', opened.page.body);
    const logo = /<img src="([^"]*)"/.exec(opened.page.body)?.[1] ?? '';
    assert.equal((await ask(front, logo)).status, 200);
    const back = await submitLogin(front, opened, club.member);
    const code = new URL(back.headers['location'] ?? '').searchParams.get('code') ?? '';

    const path = '/.well-known/oauth-authorization-server/auth/executive-club';
    const metadata = JSON.parse((await ask(front, path)).body) as Readonly<Record<string, string>>;
    assert.equal(metadata['issuer'], issuer);
    const pathOf = (name: string): string => new URL(metadata[name] ?? '').pathname;
    assert.equal(metadata['authorization_endpoint'], `${issuer}/auth/login`);
    const fields = { grant_type: 'authorization_code', code };
    const headers = { authorization: club.client.basic };
    const tokens = tokensIn(await post(front, pathOf('token_endpoint'), fields, headers));
    const [, claims = ''] = tokens.access_token.split('.');
    assert.equal(
      (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iss: string }).iss,
      issuer,
    );
    assert.equal((await ask(front, pathOf('jwks_uri'))).status, 200);
    assert.equal((await ask(front, '/auth/executive-club/verify/none')).status, 401);
  });
}

test('HOSTILE 62: where the path is taken away nothing is found, rather than half of it', async (t) => {
  const club = await openHere(t);
  const front = await startFront(t, club, 'proxy_pass JETWAY/;');
  for (const path of [
    login(club),
    '/auth/executive-club/login',
    '/auth/executive-club/verify/none',
  ]) {
    assert.equal((await ask(front, path)).status, 404, path);
  }
  assert.equal((await post(front, '/auth/executive-club/api/grant', {})).status, 404);
});
