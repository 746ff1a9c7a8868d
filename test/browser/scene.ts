// Owns the scene that browser tests play in: Jetway, a partner's website, a member and the steps
// that a person takes.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import type { Browser, BrowserContext, Page } from 'playwright-core';

import type { Store } from '../../src/store/contract.ts';
import { openMemoryStore } from '../../src/store/sqlite/store.ts';
import {
  type Jetway,
  shippedProgramme,
  startJetway,
  type TestClient,
  type TestMember,
} from '../support/jetway.ts';
import { type Answer, post } from '../support/wire.ts';
import { goOn, type PartnerSite, startPartnerSite, patience } from './browser.ts';

export interface Scene {
  readonly jetway: Jetway;
  readonly partner: PartnerSite;
  readonly client: TestClient;
  readonly member: TestMember;
  /** The login request behind the partner's link, for pages that need not come from there. */
  readonly loginRequest: string;
  readonly newContext: (options?: ContextOptions) => Promise<BrowserContext>;
  /** A page at the login form, in a browser that has no cookies yet unless one is given. */
  readonly openLogin: (context?: BrowserContext) => Promise<Page>;
  /** The same by way of the partner's website: to a browser the request comes from another site. */
  readonly openFromPartner: (context?: BrowserContext) => Promise<Page>;
}

export interface SceneOptions {
  readonly store?: Store;
  /** YAML laid over the shipped file. */
  readonly over?: string;
  /** Where browsers reach Jetway; where it listens unless said otherwise. */
  readonly publicUrl?: string;
}

type ContextOptions = Parameters<Browser['newContext']>[0];

/** Jetway, a partner's website that links to its login, and a member. */
export async function setScene(
  t: TestContext,
  browser: Browser,
  { store = openMemoryStore(), over = '', publicUrl = 'listening' }: SceneOptions = {},
): Promise<Scene> {
  const contexts: BrowserContext[] = [];
  // Registered first, runs first: a server waits for the connections that browsers hold.
  t.after(() => Promise.all(contexts.map((context) => context.close())));
  const newContext = async (options: ContextOptions = {}): Promise<BrowserContext> => {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(patience);
    contexts.push(context);
    return context;
  };
  const partner = await startPartnerSite(t);
  const programmes = { 'executive-club': shippedProgramme('executive-club', over) };
  const jetway = await startJetway(t, { programmes, publicUrl, store });
  const client = await jetway.addClient({ redirectUris: [partner.callbackUrl] });
  const member = await jetway.addMember();
  const base = publicUrl === 'listening' ? jetway.url : publicUrl;
  const login = new URL(`${base}/executive-club/auth/login?response_type=code`);
  login.searchParams.set('client_id', client.id);
  partner.linkTo(login);
  const open = async (address: string, given?: BrowserContext): Promise<Page> => {
    const context = given ?? (await usualContext(t, browser));
    const page = await context.newPage();
    await page.goto(address);
    return page;
  };
  const loginRequest = login.href;
  return {
    jetway,
    partner,
    client,
    member,
    loginRequest,
    newContext,
    openLogin: (context) => open(loginRequest, context),
    openFromPartner: async (context) => {
      const page = await open(partner.url, context);
      await followLink(page);
      return page;
    },
  };
}

const usualContexts = new WeakMap<Browser, Promise<BrowserContext>>();

/**
 * The context of all tests that ask nothing special of it, without pages and cookies: a new one costs a
 * browser more than the rest of such a test.
 */
async function usualContext(t: TestContext, browser: Browser): Promise<BrowserContext> {
  const making = usualContexts.get(browser) ?? browser.newContext();
  usualContexts.set(browser, making);
  const context = await making;
  context.setDefaultTimeout(patience);
  t.after(async () => {
    await Promise.all(context.pages().map((page) => page.close()));
    await context.clearCookies();
  });
  return context;
}

/** From the partner's website to the login form. */
export function followLink(page: Page): Promise<void> {
  return goOn(page, () => page.getByRole('link').click());
}

export async function fillIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
}

/** Sends the form, and waits for the page that answers it. */
export async function submit(page: Page): Promise<void> {
  await goOn(page, () => page.getByRole('button', { name: 'Log in' }).click());
}

/** Logs in on a page that shows the form; the callback's address. */
export async function logIn(page: Page, { partner, member }: Scene): Promise<URL> {
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

export async function assertRedeems(scene: Scene, callback: URL): Promise<void> {
  const { status, body } = await redeem(scene, callback);
  assert.equal(status, 200, body);
  assert.equal((JSON.parse(body) as Record<string, unknown>)['token_type'], 'bearer');
}

/** A page without a form, of this title. */
export async function assertMessagePage(page: Page, title: string): Promise<void> {
  assert.equal(await page.title(), title);
  assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), title);
  assert.equal(await page.locator('form').count(), 0);
}
