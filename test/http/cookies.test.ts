// HOSTILE 67: which cookies of a login a browser is given, and which are taken back.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { loginTarget, openClub, paths } from '../support/club.ts';
import { openLogin } from '../support/login.ts';
import { readPage } from '../support/page.ts';
import { ask } from '../support/wire.ts';

test('HOSTILE 67: a browser that opens logins without end keeps the cookies of the last ones', async (t) => {
  for (const publicUrl of ['https://tokens.example', 'http://tokens.example']) {
    const club = await openClub(t, { publicUrl });
    const others = 'session=1; __Host-jetway_device_executive-club=x; jetway_login=x';
    const jar: string[] = [];
    let taken = '';
    while (taken === '' && jar.length < 30) {
      const { begin, cookie } = await openLogin(club.url, loginTarget(club.client));
      jar.push(cookie);
      const headers = { cookie: [others, ...jar].join('; ') };
      const { pathname, search } = new URL(begin.headers['location'] ?? '');
      const page = await ask(club.url, pathname + search, { headers });
      const { 'set-cookie': set = '', ...usual } = page.headers;
      assert.equal(readPage({ ...page, headers: usual }).title, 'Log in to Executive Club');
      taken = set;
    }
    assert.equal(jar.length, 17);
    const [name = ''] = jar[0]?.split('=') ?? [];
    const [prefix, where] = publicUrl.startsWith('https:')
      ? ['__Host-', 'Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure']
      : ['', `Path=${paths.page}; Max-Age=0; HttpOnly; SameSite=Lax`];
    assert.ok(name.startsWith(`${prefix}jetway_login_`), name);
    assert.equal(taken, `${name}=; ${where}`);
  }
});
