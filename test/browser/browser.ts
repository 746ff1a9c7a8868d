// Owns the real browser of tests, and a partner's website that members come from and return to.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, type TestContext } from 'node:test';

import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

import { chromiumPath, without } from '../support/tools.ts';

/** How long a browser may take for a step, on a machine that is slow and busy: milliseconds. */
export const patience = 60_000;

/** Declares tests that share a browser, of a process of its own. */
export function browserTests(
  about: string,
  tests: (browser: () => Promise<Browser>) => void,
): void {
  describe(`a login with a real browser: ${about}`, { skip: without('chromium') }, () => {
    let launching: Promise<Browser> | undefined;

    after(async () => {
      await launching?.then(
        (running) => running.close(),
        () => undefined,
      );
    });

    // Started by the first test that wants it: where it does not start, each test says why.
    tests(() => (launching ??= launchBrowser()));
  });
}

/** Starts Chromium without a window. */
function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath,
    timeout: patience,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/**
 * Takes a step from a page that has loaded to another one, and waits until that has loaded: its text to
 * the end, and its pictures. A click by itself waits for the first bytes.
 */
export async function goOn(page: Page, step: () => Promise<unknown>): Promise<void> {
  await Promise.all([page.waitForEvent('load'), step()]);
}

/** A partner's website. */
export interface PartnerSite {
  /** `localhost`, where Jetway is 127.0.0.1: two sites to a browser, as in life. */
  readonly url: string;
  readonly callbackUrl: string;
  /** What the callback was asked for, in order. */
  readonly callbacks: readonly URL[];
  /** What was posted to the callback, with its Origin. */
  readonly posts: readonly (readonly [origin: string, form: string])[];
  /** The pages that browsers said they had come to the callback from. */
  readonly referrers: readonly string[];
  /** Puts a login request behind the site's link or button; its state is new at every visit. */
  readonly linkTo: (loginRequest: URL, method?: 'GET' | 'POST') => void;
}

/** A page with a link or button to log in at `/`, and the callback at `/callback`; it ends with the test. */
export async function startPartnerSite(t: TestContext): Promise<PartnerSite> {
  const callbacks: URL[] = [];
  const referrers: string[] = [];
  const posts: (readonly [string, string])[] = [];
  let visits = 0;
  let link: URL | undefined;
  let linkMethod = 'GET';
  const home = (): string => {
    visits += 1;
    if (link === undefined) return '';
    const url = new URL(link);
    // Letters and digits alone are what every dialect takes (P-3).
    url.searchParams.set('state', `visit${visits}`);
    const address = url.href.replaceAll('&', '&amp;');
    const text = 'Log in with your club account';
    if (linkMethod === 'GET') return `<a href="${address}">${text}</a>`;
    return `<form method="post" action="${address}"><button>${text}</button></form>`;
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', siteUrl());
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    if (url.pathname === '/callback') {
      callbacks.push(url);
      referrers.push(...[request.headers.referer ?? []].flat());
      if (request.method === 'POST') {
        request.setEncoding('utf8').on('data', (form: string) => {
          posts.push([request.headers.origin ?? '', form]);
        });
      }
    }
    const content = url.pathname === '/' ? home() : '<p>Back at the partner</p>';
    response.end(`<!doctype html><title>Partner</title><link rel="icon" href="data:,">${content}`);
  });
  const siteUrl = (): string => `http://localhost:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: siteUrl(),
    callbackUrl: `${siteUrl()}/callback`,
    callbacks,
    referrers,
    posts,
    linkTo: (loginRequest, method = 'GET') => {
      link = loginRequest;
      linkMethod = method;
    },
  };
}

/** What a browser complained of: console warnings and errors (CSP among them), and scripts' errors. */
export function complaintsOf(context: BrowserContext): readonly string[] {
  const complaints: string[] = [];
  context.on('console', (message) => {
    if (['warning', 'error'].includes(message.type())) complaints.push(message.text());
  });
  context.on('weberror', (webError) => complaints.push(webError.error().message));
  return complaints;
}

/** What a browser asked for besides logos, as `GET http://…`, without queries. */
export function requestsOf(context: BrowserContext): readonly string[] {
  const requests: string[] = [];
  context.on('request', (request) => {
    if (request.resourceType() === 'image' || request.url().includes('/login/assets/')) return;
    requests.push(`${request.method()} ${request.url().replace(/\?.*/s, '')}`);
  });
  return requests;
}
