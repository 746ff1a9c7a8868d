// Pages that end a login give a reference, by which operators find the event in their log.

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

test('every page that ends a login gives a reference of its own, which stands in the log beside the reason', async (t) => {
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
    // One line, and nothing in it of what was sent.
    const facts = { programme: 'executive-club', reason, reference };
    assert.deepEqual(club.events.splice(0), [{ event: 'login_stopped', facts }]);
    found.add(reference);
  }
  assert.equal(found.size, ends.length);
  // What a member can put right on the form is no end.
  assert.equal(referenceOn(login.page), undefined);
});

test('HOSTILE 59: an address that ends many logins has a line of the log for twenty a minute', async (t) => {
  const club = await openClub(t, { trustedProxies: ['127.0.0.1'] });
  const end = async (address: string): Promise<boolean> => {
    const answer = await ask(club.url, paths.page, { headers: { 'x-forwarded-for': address } });
    assert.equal(answer.status, 400);
    const { facts } = club.events.splice(0)[0] ?? {};
    if (facts === undefined) return false;
    assert.equal(referenceOn(answer), facts['reference']);
    return true;
  };
  const told: boolean[] = [];
  for (let count = 0; count < 22; count++) told.push(await end(`2001:db8::${count}`));
  assert.deepEqual(told, [...Array.from({ length: 20 }, () => true), false, false]);
  assert.equal(await end('192.0.2.1'), true);
  club.clock.advance(60);
  assert.equal(await end('2001:db8::1'), true);
});
