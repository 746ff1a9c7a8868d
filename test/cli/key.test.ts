// Owns the promises of `key list`, `rotate` and `retire`, which a running server follows; what they
// plan is tested in test/token/key_steps.test.ts.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { until } from '../support/until.ts';
import { ask } from '../support/wire.ts';
import { jetway, jetwayEach, jetwayJson, programmeText, workFolder } from './command.ts';
import { askClientTokens, serve, signingProgramme } from './server.ts';

const files = {
  'programmes/club.yaml': signingProgramme,
  'programmes/plain.yaml': programmeText('Plain'),
};

interface Key {
  readonly programme: string;
  readonly kid: string;
  readonly algorithm: string;
  readonly status: string;
  readonly signs_from: string | null;
  readonly retires_at: string | null;
}

async function keysOf(folder: string): Promise<readonly Key[]> {
  return (await jetwayJson(folder, ['key', 'list', '--kind', 'signing'])) as readonly Key[];
}

function seconds(from: string | null | undefined, to: string | null | undefined): number {
  return (Date.parse(to ?? '') - Date.parse(from ?? '')) / 1000;
}

describe('key', { concurrency: 2 }, () => {
  test('rotate publishes at once and signs later; --now signs at once; a removed key is gone', async (t) => {
    const folder = workFolder(t, files);
    const added = (await jetwayJson(
      folder,
      'client add --programme club --name A --role partner'.split(' '),
    )) as { client_id: string; client_secret: string };
    const url = await serve(t, folder);
    const published = async (): Promise<readonly string[]> => {
      const { body } = await ask(url, '/club/.well-known/jwks.json');
      return (JSON.parse(body) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
    };
    const signer = async (): Promise<string> => {
      const { body } = await askClientTokens(url, added.client_id, added.client_secret);
      const [head = ''] = (JSON.parse(body) as { access_token: string }).access_token.split('.');
      return (JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string }).kid;
    };
    const [first] = await keysOf(folder);
    assert.ok(first);
    assert.deepEqual([first.status, await signer()], ['signing', first.kid]);

    const [rotated, again, listed] = await jetwayEach(folder, [
      ['key', 'rotate', '--kind', 'signing', '--json'],
      ['key', 'rotate', '--kind', 'signing'],
      ['key', 'list', '--kind', 'signing', '--json'],
    ]);
    const [plan] = JSON.parse(rotated.stdout) as [{ kid: string; signs_from: string }];
    const [old, fresh] = JSON.parse(listed.stdout) as readonly Key[];
    assert.ok(old && fresh);
    assert.deepEqual(
      [fresh.kid, fresh.status, fresh.signs_from],
      [plan.kid, 'waiting', plan.signs_from],
    );
    assert.deepEqual([old.kid, old.status, old.retires_at], [first.kid, 'signing', null]);
    assert.deepEqual(JSON.parse(rotated.stdout), [
      {
        programme: 'club',
        kind: 'signing',
        kid: fresh.kid,
        algorithm: 'ES256',
        changed: true,
        signs_from: plan.signs_from,
        retiring: [
          {
            kid: old.kid,
            retires_at: new Date(Date.parse(plan.signs_from) + 1_800_000)
              .toISOString()
              .replace('.000', ''),
          },
        ],
      },
    ]);
    assert.deepEqual(again, {
      code: 0,
      stdout: `club: the ES256 key ${fresh.kid} waits already and signs from ${plan.signs_from}; nothing is changed\n`,
      stderr: '',
    });
    await until(async () => (await published()).includes(fresh.kid));
    assert.equal(await signer(), first.kid);

    assert.equal((await jetway(folder, ['key', 'rotate', '--now', '--kind', 'signing'])).code, 0);
    await until(async () => (await signer()) === fresh.kid);
    assert.deepEqual(await published(), [first.kid, fresh.kid]);

    const [due, early, unknown, signing, forced, only] = await jetwayEach(folder, [
      ['key', 'retire'],
      ['key', 'retire', '--kid', first.kid],
      ['key', 'retire', '--kid', 'nothing', '--force'],
      ['key', 'retire', '--kid', fresh.kid, '--force'],
      ['key', 'retire', '--kid', first.kid, '--force', '--json'],
      ['key', 'retire', '--kid', fresh.kid, '--force'],
    ]);
    assert.match(
      due.stdout,
      new RegExp(
        `^club: the ES256 key ${first.kid} may go from \\S+Z, when its last token has expired\\n$`,
      ),
    );
    assert.equal(early.code, 1);
    assert.match(early.stderr, /may go from \S+Z: --force removes it all the same/);
    assert.deepEqual(
      [unknown.code, unknown.stderr],
      [1, 'there is no key "nothing": key list names them\n'],
    );
    assert.deepEqual(
      [signing.code, signing.stderr],
      [
        1,
        `club: the ES256 key ${fresh.kid} signs, and none waits to follow it: make another sign first with key rotate --now\n`,
      ],
    );
    assert.deepEqual(JSON.parse(forced.stdout), {
      removed: [{ programme: 'club', kid: first.kid }],
      kept: [],
    });
    assert.equal(only.code, 1);
    assert.match(only.stderr, /is the only one there is: make another sign first/);
    await until(async () => (await published()).length === 1);
    assert.equal(await signer(), fresh.kid);
  });

  test('retire names the day on which rotate lets the key go, if nothing is to be retired', async (t) => {
    const folder = workFolder(t, {
      'programmes/club.yaml': programmeText(
        'Club',
        'tokens:\n  access: { format: jwt }\n  refresh: { format: jwt, longest: 180d }\n',
      ),
    });
    const signing = ['--kind', 'signing'];
    const [, before, rotated, after] = await jetwayEach(folder, [
      ['key', 'rotate', ...signing],
      ['key', 'retire', ...signing],
      ['key', 'rotate', ...signing, '--json'],
      ['key', 'retire', ...signing],
    ]);
    const [{ retiring }] = JSON.parse(rotated.stdout) as [{ retiring: { retires_at: string }[] }];
    const [day = ''] = retiring.map(({ retires_at }) => retires_at);
    assert.ok(Math.abs(seconds(new Date().toISOString(), day) - 180 * 86_400 - 600) < 60);
    const named = (text: string): string | undefined => /may go from (\S+Z)\n$/.exec(text)?.[1];
    assert.equal(named(after.stdout), day);
    assert.ok(Math.abs(seconds(named(before.stdout), day)) < 60, before.stdout);
  });

  test('list shows when each signs and may go, of every programme', async (t) => {
    const folder = workFolder(t, files);
    const [none, first, , listed, named] = await jetwayEach(folder, [
      ['key', 'list'],
      ['key', 'rotate'],
      ['key', 'rotate', '--wait', '1h'],
      ['key', 'list'],
      ['key', 'rotate', '--programme', 'plain', '--kind', 'signing'],
    ]);
    assert.deepEqual(none, {
      code: 0,
      stdout: '',
      stderr: 'there are no keys; serve makes the first ones\n',
    });
    assert.match(
      first.stdout,
      /^club: the ES256 key \S+ is published and signs from \S+Z\nclub: the token key 0 is made .*\nplain: the token key 0 is made .*\n$/,
    );
    const kid = '[\\w-]{43}';
    const time = '\\d{4}-\\S+Z';
    const lines = [
      'PROGRAMME +KIND +KEY +ALGORITHM +STATUS +SIGNS FROM +RETIRES AT',
      `club +signing +${kid} +ES256 +signing +${time} +-`,
      `club +signing +${kid} +ES256 +waiting +${time} +-`,
      ...['club', 'plain'].flatMap((name) => [
        `${name} +token +0 +- +signing +${time} +-`,
        `${name} +token +1 +- +waiting +${time} +-`,
      ]),
    ];
    assert.match(listed.stdout, new RegExp(`^${lines.join('\n')}\n$`));
    assert.deepEqual(
      [named.code, named.stderr],
      [1, 'plain signs no tokens: they are opaque (tokens.access.format)\n'],
    );
    const [signing, waiting] = await keysOf(folder);
    assert.ok(Math.abs(seconds(signing?.signs_from, waiting?.signs_from) - 3600) < 60);
  });
});
