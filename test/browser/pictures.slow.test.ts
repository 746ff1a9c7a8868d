// Owns the pictures of a login page in a browser: logos of any form on pages of any colour, and logos
// that are up to something.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test, type TestContext } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';

import { renderPicture } from '../../src/http/login_pages.ts';
import { listenHere } from '../support/listen.ts';
import { loginTarget, openPartnerClub } from '../support/partner_club.ts';
import { until } from '../support/until.ts';
import { browserTests, goOn, patience } from './browser.ts';
import { assertPicturesShown, photograph } from './photograph.ts';

/** All that an SVG can try; what it asks for lies beside it. */
const hostile = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
    width="48" height="48" onload="fetch('onload')">
  <style>@import "style.css"; rect { fill: url(fill.svg#a) } @font-face { font-family: f; src: url(font) }
    text { font-family: f }</style>
  <script>fetch('script')</script><script href="script.js"/>
  <image href="image.png" width="9" height="9"/><use xlink:href="use.svg#a"/>
  <foreignObject width="9" height="9"><iframe xmlns="http://www.w3.org/1999/xhtml" src="frame"/></foreignObject>
  <rect width="48" height="48"/><text y="20">a</text>
</svg>`;

/** A website with the picture as it is served, a page that shows that, and the picture without its headers. */
async function startPictures(t: TestContext): Promise<{
  readonly url: string;
  readonly asked: readonly string[];
}> {
  const asked: string[] = [];
  const picture = { bytes: Buffer.from(hostile), fileName: '', adapts: false };
  const { headers, body } = renderPicture({ ...picture, type: 'image/svg+xml' });
  const html = { 'Content-Type': 'text/html' };
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    if (url === '/served/logo.svg') response.writeHead(200, headers).end(body);
    else if (url === '/bare/logo.svg')
      response.writeHead(200, { 'Content-Type': 'image/svg+xml' }).end(body);
    else if (url === '/shown/page')
      response.writeHead(200, html).end('<!doctype html><img src="../served/logo.svg">');
    else response.writeHead(404).end();
  });
  return { url: `http://${await listenHere(t, server)}`, asked };
}

/** A PNG of a dark bar on nothing. */
function darkBar(width: number, height: number): Buffer {
  const chunk = (type: string, data: Uint8Array): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const ends = [Buffer.alloc(4), Buffer.alloc(4)] as const;
    ends[0].writeUInt32BE(data.length);
    ends[1].writeUInt32BE(crc32(body));
    return Buffer.concat([ends[0], body, ends[1]]);
  };
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width);
  size.writeUInt32BE(height, 4);
  const pixel = (x: number, y: number): readonly number[] => {
    const isBar = Math.abs(y - height / 2) < height / 4 && x % 24 < 18;
    return [20, 30, 60, isBar ? 255 : 0];
  };
  const row = (_: unknown, y: number): readonly number[] => [
    0,
    ...Array.from({ length: width }, (__, x) => pixel(x, y)).flat(),
  ];
  const pixels = Buffer.from(Array.from({ length: height }, row).flat());
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', Buffer.concat([size, Buffer.from([8, 6, 0, 0, 0])])),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const wideSvg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 40">
  <rect width="600" height="40" fill="#7a2457"/></svg>`;

/** Runs in the page: of each logo, what is behind it, and whether it has the shape of its file. */
const looks = `[...document.images].map((image) => {
  const { backgroundColor, objectFit } = getComputedStyle(image);
  return { backgroundColor, objectFit };
})`;

browserTests('pictures', (browser) => {
  test('HOSTILE 10: a logo runs and loads nothing, though no check had looked at it', async (t) => {
    const context = await (await browser()).newContext();
    context.setDefaultTimeout(patience);
    t.after(() => context.close());
    const { url, asked } = await startPictures(t);
    const page = await context.newPage();
    await page.goto(`${url}/served/logo.svg`);
    await page.goto(`${url}/shown/page`);
    await assertPicturesShown(page, 'the page that shows it');
    assert.equal(await page.evaluate('document.images[0].naturalWidth'), 48);
    // As a document that nothing holds back it does all of it, later than the pages before.
    await page.goto(`${url}/bare/logo.svg`);
    const tried = ['onload', 'script', 'script.js', 'style.css', 'image.png', 'frame'];
    await until(() => tried.every((name) => asked.includes(`/bare/${name}`)));
    const beside = asked.filter((path) => /^\/(?:served|shown)\//.test(path));
    // The page's picture is in the browser's cache or not.
    assert.deepEqual(new Set(beside), new Set(['/served/logo.svg', '/shown/page']));
  });

  test('wide logos and PNGs keep their shape, and on dark pages stand on light paper', async (t) => {
    const context = await (await browser()).newContext();
    context.setDefaultTimeout(patience);
    t.after(() => context.close());
    const club = await openPartnerClub(t, {
      publicUrl: 'listening',
      over: 'login: { logo: wide.png, brands: { Harbour: { name: Harbour, logo: wide.svg } } }',
      logos: { 'wide.png': darkBar(240, 40), 'wide.svg': Buffer.from(wideSvg) },
    });
    const page = await context.newPage();
    await page.setContent(
      `<form method="post" action="${club.url}${loginTarget(club, { brandName: 'Harbour' })}"><button>`,
    );
    await goOn(page, () => page.getByRole('button').click());
    await assertPicturesShown(page, 'wide logos');
    for (const [colorScheme, backgroundColor] of [
      ['light', 'rgba(0, 0, 0, 0)'],
      ['dark', 'rgb(255, 255, 255)'],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      const one = { backgroundColor, objectFit: 'contain' };
      assert.deepEqual(await page.evaluate(looks), [one, one]);
    }
    await photograph(page, 'second-club-wide_logos-en');
  });
});
