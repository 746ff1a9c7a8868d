// Owns the proof that members can log in with a real browser: from the partner's page through the
// login page and back, with what people do to logins, and what strangers try with them.

import assert from 'node:assert/strict';
import { after, before, describe, test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';

import type { Browser, BrowserContext, Page } from 'playwright-core';

import { createMemoryStore } from '../../src/store/memory.ts';
import {
  complaintsOf,
  launchBrowser,
  type PartnerSite,
  startPartnerSite,
} from '../support/browser.ts';
import { type Jetway, startJetway, type TestClient, type TestMember } from '../support/jetway.ts';
import { type Answer, ask, post } from '../support/wire.ts';

let browser: Browser;
before(async () => {
  browser = await launchBrowser();
});
after(() => browser?.close());

interface Scene {
  readonly jetway: Jetway;
  readonly partner: PartnerSite;
  readonly client: TestClient;
  readonly member: TestMember;
  readonly newContext: (options?: ContextOptions) => Promise<BrowserContext>;
  /** A page of a new browser, at the login form. */
  readonly openLogin: (context?: BrowserContext) => Promise<Page>;
}

type ContextOptions = Parameters<Browser['newContext']>[0];

/** Jetway, a partner's website that links to its login, and a member. */
async function setScene(t: TestContext, store = createMemoryStore()): Promise<Scene> {
  const contexts: BrowserContext[] = [];
  // Registered first, runs first: a server waits for the connections that browsers hold.
  t.after(() => Promise.all(contexts.map((context) => context.close())));
  const newContext = async (options: ContextOptions = {}): Promise<BrowserContext> => {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(5000);
    contexts.push(context);
    return context;
  };
  const partner = await startPartnerSite(t);
  const jetway = await startJetway(t, { publicUrl: 'listening', store });
  const client = await jetway.addClient({ redirectUris: [partner.callbackUrl] });
  const member = await jetway.addMember();
  const login = new URL(`${jetway.url}/executive-club/auth/login?response_type=code`);
  login.searchParams.set('client_id', client.id);
  partner.linkTo(login);
  const openLogin = async (context?: BrowserContext): Promise<Page> => {
    const page = await (context ?? (await newContext())).newPage();
    await page.goto(partner.url);
    await page.getByRole('link').click();
    return page;
  };
  return { jetway, partner, client, member, newContext, openLogin };
}

async function fillIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(password);
}

async function submit(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Log in' }).click();
}

/** Logs in on a page that shows the form; the callback's address. */
async function logIn(page: Page, { partner, member }: Scene): Promise<URL> {
  await fillIn(page, member.username, member.password);
  await submit(page);
  await page.waitForURL(`${partner.callbackUrl}?**`);
  return new URL(page.url());
}

function redeem({ jetway, client }: Scene, callback: URL): Promise<Answer> {
  const code = callback.searchParams.get('code') ?? '';
  return post(
    jetway.url,
    '/executive-club/api/grant',
    { grant_type: 'authorization_code', code },
    { authorization: client.basic },
  );
}

async function assertRedeems(scene: Scene, callback: URL): Promise<void> {
  const { status, body } = await redeem(scene, callback);
  assert.equal(status, 200, body);
  assert.equal((JSON.parse(body) as Record<string, unknown>)['token_type'], 'bearer');
}

/** A page without a form, of this title. */
async function assertMessagePage(page: Page, title: string): Promise<void> {
  assert.equal(await page.title(), title);
  assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), title);
  assert.equal(await page.locator('form').count(), 0);
}

const mistyped = 'The username or password was not recognised. Please try again.';

describe('a login with a real browser', { timeout: 40_000 }, () => {
  for (const javaScriptEnabled of [true, false]) {
    const scripts = javaScriptEnabled ? 'with' : 'without';
    test(`G-3 G-4 G-8: ${scripts} JavaScript, by way of a wrong password`, async (t) => {
      const scene = await setScene(t);
      const context = await scene.newContext({ javaScriptEnabled });
      const page = await scene.openLogin(context);
      const complaints = complaintsOf(page);
      assert.equal(await page.title(), 'Log in to Executive Club');

      await fillIn(page, scene.member.username, 'wrong');
      await submit(page);
      assert.equal((await page.getByRole('alert').innerText()).trim(), mistyped);
      assert.equal(await page.getByLabel('Username').inputValue(), scene.member.username);
      assert.equal(await page.getByLabel('Password').inputValue(), '');
      assert.equal(scene.partner.callbacks.length, 0);

      const callback = await logIn(page, scene);
      assert.deepEqual([...callback.searchParams.keys()], ['code', 'state']);
      assert.match(callback.searchParams.get('code') ?? '', /^[0-9a-f]{64}$/);
      assert.equal(callback.searchParams.get('state'), 'visit-1');
      assert.deepEqual(scene.partner.callbacks, [callback]);
      assert.deepEqual(complaints, []);
      await assertRedeems(scene, callback);
    });
  }

  test('P-13: what is left blank is named, and the keyboard alone is enough', async (t) => {
    const scene = await setScene(t);
    const page = await scene.openLogin();
    await submit(page);
    assert.equal(
      (await page.getByRole('alert').innerText()).trim().replaceAll(/\n+/g, ' '),
      'Please enter your username. Please enter your password.',
    );
    for (const field of ['Username', 'Password']) {
      assert.equal(await page.getByLabel(field).getAttribute('aria-describedby'), 'alert');
    }
    await page.keyboard.press('Tab');
    await page.keyboard.type(scene.member.username);
    await page.keyboard.press('Tab');
    await page.keyboard.type(scene.member.password);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${scene.partner.callbackUrl}?**`);
    await assertRedeems(scene, new URL(page.url()));
  });

  test('HOSTILE 10: the policy holds, and a breach of it would be seen here', async (t) => {
    const scene = await setScene(t);
    const page = await scene.openLogin();
    const complaints = complaintsOf(page);
    await page.reload();
    assert.deepEqual(complaints, []);
    // The style is applied, so its hash in the policy is right.
    const button = page.getByRole('button');
    assert.equal(await button.evaluate('(element) => getComputedStyle(element).cursor'), 'pointer');
    const complaint = page.waitForEvent('console');
    await page.evaluate(`document.body.append(Object.assign(new Image(), { src: '/pixel.png' }))`);
    await complaint;
    assert.match(complaints.join('\n'), /violates the following Content Security Policy directive/);
  });

  test('HOSTILE 12: a username with markup in it stands in the field as text', async (t) => {
    const scene = await setScene(t);
    const page = await scene.openLogin();
    const complaints = complaintsOf(page);
    const username = `"><script>document.title='gone'</script>&amp;'`;
    await fillIn(page, username, 'wrong');
    await submit(page);
    await page.getByRole('alert').waitFor();
    assert.equal(await page.getByLabel('Username').inputValue(), username);
    assert.equal(await page.locator('script').count(), 0);
    assert.deepEqual(complaints, []);
  });

  test('HOSTILE 15: Back and again, before the code is spent: the second code is the one', async (t) => {
    const scene = await setScene(t);
    const page = await scene.openLogin();
    const first = await logIn(page, scene);
    await page.goBack();
    const second = await logIn(page, scene);
    assert.equal(second.searchParams.get('state'), first.searchParams.get('state'));
    const { status, body } = await redeem(scene, first);
    assert.deepEqual([status, body], [400, '{"error":"invalid_grant"}']);
    await assertRedeems(scene, second);
  });

  test('HOSTILE 15: Back and again, after the code is spent: a page tells that it is over', async (t) => {
    const scene = await setScene(t);
    const page = await scene.openLogin();
    await assertRedeems(scene, await logIn(page, scene));
    await page.goBack();
    await fillIn(page, scene.member.username, scene.member.password);
    await submit(page);
    await assertMessagePage(page, 'This login has expired');
    assert.equal(scene.partner.callbacks.length, 1);
    // And from the partner's page it can begin anew.
    await page.goto(scene.partner.url);
    await page.getByRole('link').click();
    await assertRedeems(scene, await logIn(page, scene));
  });

  test('HOSTILE 15: a double submit ends in one code that redeems', async (t) => {
    const store = createMemoryStore();
    const scene = await setScene(t, store);
    // The first attempt is under way still when the second is sent.
    const slow = Promise.withResolvers<undefined>();
    const findMember = store.findMember.bind(store);
    const lookups = t.mock.method(
      store,
      'findMember',
      async (...given: Parameters<typeof findMember>) => {
        if (lookups.mock.callCount() === 0) await slow.promise;
        return findMember(...given);
      },
    );
    const page = await scene.openLogin();
    const posts = requestsOf(page, 'POST');
    await fillIn(page, scene.member.username, scene.member.password);
    const box = await page.getByRole('button').boundingBox();
    assert.ok(box !== null);
    // A locator would wait for the navigation that the first click began.
    await page.mouse.click(box.x + 5, box.y + 5);
    while (lookups.mock.callCount() === 0) await setTimeout(10);
    await page.mouse.click(box.x + 5, box.y + 5);
    await page.waitForURL(`${scene.partner.callbackUrl}?**`);
    console.log(posts, lookups.mock.callCount());
    slow.resolve(undefined);
    await setTimeout(300);
    const r = await redeem(scene, new URL(page.url()));
    console.log(r.status, r.body, scene.partner.callbacks.length);
  });

  test('two tabs: both logins finish, in any order', async (t) => {
    const scene = await setScene(t);
    const context = await scene.newContext();
    const first = await scene.openLogin(context);
    const second = await scene.openLogin(context);
    const later = await logIn(second, scene);
    const earlier = await logIn(first, scene);
    assert.equal(earlier.searchParams.get('state'), 'visit-1');
    assert.equal(later.searchParams.get('state'), 'visit-2');
    await assertRedeems(scene, earlier);
    await assertRedeems(scene, later);
  });

  test('HOSTILE 14: a login page opened in another browser shows no form', async (t) => {
    const scene = await setScene(t);
    const stranger = await scene.openLogin();
    const victim = await (await scene.newContext()).newPage();
    const answer = await victim.goto(stranger.url());
    assert.equal(answer?.status(), 400);
    await assertMessagePage(victim, 'This login cannot go on here');
  });

  test('HOSTILE 14: a planted cookie binds nothing: a login gets a fresh one', async (t) => {
    const scene = await setScene(t);
    const strangers = await scene.newContext();
    const stranger = await scene.openLogin(strangers);
    const planted = await strangers.cookies();
    const context = await scene.newContext();
    await context.addCookies(planted);
    const victim = await scene.openLogin(context);
    const own = (await context.cookies()).filter(({ name }) => name !== planted[0]?.name);
    assert.equal(own.length, 1);
    assert.notEqual(own[0]?.value, planted[0]?.value);
    const callback = await logIn(victim, scene);
    assert.equal(callback.searchParams.get('state'), 'visit-2');
    assert.deepEqual(scene.partner.callbacks, [callback]);
    // The stranger's login is where it was.
    await stranger.reload();
    assert.equal(await stranger.title(), 'Log in to Executive Club');
    await assertRedeems(scene, callback);
  });

  test('HOSTILE 14: a value planted under the name of the own cookie stops the login', async (t) => {
    const scene = await setScene(t);
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

  test('a browser without cookies is told so on one page, and goes in no circle', async (t) => {
    const scene = await setScene(t);
    const context = await scene.newContext();
    await context.route('**/auth/login?*', async (route) => {
      const { pathname, search } = new URL(route.request().url());
      const { status, headers } = await ask(scene.jetway.url, pathname + search);
      const { 'set-cookie': _, ...others } = headers;
      await route.fulfill({ status, headers: others });
    });
    const page = await scene.openLogin(context);
    await assertMessagePage(page, 'This login cannot go on here');
    assert.match(await page.locator('main').innerText(), /allow cookies for this site/);
    assert.deepEqual(await context.cookies(), []);
  });

  test('G-6 G-7: requests that name no known partner or address end on a page', async (t) => {
    const scene = await setScene(t);
    const page = await (await scene.newContext()).newPage();
    const complaints = complaintsOf(page);
    const login = `${scene.jetway.url}/executive-club/auth/login?response_type=code`;
    const cases = [
      [`&client_id=${scene.client.id}&redirect_uri=https://attacker.example/`, 'Security Issue'],
      ['&client_id=parnterapi-12345', 'Bad Request'],
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

function requestsOf(page: Page, method: string): readonly string[] {
  const urls: string[] = [];
  page.on('request', (request) => {
    if (request.method() === method) urls.push(request.url());
  });
  return urls;
}
