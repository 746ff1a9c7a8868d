// Owns the proof that a partner gets by with curl alone: a login walked through with a cookie jar,
// and every grant.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';

import {
  type Jetway,
  shippedProgramme,
  startJetway,
  type TestClient,
  type TestMember,
} from '../support/jetway.ts';
import { scratchFolder } from '../support/scratch.ts';
import { testNeeding } from '../support/tools.ts';
import { formCredentials } from './partner.ts';

const test = testNeeding('curl');

interface CurlAnswer {
  readonly status: number;
  readonly body: string;
  /** Where a redirect leads; empty where there is none. */
  readonly redirect: string;
}

const run = promisify(execFile);

/** Runs curl without a configuration file; a server in this process can answer meanwhile. */
async function curl(...options: readonly string[]): Promise<CurlAnswer> {
  const report = '\n%{http_code} %{redirect_url}';
  const running = run('curl', ['--disable', '-sS', '--max-time', '120', '-w', report, ...options]);
  const { stdout } = await running;
  const end = stdout.lastIndexOf('\n');
  const [status = '', redirect = ''] = stdout.slice(end + 1).split(' ');
  return { status: Number(status), body: stdout.slice(0, end), redirect };
}

interface Club {
  readonly jetway: Jetway;
  readonly client: TestClient;
  readonly member: TestMember;
  readonly login: string;
  readonly grant: string;
  /** `-u id:secret` */
  readonly user: readonly string[];
}

async function startClub(t: TestContext, over = '', secret = 's3cret:+%2B é'): Promise<Club> {
  const programmes = { 'executive-club': shippedProgramme('executive-club', over) };
  // curl follows the redirect to the login page, so the service must name its real address.
  const jetway = await startJetway(t, { programmes, publicUrl: 'listening' });
  const client = await jetway.addClient({ secret });
  const member = await jetway.addMember({ password: 'p&ss+w%rd é"' });
  return {
    jetway,
    client,
    member,
    login: `${jetway.url}/executive-club/auth/login`,
    grant: `${jetway.url}/executive-club/api/grant`,
    user: ['-u', `${client.id}:${client.secret}`],
  };
}

/** `--data-urlencode name=value` for each. */
function encoded(fields: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(fields).flatMap(([name, value]) => [
    '--data-urlencode',
    `${name}=${value}`,
  ]);
}

/** The login request with everything a partner may send, followed to the login page. */
function openLogin({ login, client }: Club, jar: string): Promise<CurlAnswer> {
  const parameters = encoded({
    client_id: client.id,
    response_type: 'code',
    redirect_uri: client.redirectUri,
    state: 'a b&c=d+e',
  });
  return curl('-G', '-L', '-b', jar, '-c', jar, login, ...parameters);
}

/** Posts the form of a login page, its hidden fields cut out of it as a shell script would. */
function submitLogin(
  { jetway, member }: Club,
  jar: string,
  page: string,
  password = member.password,
): Promise<CurlAnswer> {
  const action = /action="([^"]*)"/.exec(page)?.[1] ?? '';
  const hidden = (name: string): string =>
    new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? '';
  const fields = encoded({
    transaction: hidden('transaction'),
    csrf: hidden('csrf'),
    username: member.username,
    password,
  });
  return curl('-b', jar, '-c', jar, jetway.url + action, ...fields);
}

async function logIn(club: Club, t: TestContext): Promise<string> {
  const jar = join(scratchFolder(t, 'curl'), 'jar');
  const page = await openLogin(club, jar);
  const { redirect } = await submitLogin(club, jar, page.body);
  return new URL(redirect).searchParams.get('code') ?? '';
}

function fieldsOf(answer: CurlAnswer): Record<string, unknown> {
  assert.equal(answer.status, 200, answer.body);
  return JSON.parse(answer.body) as Record<string, unknown>;
}

test('G-3 G-4 G-8: a cookie jar walks through the login form', async (t) => {
  const club = await startClub(t);
  const jar = join(scratchFolder(t, 'curl'), 'jar');
  const page = await openLogin(club, jar);
  assert.equal(page.status, 200);
  assert.match(
    await readFile(jar, 'utf8'),
    /\/executive-club\/login\tFALSE\t\d+\tjetway_\S+\t\S+\n/,
  );

  const failed = await submitLogin(club, jar, page.body, 'wrong');
  assert.deepEqual([failed.status, failed.redirect], [200, '']);
  assert.match(failed.body, /The username or password was not recognised\. Please try again\./);

  const answer = await submitLogin(club, jar, failed.body);
  assert.deepEqual([answer.status, answer.body], [302, '']);
  assert.match(
    answer.redirect,
    /^https:\/\/partner\.example\/callback\?code=[0-9a-f]{64}&state=a%20b%26c%3Dd%2Be$/,
  );
});

test('G-9 G-10 G-11: every grant by -u and -d, with a secret of any characters', async (t) => {
  const club = await startClub(t);
  const { grant, user } = club;
  const code = await logIn(club, t);
  const first = fieldsOf(
    await curl(grant, ...user, '-d', 'grant_type=authorization_code', '-d', `code=${code}`),
  );
  assert.deepEqual(Object.keys(first), [
    'access_token',
    'refresh_token',
    'scope',
    'token_type',
    'expires_in',
    'ba_refresh_expires_in',
  ]);
  const again = { grant_type: 'refresh_token', refresh_token: String(first['refresh_token']) };
  const refreshed = fieldsOf(await curl(grant, ...user, ...encoded(again)));
  assert.deepEqual(Object.keys(refreshed), Object.keys(first));
  const own = fieldsOf(await curl(grant, ...user, '-d', 'grant_type=client_credentials'));
  assert.deepEqual(own, {
    access_token: own['access_token'],
    scope: 'AUTHN-LEVEL-15',
    token_type: 'bearer',
    expires_in: 1800,
  });
});

test('G-10: HTTP/1.0, an offer of HTTP/2 and a chunked body are all served', async (t) => {
  const { grant, user } = await startClub(t);
  const ask = ['-d', 'grant_type=client_credentials'];
  for (const options of [
    ['-0'],
    ['--http2'],
    ['-H', 'Transfer-Encoding: chunked'],
    ['--compressed'],
  ]) {
    fieldsOf(await curl(grant, ...user, ...ask, ...options));
  }
});

test('HOSTILE 39: where credentials are form, -u needs + and % of a secret encoded', async (t) => {
  const { grant, client } = await startClub(t, formCredentials, 'a+b%2Bc');
  const ask = ['-d', 'grant_type=client_credentials'];
  const asItIs = await curl(grant, '-u', `${client.id}:a+b%2Bc`, ...ask);
  assert.deepEqual([asItIs.status, asItIs.body], [401, '{"error":"invalid_client"}']);
  fieldsOf(await curl(grant, '-u', `${client.id}:a%2Bb%252Bc`, ...ask));
});
