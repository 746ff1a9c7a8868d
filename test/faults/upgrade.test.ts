// FAULTS 26 with a real server: it takes over a store that an older one worked on, and the older one
// no longer takes it.

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';

import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';

import { copyBefore } from '../../src/store/sqlite/file/migrate.ts';
import { schemaVersion } from '../../src/store/sqlite/schema.ts';
import { configText, jetway, workFolder } from '../cli/command.ts';
import { startServer } from '../cli/server.ts';
import {
  invalidCode,
  invalidRefreshToken,
  loginTarget,
  paths,
  tokensIn,
  unknownClient,
} from '../support/club.ts';
import { shippedLogos, shippedProgramme } from '../support/jetway.ts';
import { logIn } from '../support/login.ts';
import * as partner from '../support/partner_club.ts';
import { type Answer, ask, post } from '../support/wire.ts';

interface Pair {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** What the older server had answered until it was stopped. */
interface Answered {
  readonly stopped_at: string;
  readonly unspent_code: string;
  readonly spent_code: string;
  readonly code_of_bob: string;
  readonly partner_code: string;
  readonly spent: Pair;
  readonly live: Pair;
  readonly rotated: Pair;
  readonly revoked: Pair;
  readonly of_bob: Pair;
  readonly partner: Pair;
  /** The body of the answer that `rotated` was exchanged for. */
  readonly answer: string;
}

interface OlderSite {
  readonly folder: string;
  readonly path: string;
  readonly answered: Answered;
}

/** A folder as an operator has it who has just replaced the executable. */
function olderSite(t: TestContext): OlderSite {
  const sql = readFileSync(new URL('./served_schema_5.sql', import.meta.url), 'utf8');
  const folder = workFolder(t, {
    'config.yaml': configText,
    ...shippedLogos(),
    'programmes/club.yaml': shippedProgramme('third-club'),
    'programmes/executive-club.yaml': shippedProgramme('executive-club'),
    'programmes/second-club.yaml': shippedProgramme('second-club'),
  });
  const path = join(folder, 'data/jetway.db');
  mkdirSync(join(folder, 'data'));
  const masterKey = Buffer.alloc(32, 7).toString('base64url');
  writeFileSync(join(folder, 'data/master.key'), masterKey, { mode: 0o600 });
  writeFileSync(path, '', { mode: 0o600 });
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.exec('PRAGMA journal_mode = WAL');
  database.close();
  const told = [...sql.matchAll(/^--( *[{}"].*)$/gm)].map(([, line = '']) => line).join('');
  return { folder, path, answered: JSON.parse(told) as Answered };
}

function basicOf(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}

const secret = 'a-secret-of-some-length';
const authorization = basicOf('partnerapi-12345', secret);

test('FAULTS 26: what an older server had answered is good, spent or revoked as it was', async (t) => {
  const { folder, path, answered } = olderSite(t);
  // Codes live for two minutes, and retries ten seconds. However long a start takes: a server whose
  // clock is behind begins at the time that the store has recorded.
  const stoppedAgo = (Date.now() - Date.parse(answered.stopped_at)) / 1000;
  const { url, end, printed } = await startServer(t, folder, { ahead: -stoppedAgo - 30 });
  const askTokens = (fields: Readonly<Record<string, string>>, by = authorization) =>
    post(url, paths.grant, fields, { authorization: by });
  const redeem = (code: string): Promise<Answer> =>
    askTokens({ grant_type: 'authorization_code', code });
  const refresh = ({ refresh_token: token }: Pick<Pair, 'refresh_token'>): Promise<Answer> =>
    askTokens({ grant_type: 'refresh_token', refresh_token: token });

  // First: the time for retries goes on.
  const retried = await refresh(answered.rotated);
  assert.deepEqual([retried.status, retried.body], [200, answered.answer]);

  // Clients and members.
  const own = { grant_type: 'client_credentials' };
  for (const id of ['partnerapi-00001', 'partnerapi-00002']) {
    assert.deepEqual(await askTokens(own, basicOf(id, secret)), unknownClient, id);
  }
  tokensIn(await askTokens(own));
  const member = { username: 'ann', password: 'correct horse battery staple' };
  tokensIn(await redeem(await logIn(url, loginTarget({ id: 'partnerapi-12345' }), member)));

  // Codes and refresh tokens.
  tokensIn(await redeem(answered.unspent_code));
  assert.deepEqual(await redeem(answered.code_of_bob), invalidCode);
  for (const dead of [answered.revoked, answered.of_bob]) {
    assert.deepEqual(await refresh(dead), invalidRefreshToken);
  }
  tokensIn(await refresh(answered.live));
  assert.deepEqual(await redeem(answered.spent_code), invalidCode);
  assert.deepEqual(await refresh(answered.spent), invalidRefreshToken);
  tokensIn(await refresh(tokensIn(retried)));
  assert.deepEqual(await refresh(answered.rotated), invalidRefreshToken);

  // Keys, and tokens that they signed.
  const { identifier, paths: of } = partner.secondClub;
  const headers = {
    authorization: basicOf('Partner1', secret),
    'programme-identifier': identifier,
    'business-context-identifier': partner.context,
  };
  const code = `grant_type=authorization_code&code=${answered.partner_code}`;
  partner.tokensIn(await ask(url, `${of.key}?${code}`, { method: 'POST', headers }));
  const { refresh_token: token } = answered.partner;
  const fields = { grant_type: 'refresh_token', refresh_token: token };
  const next = partner.tokensIn(await post(url, of.refresh, fields, headers));
  const keySet = JSON.parse((await ask(url, of.keys)).body) as JSONWebKeySet;
  const currentDate = new Date(answered.stopped_at);
  for (const jwt of [answered.partner.access_token, next.access_token]) {
    await jwtVerify(jwt, createLocalJWKSet(keySet), { currentDate, clockTolerance: 60 });
  }

  assert.equal(await end('SIGTERM'), 0);
  assert.equal(printed().stderr, '');
  const copy = copyBefore(path, schemaVersion);
  assert.ok(readdirSync(join(folder, 'data')).includes(copy.slice(copy.lastIndexOf('/') + 1)));
  const verified = await jetway(folder, ['store', 'verify']);
  assert.equal(verified.code, 0, verified.stderr);
});

test('FAULTS 26: a store of a newer schema is refused by name, and left as it is', async (t) => {
  const { folder, path } = olderSite(t);
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA user_version = ${schemaVersion + 1}; PRAGMA wal_checkpoint(TRUNCATE)`);
  database.close();
  const before = readFileSync(path);
  for (const verb of [['serve'], ['client', 'list'], ['store', 'backup', 'copy.db']]) {
    const { code, stdout, stderr } = await jetway(folder, verb);
    assert.deepEqual([code, stdout], [4, ''], verb.join(' '));
    const newer = `schema ${schemaVersion + 1}`;
    assert.ok(stderr.includes(path) && stderr.includes(newer) && /newer/.test(stderr), stderr);
  }
  assert.deepEqual(readFileSync(path), before);
});
