// Owns the promises of `client set`: what is changed, what stays, and what is refused (HOSTILE 7).

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { jetwayEach, workFolder } from '../command.ts';

const id = 'partnerapi-00001';
const callback = 'https://blue.example/cb';
const add = `client add --programme club --name Blue --client-id ${id} --role member
  --redirect-uri ${callback} --business-context Cars --partner-id Blue12345
  --property instance_url=https://eu.example/?a=b plan=gold
  --throttle-limit 5 --throttle-window 1m --json`.split(/\s+/);
const set = ['client', 'set', id];
const show = ['client', 'show', id, '--json'];

const whole = {
  client_id: id,
  programme: 'club',
  name: 'Blue',
  status: 'active',
  roles: ['member'],
  redirect_uris: [callback],
  business_context: 'Cars',
  partner_id: 'Blue12345',
  throttle: { limit: 5, window: '1m' },
  properties: { instance_url: 'https://eu.example/?a=b', plan: 'gold' },
  certificates: [],
  certificate_subject: null,
  client_type: 'confidential',
  jwks: null,
};

/** What `show` tells, without times, secrets and what only a server knows. */
function shownIn(stdout: string): unknown {
  const shown = JSON.parse(stdout) as Record<string, unknown>;
  for (const name of ['secrets', 'api_keys', 'api_key_shared_with', 'created_at'])
    delete shown[name];
  return shown;
}

describe('client set', { concurrency: 2 }, () => {
  test('changes what is named and leaves the rest', async (t) => {
    const other = 'https://red.example/cb';
    const steps = [
      ['--name Red', { name: 'Red' }],
      [`--add-redirect-uri ${other} ${callback}`, { redirect_uris: [callback, other] }],
      [`--remove-redirect-uri ${callback}`, { redirect_uris: [other] }],
      [
        `--remove-redirect-uri ${other} --add-redirect-uri ${callback}`,
        { redirect_uris: [callback] },
      ],
      [`--redirect-uri ${other} a.b:/cb`, { redirect_uris: [other, 'a.b:/cb'] }],
      ['--role partner member partner', { roles: ['partner', 'member'] }],
      ['--no-roles', { roles: [] }],
      [
        `--redirect-uri ${callback} --role member`,
        { redirect_uris: [callback], roles: ['member'] },
      ],
      ['--business-context Bikes --no-partner-id', { business_context: 'Bikes', partner_id: null }],
      [
        '--no-business-context --partner-id Red123456',
        { business_context: null, partner_id: 'Red123456' },
      ],
      ['--throttle-limit 9 --throttle-window 1h', { throttle: { limit: 9, window: '1h' } }],
      ['--no-throttle', { throttle: null }],
      ['--property plan= --programme club', undefined],
      [
        '--property plan=silver seat=4 --remove-property instance_url',
        { properties: { plan: 'silver', seat: '4' } },
      ],
    ] as const;
    const [added, ...runs] = await jetwayEach(workFolder(t), [
      add,
      ...steps.map(([options]) => [...set, ...options.split(' '), '--json']),
      show,
    ]);
    assert.deepEqual([added.code, added.stderr], [0, '']);
    let expected: object = whole;
    for (const [index, [options, change]] of steps.entries()) {
      const ran = runs[index];
      assert.equal(ran?.code, change === undefined ? 2 : 0, options);
      if (change === undefined) continue;
      expected = Object.assign({}, expected, change);
      assert.deepEqual(shownIn(ran?.stdout ?? ''), expected, options);
    }
    assert.deepEqual(shownIn(runs.at(-1)?.stdout ?? ''), expected);
  });

  test('refuses what add refuses, and what does not go together, changing nothing', async (t) => {
    const slips = [
      [
        '--redirect-uri javascript:alert(1)',
        /^--redirect-uri "javascript:alert\(1\)" has the scheme/,
      ],
      ['--add-redirect-uri http://blue.example/cb', /plain http to another machine/],
      ['--add-redirect-uri https://*.blue.example/', /wildcard/],
      ['--add-redirect-uri https://blue.example/#f', /fragment/],
      [
        '--add-redirect-uri https://a.example/ --remove-redirect-uri https://a.example/',
        /is to be added and to be removed/,
      ],
      [
        `--redirect-uri https://a.example/ --remove-redirect-uri ${callback}`,
        /^--redirect-uri replaces all/,
      ],
      [`--remove-redirect-uri ${callback}`, /^--role member needs a --redirect-uri/],
      ['--name \u00a0', /^--name must be/],
      ['--role admin', /Allowed choices are member, partner/],
      ['--role member --no-roles', /^--no-roles and --role do/],
      ['--business-context Cars2', /^--business-context must be/],
      ['--partner-id x', /^--partner-id must be/],
      ['--throttle-limit 5', /go together/],
      ['--no-throttle --throttle-limit 5 --throttle-window 1m', /^--no-throttle and/],
      ['--property plan', /^--property must be name=value, not "plan"/],
      ['--property 1=a', /^--property: the name must be a letter/],
      ['--property __proto__=a', /^--property: the name must be a letter/],
      ['--property a=b\nc', /^--property "a": the value must be/],
      ['--property a=b a=b', /^--property "a=b" is given twice/],
      ['--incomplete', /^nothing is to be changed/],
      ['', /^nothing is to be changed/],
    ] as const;
    const [, ...runs] = await jetwayEach(workFolder(t), [
      add,
      ...slips.map(([options]) => [...set, ...options.split(' ').filter(Boolean)]),
      show,
    ]);
    for (const [index, [options, message]] of slips.entries()) {
      const ran = runs[index];
      assert.deepEqual([ran?.code, ran?.stdout], [2, ''], options);
      assert.match(ran?.stderr ?? '', message);
    }
    assert.deepEqual(shownIn(runs.at(-1)?.stdout ?? ''), whole);
  });

  test('tells what it does not have, all of it, and changes nothing', async (t) => {
    const gone = ['--remove-redirect-uri', 'https://a.example/', '--remove-property', 'seat'];
    const [, ran, after] = await jetwayEach(workFolder(t), [
      add,
      [...set, '--name', 'Red', ...gone],
      show,
    ]);
    assert.deepEqual(ran, {
      code: 1,
      stdout: '',
      stderr: `${id} has no redirect URI "https://a.example/"\n${id} has no property "seat"\n`,
    });
    assert.deepEqual(shownIn(after.stdout), whole);
  });
});
