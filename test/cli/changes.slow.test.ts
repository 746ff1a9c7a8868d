// FAULTS 38: what a change ends that comes between the steps of a login. The table is that of
// docs/changes.md; each cell is tried at a running server, in a programme of its own.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { openLogin, type OpenLogin, submitLogin } from '../support/login.ts';
import { type Answer, ask, post } from '../support/wire.ts';
import { type Row, rows } from './changes_table.ts';
import { jetway, jetwayJson, programmeText, root, workFolder } from './command.ts';
import { serve } from './server.ts';

const formats = ['opaque', 'jwt'] as const;
type Format = (typeof formats)[number];

interface Tried {
  readonly row: Row;
  readonly format: Format;
  readonly name: string;
}

const tried: readonly Tried[] = rows.flatMap((row, index) =>
  formats.map((format) => ({ row, format, name: `${format}${String.fromCodePoint(97 + index)}` })),
);

function textOf({ row, format, name }: Tried, changed: boolean): string {
  const over = changed ? (row.file ?? '') : '';
  const other = format === 'jwt' ? 'opaque' : 'jwt';
  const now = over === 'FORMAT' ? other : format;
  const more = over === 'FORMAT' ? '' : over;
  const access = `tokens: { access: { format: ${now} } }\n`;
  const merged = more.startsWith('tokens: { access: {')
    ? more.replace('access: {', `access: { format: ${now},`)
    : access + more;
  // On a busy machine a cell takes longer than a code is good for.
  return programmeText(name, `code: { lifetime: 10m }\n${merged}`);
}

const password = 'correct horse battery staple';
const clientId = 'partnerapi-00001';

/** What was begun before the change. */
interface Begun {
  readonly tried: Tried;
  readonly basic: string;
  readonly subject: string;
  readonly page: OpenLogin;
  readonly code: string;
  readonly refreshToken: string;
  readonly accessToken: string;
}

const codeIn = (answer: Answer): string =>
  URL.parse(answer.headers['location'] ?? '')?.searchParams.get('code') ?? '';

describe('FAULTS 38: what a change between two steps of a login ends', () => {
  test('each cell of the table', async (t) => {
    const folder = workFolder(
      t,
      Object.fromEntries(tried.map((one) => [`programmes/${one.name}.yaml`, textOf(one, false)])),
    );
    const url = await serve(t, folder);
    const grant = (one: Pick<Begun, 'tried' | 'basic'>, fields: Readonly<Record<string, string>>) =>
      post(url, `/${one.tried.name}/api/grant`, fields, { authorization: one.basic });
    const loginOf = (name: string) =>
      openLogin(url, `/${name}/auth/login?client_id=${clientId}&response_type=code`);
    const member = { username: 'ann', password };

    const begin = async (one: Tried): Promise<Begun> => {
      const at = ['--programme', one.name];
      const client = `client add --name Blue --client-id ${clientId} --role member partner --redirect-uri https://blue.example/cb`;
      const added = (await jetwayJson(folder, [...client.split(' '), ...at])) as Added;
      const add = ['member', 'add', '--username', 'ann', '--password-stdin', ...at];
      const { subject } = (await jetwayJson(folder, add, password)) as { subject: string };
      const secret = `${clientId}:${added.client_secret}`;
      const basic = `Basic ${Buffer.from(secret).toString('base64')}`;
      const codes: string[] = [];
      for (let login = 0; login < 2; login += 1) {
        codes.push(codeIn(await submitLogin(url, await loginOf(one.name), member)));
      }
      const [first = '', code = ''] = codes;
      const fields = { grant_type: 'authorization_code', code: first };
      const { status, body } = await grant({ tried: one, basic }, fields);
      assert.equal(status, 200, body);
      const tokens = JSON.parse(body) as Readonly<Record<'refresh_token' | 'access_token', string>>;
      const { refresh_token: refreshToken, access_token: accessToken } = tokens;
      const page = await loginOf(one.name);
      return { tried: one, basic, subject, page, code, refreshToken, accessToken };
    };

    const change = async ({ tried: { row, name, format }, subject }: Begun): Promise<void> => {
      const keys = (await jetwayJson(folder, [
        'key',
        'list',
        '--programme',
        name,
      ])) as readonly Key[];
      const kind = format === 'jwt' ? 'signing' : 'token';
      const values = {
        ID: clientId,
        SUBJECT: subject,
        KID: keys.find((key) => key.kind === kind)?.kid ?? '',
      };
      for (const line of row.commands ?? []) {
        const words = line
          .split(' ')
          .map((word) =>
            Object.hasOwn(values, word) ? values[word as keyof typeof values] : word,
          );
        const at = words[0] === 'maintenance' ? [name] : ['--programme', name];
        const run = () => jetway(folder, [...words, ...at], 'another password for ann');
        let ran = await run();
        // A new key of opaque tokens signs once all servers have it.
        for (let tries = 0; words[1] === 'retire' && ran.code !== 0 && tries < 40; tries += 1) {
          await sleep(250);
          ran = await run();
        }
        assert.equal(ran.code, 0, `${line}: ${ran.stderr}`);
      }
    };

    const goesOn = async (one: Begun): Promise<readonly boolean[]> => {
      const page = await submitLogin(url, one.page, member);
      const code = await grant(one, { grant_type: 'authorization_code', code: one.code });
      const refreshed = await grant(one, {
        grant_type: 'refresh_token',
        refresh_token: one.refreshToken,
      });
      const authorization = `Bearer ${one.accessToken}`;
      const verified = await ask(url, `/${one.tried.name}/verify/member`, {
        headers: { authorization },
      });
      // What ends is told so, and never as a fault of the server; in maintenance it is told as that.
      const fine = one.tried.row.name.includes('maintenance')
        ? [200, 302, 503]
        : [200, 302, 400, 401];
      for (const { status, body } of [page, code, refreshed, verified]) {
        assert.ok(fine.includes(status), `${one.tried.row.name}: ${status} ${body}`);
      }
      return [
        codeIn(page) !== '',
        ...[code, refreshed, verified].map(({ status }) => status === 200),
      ];
    };

    const begun = await someAtOnce(tried, begin);
    await someAtOnce(begun, change);
    for (const one of tried.filter(({ row }) => row.file !== undefined)) {
      writeFileSync(join(folder, `programmes/${one.name}.yaml`), textOf(one, true));
    }
    const reloaded = await jetway(folder, ['reload']);
    assert.equal(reloaded.code, 0, reloaded.stdout + reloaded.stderr);
    const found = await someAtOnce(begun, goesOn);
    const told = (row: Row, format: Format): readonly boolean[] => {
      const [page, code, refresh, opaque, jwt] = row.goesOn;
      return [page, code, refresh, format === 'opaque' ? opaque : jwt];
    };
    const table = (cells: (index: number, one: Tried) => readonly boolean[]) =>
      Object.fromEntries(
        tried.map((one, index) => [`${one.row.name}, ${one.format}`, cells(index, one).join(' ')]),
      );
    assert.deepEqual(
      table((index) => found[index] ?? []),
      table((_, { row, format }) => told(row, format)),
    );
  });

  test('the page has the table', () => {
    const page = readFileSync(join(root, 'docs/changes.md'), 'utf8');
    const lines = rows.map(({ name, goesOn }) => {
      const cells = goesOn.map((goes) => (goes ? 'goes on' : 'ends'));
      return `| ${[name, ...cells].join(' | ')} |`;
    });
    const found = page.split('\n').filter((line) => /^\| (?!change |---)/.test(line));
    assert.deepEqual(found, lines.slice(1));
  });
});

/** In order, a few at a time: each command is a process. */
async function someAtOnce<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += 3) {
    results.push(...(await Promise.all(items.slice(from, from + 3).map(work))));
  }
  return results;
}

interface Key {
  readonly kid: string;
  readonly kind: string;
}

interface Added {
  readonly client_secret: string;
}
