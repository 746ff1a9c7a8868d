// Owns the frame of every page people see: the document, its style and its security headers.

import { hash } from 'node:crypto';

import { html, raw } from 'hono/html';

import { readAsset } from '../lib/asset.ts';
import { noStore, type Reply } from '../oauth/reply.ts';

/** Markup that is escaped already. */
export type Markup = ReturnType<typeof html>;

const style = readAsset('src/http/page.css');

/**
 * HOSTILE 10. No `form-action`: Chromium holds the redirect back to the partner against it. The
 * referrer policy is `same-origin` because with `no-referrer` browsers post `Origin: null`.
 */
const pageHeaders: Readonly<Record<string, string>> = Object.freeze({
  'Content-Type': 'text/html; charset=utf-8',
  ...noStore,
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
});

/**
 * A whole page. Everything but `content` is escaped here. The style stands in one piece with its
 * tags: a space put between them by a formatter would be no part of what the policy's hash is of.
 */
export async function renderPage(status: number, title: string, content: Markup): Promise<Reply> {
  const document = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${raw(`<style>${style}</style>`)}
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html> `;
  return { status, headers: pageHeaders, body: document.toString() };
}
