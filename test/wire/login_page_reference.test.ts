// Pages that end a login give a reference, by which operators find the request in their log.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { loginTarget, openClub, paths } from '../support/club.ts';
import { openLogin, submitLogin } from '../support/login.ts';
import { type Answer, ask } from '../support/wire.ts';

function referenceOn({ body }: Answer): string | undefined {
  return /<p class="reference">\s*If you ask for help, please quote this reference:\s*<strong translate="no">(.*?)<\/strong>/.exec(
    body,
  )?.[1];
}

test('every page that ends a login gives a reference of its own, the id of the request', async (t) => {
  const club = await openClub(t, { over: 'login: { address_limit: { limit: 1 } }' });
  const login = await openLogin(club.url, loginTarget(club.client, { state: 'secret' }));
  const wrong = { ...club.member, password: 'wrong' };
  const submit = (hidden: object, cookie = login.cookie): Promise<Answer> =>
    submitLogin(club.url, { ...login, cookie, hidden: { ...login.hidden, ...hidden } }, wrong);
  const ends: readonly (readonly [reason: string, answer: () => Promise<Answer>])[] = [
    ['unknown_client', () => ask(club.url, loginTarget({ id: 'x' }))],
    [
      'unregistered_redirect_uri',
      () => ask(club.url, loginTarget(club.client, { redirect_uri: 'x' })),
    ],
    ['expired', () => ask(club.url, paths.page)],
    ['damaged', () => ask(club.url, `${paths.page}?transaction=x`)],
    ['other_browser', () => submit({}, 'a=b')],
    ['forged', () => submit({ csrf: 'x' })],
    ['too_many_attempts', async () => ((await submit({})).status, submit({}))],
  ];
  const found = new Set<string>();
  for (const [reason, answer] of ends) {
    const reference = referenceOn(await answer()) ?? '';
    assert.match(reference, /^[0-9A-HJKMNP-TV-Z]{12}$/, reason);
    const { id, failure } = club.records.at(-1) ?? {};
    assert.deepEqual([id, failure?.reason], [reference, reason]);
    found.add(reference);
  }
  assert.equal(found.size, ends.length);
  // What a member can put right on the form is no end.
  assert.equal(referenceOn(login.page), undefined);
});
