// Owns what strangers try with a login, and what a browser shows of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startTlsFront } from '../support/certificates.ts';
import { without } from '../support/tools.ts';
import { browserTests, complaintsOf, goOn } from './browser.ts';
import { assertMessagePage, assertRedeems, fillIn, logIn, setScene, submit } from './scene.ts';

browserTests('strangers', (browser) => {
  test('HOSTILE 10: the policy holds, and a breach of it would be seen here', async (t) => {
    const scene = await setScene(t, await browser());
    const context = await scene.newContext();
    const complaints = complaintsOf(context);
    const page = await scene.openLogin(context);
    assert.deepEqual(complaints, []);
    // The style is applied, so its hash in the policy is right.
    const cursor = await page.evaluate(
      `getComputedStyle(document.querySelector('[type=submit]')).cursor`,
    );
    assert.equal(cursor, 'pointer');
    const complaint = page.waitForEvent('console', {
      predicate: (message) => message.text().includes('Content Security Policy'),
    });
    const elsewhere = `${scene.partner.url}/pixel.png`;
    await page.evaluate(
      `document.body.append(Object.assign(new Image(), { src: '${elsewhere}' }))`,
    );
    await complaint;
    assert.match(complaints.join('\n'), /violates the following Content Security Policy directive/);
  });

  test('HOSTILE 10: no other site can frame the page, and none is told its address', async (t) => {
    const scene = await setScene(t, await browser());
    const context = await scene.newContext();
    const framing = await context.newPage();
    const complaint = framing.waitForEvent('console', {
      predicate: (message) => message.text().includes('frame-ancestors'),
    });
    await framing.goto(scene.partner.callbackUrl);
    await framing.evaluate(
      `document.body.append(Object.assign(document.createElement('iframe'), { src: '${scene.loginRequest}' }))`,
    );
    await complaint;
    const [, framed] = framing.frames();
    assert.equal(await framed?.locator('form').count(), 0);

    const told: (string | undefined)[] = [];
    await context.route('https://executive.example/**', async (route) => {
      told.push((await route.request().allHeaders())['referer']);
      // With an icon, so that the browser looks for none.
      const body = '<title>Website</title><link rel="icon" href="data:,">';
      await route.fulfill({ contentType: 'text/html', body });
    });
    const page = await scene.openFromPartner(context);
    for (const name of [
      'Forgotten your username or password?',
      'Go to the Executive Club website',
    ]) {
      await goOn(page, () => page.getByRole('link', { name }).click());
      assert.match(page.url(), /^https:\/\/executive\.example\//);
      await page.goBack();
    }
    assert.deepEqual(told, [undefined, undefined]);
    await logIn(page, scene);
    assert.deepEqual(scene.partner.referrers, []);
    assert.equal(await page.evaluate('document.referrer'), '');
  });

  test('HOSTILE 12: a username with markup in it stands in the field as text', async (t) => {
    const scene = await setScene(t, await browser());
    const context = await scene.newContext();
    const complaints = complaintsOf(context);
    const page = await scene.openLogin(context);
    const username = `"><script>document.title='gone'</script>&amp;'`;
    await fillIn(page, username, 'wrong');
    await submit(page);
    await page.getByRole('alert').waitFor();
    assert.equal(await page.getByLabel('Username').inputValue(), username);
    // The page's own, and no other.
    assert.equal(await page.locator('script').count(), 1);
    assert.deepEqual(complaints, []);
  });

  test('HOSTILE 14: a planted cookie binds nothing: a login gets a fresh one', async (t) => {
    const scene = await setScene(t, await browser());
    const strangers = await scene.newContext();
    const stranger = await scene.openFromPartner(strangers);
    const planted = await strangers.cookies();
    const context = await scene.newContext();
    await context.addCookies(planted);
    const victim = await scene.openFromPartner(context);
    const own = (await context.cookies()).filter(({ name }) => name !== planted[0]?.name);
    assert.equal(own.length, 1);
    assert.notEqual(own[0]?.value, planted[0]?.value);
    const callback = await logIn(victim, scene);
    assert.equal(callback.searchParams.get('state'), 'visit2');
    assert.deepEqual(scene.partner.callbacks, [callback]);
    // The stranger's login is where it was.
    await stranger.reload();
    assert.equal(await stranger.title(), 'Log in to Executive Club');
    await assertRedeems(scene, callback);
  });

  test('HOSTILE 14: a value planted under the name of the own cookie stops the login', async (t) => {
    const scene = await setScene(t, await browser());
    const strangers = await scene.newContext();
    await scene.openLogin(strangers);
    const [planted] = await strangers.cookies();
    const context = await scene.newContext();
    const victim = await scene.openLogin(context);
    const [own] = await context.cookies();
    assert.ok(own !== undefined && planted !== undefined);
    await context.addCookies([{ ...own, value: planted.value }]);
    await fillIn(victim, scene.member.username, scene.member.password);
    await submit(victim);
    await assertMessagePage(victim, 'This login cannot go on here');
    assert.equal(scene.partner.callbacks.length, 0);
  });

  const skip = without('openssl');
  test('HOSTILE 67: on https a neighbour of the domain plants no cookie', { skip }, async (t) => {
    const front = await startTlsFront(t);
    const publicUrl = `https://tokens.club.localhost:${front.port}`;
    const scene = await setScene(t, await browser(), { publicUrl });
    front.passTo(scene.jetway.url);
    const context = await scene.newContext({ ignoreHTTPSErrors: true });
    const victim = await scene.openFromPartner(context);
    const names = async (): Promise<readonly string[]> =>
      (await context.cookies(publicUrl)).map(({ name }) => name);
    const [own = ''] = await names();
    assert.match(own, /^__Host-jetway_login_/);
    const neighbour = await context.newPage();
    await neighbour.goto(`https://neighbour.club.localhost:${front.port}/nowhere`);
    for (const name of [own, 'any']) {
      for (const path of ['/', '/executive-club/login']) {
        const planted = `${name}=planted; Domain=club.localhost; Path=${path}; Secure`;
        await neighbour.evaluate(`document.cookie = '${planted}'`);
      }
    }
    assert.deepEqual((await names()).toSorted(), [own, 'any'].toSorted());
    const callback = await logIn(victim, scene);
    await assertRedeems(scene, callback);
    assert.ok((await names()).includes('__Host-jetway_device_executive-club'));
  });

  test('HOSTILE 14: a login page opened in another browser shows no form', async (t) => {
    const scene = await setScene(t, await browser());
    const stranger = await scene.openLogin();
    const victim = await (await scene.newContext()).newPage();
    const answer = await victim.goto(stranger.url());
    assert.equal(answer?.status(), 400);
    await assertMessagePage(victim, 'This login cannot go on here');
  });

  test('G-6 G-7: requests that name no known partner or address end on a page', async (t) => {
    const scene = await setScene(t, await browser());
    const context = await scene.newContext();
    const complaints = complaintsOf(context);
    const page = await context.newPage();
    const login = `${scene.jetway.url}/executive-club/auth/login?response_type=code`;
    const cases = [
      [`&client_id=${scene.client.id}&redirect_uri=https://attacker.example/`, 'Security Issue'],
      ['&client_id=parnterapi-12345', 'This login cannot start'],
    ] as const;
    for (const [query, title] of cases) {
      const answer = await page.goto(login + query);
      assert.equal(answer?.status(), 400);
      await assertMessagePage(page, title);
    }
    // Chromium itself notes a 400 in the console; of ours there is nothing.
    assert.deepEqual(
      [...new Set(complaints)].filter((one) => !one.includes('400 (Bad Request)')),
      [],
    );
  });
});
