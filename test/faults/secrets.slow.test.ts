// HOSTILE 53: after all that people do with a service, neither its store, its folder, its log nor
// what its commands print holds a secret that was used; and nobody writes lines into its log.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { unseal } from '../../src/lib/seal.ts';
import type { ProgrammeId } from '../../src/oauth/client.ts';
import { openFileStore } from '../../src/store/sqlite/store.ts';
import { createKeyring } from '../../src/token/keyring.ts';
import { putSecret, type Ran } from '../cli/command.ts';
import { type ServerProcess, startServer } from '../cli/server.ts';
import { ask } from '../support/wire.ts';
import { Caller, type Dialect, grantDialect, partnerDialect, type Tokens } from './caller.ts';
import { filesOf, Hoard } from './hoard.ts';
import { Scene } from './scene.ts';
import { lookInto } from './site.ts';

const context = 'PartnerContext';
const dialects: readonly Dialect[] = [
  grantDialect('executive-club', '/executive-club'),
  grantDialect('signed-club', '/signed-club'),
  grantDialect('keyed', '/keyed'),
  partnerDialect('second-club', 'SecondClub', context),
];

const callback = 'https://partner.example/callback';

/** Partners and members by every way in: generated, given, imported, refused. */
async function onboard(scene: Scene): Promise<ReadonlyMap<Dialect, Caller>> {
  const roles = ['--redirect-uri', callback, '--role', 'member', '--role', 'partner'];
  const partner = ['--business-context', context, '--partner-id', 'Partner00001'];
  const made = await scene.make(
    dialects.map(({ programme }) => [
      'client',
      'add',
      '--programme',
      programme,
      '--name',
      'Blue',
      ...roles,
      ...(programme === 'second-club' ? partner : []),
    ]),
  );
  const password = scene.invent('the password');
  const member = ['member', 'add', '--username', 'ann', '--password-stdin', '--programme'];
  const added = dialects.map(({ programme }) => scene.run([...member, programme], password));
  for (const { code } of await Promise.all(added)) assert.equal(code, 0);
  // Refused, too: what is told of them may not tell what was typed.
  await scene.run([...member, 'executive-club'], scene.invent('the password of a taken name'));
  await scene.run([...member, 'executive-club'], `${scene.invent('a password')}\n\nof two lines`);
  const add = ['client', 'add', '--programme', 'club', '--name', 'Red', ...roles];
  await scene.run([...add, '--secret-stdin'], `${scene.invent('a secret')}\u0007 of an odd kind`);

  const secret = scene.invent('the imported secret');
  const apiKey = scene.inventPlain('the imported key');
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const table = (id: string): string =>
    `client_id,client_secret,api_key,name,roles\n${id},${quoted(secret)},${quoted(apiKey)},Old,partner\n`;
  const row = `- { client_id: partnerapi-00008, name: Old, client_secret: ${JSON.stringify(scene.invent('another secret'))} }\n`;
  const load = ['client', 'import', '--programme', 'club'];
  const imports: Promise<Ran>[] = [];
  for (const [name, text] of [
    ['good.csv', table('partnerapi-00007')],
    ['bad.csv', table('no identifier')],
    ['twice.yaml', row.repeat(2)],
    [
      'broken.yaml',
      `- { client_id: ${scene.invent('a misplaced secret').replaceAll(/[^\w]/g, 'x')}, client_secret: [`,
    ],
  ] as const) {
    putSecret(scene.desk, name, text);
    imports.push(scene.run([...load, join(scene.desk, name)]));
  }
  const codes = (await Promise.all(imports)).map(({ code }) => code);
  assert.deepEqual(codes, [0, 2, 2, 2]);
  const callers = dialects.map((dialect, index) => {
    const {
      client_id: id,
      client_secret: own = '',
      api_key: key = '',
    } = made[index] ?? { client_id: '' };
    return [
      dialect,
      new Caller(scene.hoard, dialect, { id, secret: own, apiKey: key, password }),
    ] as const;
  });
  return new Map(callers);
}

/** Tokens without the signatures of JWTs: a retry is signed again, which ES256 does differently. */
function unsigned({ access, refresh }: Tokens): readonly string[] {
  return [access, refresh].map((token) => token.replace(/\.[^.]*$/, ''));
}

/** A day at the service, for one partner of one dialect. */
async function live(scene: Scene, caller: Caller): Promise<void> {
  await caller.failToLogIn(scene.invent('a mistyped password'));
  const code = await caller.codeFor();
  await caller.redeem(code, { secret: scene.invent('a wrong secret') });
  await caller.misplace(code, scene.invent('a secret in the wrong place'));
  const first = await caller.tokensFor(code);
  const second = await caller.refresh(first);
  assert.deepEqual(unsigned(await caller.refresh(first)), unsigned(second));
  await caller.present(second.access);
  const third = await caller.refresh(second);
  // Reuse, and a code replayed: families die, and with them nothing comes to light.
  assert.equal(await caller.refusal(first), 400);
  const replayed = await caller.codeFor();
  await caller.tokensFor(replayed);
  await caller.redeem(replayed);
  await caller.present(third.access);
  await caller.askOwnTokens();
}

/** What cannot be answered is logged, by who asked it: nothing of what was asked with. */
async function failUnderLock(scene: Scene, callers: readonly Caller[]): Promise<void> {
  const ready = await Promise.all(
    callers.map(async (caller) => ({ caller, code: await caller.codeFor() })),
  );
  const busy = lookInto(join(scene.folder, 'data/jetway.db'));
  busy.exec('BEGIN IMMEDIATE');
  try {
    const answers = ready.flatMap(({ caller, code }) => [caller.redeem(code), caller.askLogin()]);
    for (const { status } of await Promise.all(answers)) assert.ok(status >= 500, String(status));
  } finally {
    busy.exec('ROLLBACK');
    busy.close();
  }
  await Promise.all(ready.map(({ caller, code }) => caller.tokensFor(code)));
}

/** Everything an operator does to what there is. */
async function operate(scene: Scene, callers: ReadonlyMap<Dialect, Caller>): Promise<void> {
  const [first] = callers.values();
  assert.ok(first);
  const of = [first.id, '--programme', first.dialect.programme];
  await scene.make([
    ['client', 'rotate-secret', ...of],
    ['client', 'rotate-api-key', ...of],
  ]);
  await scene.give(
    ['client', 'rotate-secret', ...of, '--overlap', '0s', '--secret-stdin'],
    scene.invent('a given secret'),
  );
  await scene.runEach([
    ['client', 'show', ...of, '--json'],
    ['client', 'retire-secret', ...of],
    ['client', 'set', ...of, '--name', 'Bluer'],
    ['client', 'list', '--json'],
    ['client', 'disable', ...of],
    ['client', 'enable', ...of],
    ['member', 'list', '--json'],
    ['key', 'rotate'],
    ['key', 'list', '--json'],
    ['key', 'retire'],
    ['check', '--json'],
    ['show', 'executive-club', '--json'],
    ['store', 'backup', join(scene.folder, 'backup.db')],
    ['store', 'verify', '--json'],
    ['token', 'revoke', '--client', first.id, '--programme', first.dialect.programme],
    ['client', 'remove', ...of, '--yes'],
  ]);
}

/** Lines of the log are events, each one line of JSON, whatever was sent. */
function expectEvents(stderr: string): readonly string[] {
  const lines = stderr.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const { time, level, event } = JSON.parse(line) as Record<string, unknown>;
    assert.ok(typeof time === 'string' && typeof level === 'string', line);
    assert.notEqual(event, 'forged');
    return String(event);
  });
}

/** The private halves of signing keys, and the token keys, of every programme. */
async function keepKeys(hoard: Hoard, folder: string): Promise<void> {
  const at = (name: string): string => join(folder, 'data', name);
  const { signingKeySeal, tokenKeySeal } = createKeyring(
    Buffer.from(readFileSync(at('master.key'), 'utf8'), 'base64url'),
  );
  const store = openFileStore({ path: at('jetway.db'), environment: 'staging' });
  for (const { programme } of dialects) {
    const id = programme as ProgrammeId;
    for (const { kid, sealedPrivateJwk } of await store.list('signing_key', id)) {
      const text = unseal(signingKeySeal, sealedPrivateJwk, `${programme} ${kid}`) ?? '{}';
      hoard.keep('a signing key', (JSON.parse(text) as { readonly d?: string }).d ?? '');
    }
    const identityKeys = await store.list('identity_key', id);
    assert.equal(identityKeys.length, programme === 'signed-club' ? 1 : 0);
    for (const { kid, sealedPrivateJwk } of identityKeys) {
      const text = unseal(signingKeySeal, sealedPrivateJwk, `identity_key ${programme} ${kid}`);
      hoard.keep('a key of identity tokens', (JSON.parse(text ?? '{}') as { d?: string }).d ?? '');
    }
    for (const { kid, createdAt, sealedKey } of await store.list('token_key', id)) {
      const key = unseal(tokenKeySeal, sealedKey, `${programme} ${kid} ${createdAt}`);
      hoard.keep('a token key', key);
    }
  }
  await store.close();
}

async function readAdmin({ admin }: ServerProcess): Promise<string> {
  const pages = ['/livez', '/readyz', '/metrics'].map((path) => ask(admin, path));
  return (await Promise.all(pages)).map(({ body }) => body).join('\n');
}

test('HOSTILE 53: no secret that was used is in the store, its folder, the log or what is printed', async (t) => {
  const scene = new Scene(t);
  const callers = await onboard(scene);
  const server = await startServer(t, scene.folder);
  for (const caller of callers.values()) caller.server = server.url;
  await Promise.all([...callers.values()].map((caller) => live(scene, caller)));
  await Promise.all([...callers.values()].map((caller) => caller.forgeLines()));
  await failUnderLock(scene, [...callers.values()]);
  const admin = await readAdmin(server);
  await keepKeys(scene.hoard, scene.folder);
  await operate(scene, callers);

  const search = (when: string): void => {
    const { stdout, stderr } = server.printed();
    const places = new Map<string, Uint8Array>([
      // The reserve is random bytes from first to last, and eight million of them.
      ...filesOf(scene.folder, ['master.key', 'jetway.db-reserve']),
      ['standard output', Buffer.from(stdout)],
      ['the log', Buffer.from(stderr)],
      ['the admin pages', Buffer.from(admin)],
      ...[...scene.printed].map(([name, text]) => [name, Buffer.from(text)] as const),
    ]);
    assert.deepEqual(scene.hoard.findIn(places), [], when);
    // What is no secret is found there, so the search has read what it should.
    const known = new Hoard();
    known.keep('the callback', callback);
    const found = known.findIn(places).filter((one) => one.endsWith(', as it is'));
    for (const place of ['data/jetway.db', 'data/audit.jsonl', 'backup.db', 'jetway client list']) {
      assert.ok(
        found.some((one) => one.startsWith(`the callback in ${place}`)),
        place,
      );
    }
  };
  const names = [...filesOf(scene.folder).keys()];
  for (const name of ['jetway.db', 'jetway.db-wal', 'jetway.db-shm']) {
    assert.ok(names.includes(`data/${name}`), names.join(', '));
  }
  assert.ok(names.includes('backup.db'));
  search('while it runs');
  assert.equal(await server.end('SIGTERM'), 0);
  await scene.run(['store', 'restore', join(scene.folder, 'backup.db'), '--yes']);
  search('after its end and a restore');
  const events = expectEvents(server.printed().stderr);
  for (const event of ['unavailable', 'request', 'login']) {
    assert.ok(events.includes(event), events.join(', '));
  }
  t.diagnostic(`${scene.hoard.size} secrets, ${events.length} events`);
});
