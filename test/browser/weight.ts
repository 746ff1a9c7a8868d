// Owns what a page weighs on the wire: itself and all it asks for, as the browser saw it come.

import assert from 'node:assert/strict';

import type { Page } from 'playwright-core';

import { patience } from './browser.ts';

/** Bytes that came for each address, headers with them; 0 where the browser had it already. */
export type Transfers = Readonly<Record<string, number>>;

/** Runs in the page. A picture that the browser kept may be told of after the load of the page. */
const sizes = `(async () => {
  const end = performance.now() + ${patience};
  const isTold = ({ src }) => performance.getEntriesByName(src, 'resource').length > 0;
  while (![...document.images].every(isTold) && performance.now() < end)
    await new Promise((resolve) => setTimeout(resolve, 5));
  return [
    performance.getEntriesByType('navigation')[0].transferSize,
    Object.fromEntries(Object.entries(Object.groupBy(
      performance.getEntriesByType('resource'), ({ name }) => name,
    )).map(([name, loads]) => [name, loads.reduce((sum, load) => sum + load.transferSize, 0)])),
  ];
})()`;

/** What came for the page that is open: the document, and what it loaded. */
async function weigh(page: Page): Promise<readonly [document: number, assets: Transfers]> {
  await page.waitForLoadState('load');
  return page.evaluate(sizes);
}

/** Under 20 KB in all, in one request for the page and one for each logo; the assets' addresses. */
export async function assertLight(page: Page, logos: 1 | 2): Promise<readonly string[]> {
  const [document, assets] = await weigh(page);
  const sum = Object.values(assets).reduce((all, bytes) => all + bytes, document);
  assert.ok(document > 1000 && sum < 20_000, `${sum} bytes`);
  const addresses = Object.keys(assets);
  assert.equal(addresses.length, logos, addresses.join(', '));
  for (const [address, bytes] of Object.entries(assets)) {
    assert.match(address, /\/login\/assets\/[\w-]{22}\.svg$/);
    assert.ok(bytes > 0, address);
  }
  return addresses;
}

/** The page came anew, and what it shows was there from the last time. */
export async function assertKept(page: Page, addresses: readonly string[]): Promise<void> {
  const [document, assets] = await weigh(page);
  assert.ok(document > 1000);
  assert.deepEqual(assets, Object.fromEntries(addresses.map((address) => [address, 0])));
}
