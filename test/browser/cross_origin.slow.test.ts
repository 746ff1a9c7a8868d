// Owns the browser tests of an app whose pages call from an origin of their own: what they can read, and what
// they cannot (CORS, HOSTILE 11).

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';

import type { Browser, Page } from 'playwright-core';

import { digest } from '../../src/lib/digest.ts';
import { type Jetway, startJetway, type TestClient } from '../support/jetway.ts';
import { browserTests, type PartnerSite, patience, startPartnerSite } from './browser.ts';
import { fillIn, submit } from './scene.ts';

const dialect = readFileSync('test/dialects/browser-app.yaml', 'utf8');
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

/** What a script asks for beside an address. */
interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly credentials?: 'include';
}

interface App {
  readonly jetway: Jetway;
  readonly site: PartnerSite;
  readonly client: TestClient;
  readonly page: Page;
  /** Status and body, as a script of the page reads them; what it gets to see in place of them. */
  readonly call: (path: string, init?: Sent) => Promise<readonly [number, string] | string>;
}

/** An app's website, whose origin is registered for its client. */
async function openApp(t: TestContext, browser: Browser): Promise<App> {
  const context = await browser.newContext();
  t.after(() => context.close());
  context.setDefaultTimeout(patience);
  const site = await startPartnerSite(t);
  const programmes = { 'browser-app': dialect };
  const jetway = await startJetway(t, { programmes, publicUrl: 'listening' });
  const client = await jetway.addClient({
    id: 'spa-0001',
    redirectUris: [site.callbackUrl],
    more: { isPublic: true, secrets: [], origins: [site.url] },
  });
  const page = await context.newPage();
  await page.goto(site.url);
  return {
    jetway,
    site,
    client,
    page,
    call: (path, init) => callFrom(page, jetway.url + path, init),
  };
}

function callFrom(
  from: Pick<Page, 'evaluate'>,
  url: string,
  init: Sent = {},
): Promise<readonly [number, string] | string> {
  return from.evaluate(
    async ([address, options]) => {
      try {
        const answer = await fetch(address, options);
        return [answer.status, await answer.text()] as const;
      } catch (error) {
        return String(error);
      }
    },
    [url, init] as const,
  );
}

const form = (fields: Readonly<Record<string, string>>): Sent => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
});

/** What Chromium tells a script that may not read an answer. */
const unreadable = 'TypeError: Failed to fetch';

async function logIn({ jetway, site, client, page }: App): Promise<string> {
  const member = await jetway.addMember();
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.id,
    scope: 'openid',
    code_challenge: digest(verifier),
    code_challenge_method: 'S256',
  });
  await page.goto(`${jetway.url}/browser/authorize?${query.toString()}`);
  await fillIn(page, member.username, member.password);
  await submit(page);
  await page.waitForURL(`${site.callbackUrl}?**`);
  return new URL(page.url()).searchParams.get('code') ?? '';
}

browserTests('apps in a browser', (browser) => {
  test('CORS: a page reads metadata, tokens, userinfo and refusals, and revokes', async (t) => {
    const app = await openApp(t, await browser());
    const { call, client, jetway } = app;
    const metadata = await call('/browser/.well-known/openid-configuration');
    assert.equal(metadata[0], 200, String(metadata));
    const { issuer } = JSON.parse(metadata[1] ?? '') as { issuer: string };
    assert.equal(issuer, `${jetway.url}/browser`);
    const code = await logIn(app);
    const redeeming = { grant_type: 'authorization_code', code, client_id: client.id };
    const refused = await call('/browser/token', form(redeeming));
    assert.deepEqual(refused, [400, '{"error":"invalid_grant"}']);
    const redeemed = await call('/browser/token', form({ ...redeeming, code_verifier: verifier }));
    assert.equal(redeemed[0], 200, String(redeemed));
    const tokens = JSON.parse(redeemed[1] ?? '') as Readonly<Record<string, string>>;
    const asking = { headers: { authorization: `Bearer ${tokens['access_token']}` } };
    assert.deepEqual(await call('/browser/userinfo', asking), [200, '{"sub":"subject-of-ann"}']);
    jetway.clock.advance(1801);
    assert.deepEqual(await call('/browser/userinfo', asking), [401, '{"error":"invalid_token"}']);
    const revoking = { token: tokens['refresh_token'] ?? '', client_id: client.id };
    assert.deepEqual(await call('/browser/revoke', form(revoking)), [200, '']);
  });

  test('HOSTILE 11: a page reads nothing of other clients, of other endpoints, or with credentials', async (t) => {
    const app = await openApp(t, await browser());
    const { call, client, jetway, page } = app;
    await jetway.addClient({
      id: 'spa-0002',
      more: { isPublic: true, secrets: [], origins: ['https://other.example'] },
    });
    const refresh = { grant_type: 'refresh_token', refresh_token: 'none' };
    const own = form({ ...refresh, client_id: client.id });
    const [status] = await call('/browser/token', own);
    assert.equal(status, 400);
    for (const id of ['spa-0002', 'spa-9999']) {
      assert.equal(await call('/browser/token', form({ ...refresh, client_id: id })), unreadable);
    }
    assert.equal(await call('/browser/token', { ...own, credentials: 'include' }), unreadable);
    for (const path of [
      '/browser/authorize?response_type=code',
      '/browser/login',
      '/browser/.well-known/jwks.json',
      '/browser/verify/none',
      '/nowhere',
    ]) {
      assert.equal(await call(path), unreadable, path);
    }
    // A page in a sandbox has the origin `null`.
    await page.setContent('<iframe sandbox="allow-scripts" srcdoc="<p>framed</p>"></iframe>');
    const frame = page.frames().find((one) => one !== page.mainFrame());
    assert.ok(frame);
    assert.equal(await callFrom(frame, `${jetway.url}/browser/token`, own), unreadable);
    assert.equal(
      await callFrom(frame, `${jetway.url}/browser/.well-known/openid-configuration`),
      unreadable,
    );
  });
});
