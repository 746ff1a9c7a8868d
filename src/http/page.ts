// Owns the frame of every page: the document, its style, its script and its security headers; not the
// content.

import { hash } from 'node:crypto';

import { html, raw } from 'hono/html';

import { readAsset } from '../lib/asset.ts';
import { noStore, type Reply } from '../oauth/reply.ts';
import {
  baseSheet,
  compilePalettes,
  paletteRules,
  type Palettes,
} from '../programme/login/colours.ts';

/** Markup that is escaped already. */
export type Markup = ReturnType<typeof html>;

/** Everything of a page but its content; made once for each programme. */
export interface Frame {
  /** `style` and `script` with their tags in one piece: their hashes stand in the policy. */
  readonly style: string;
  readonly script: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Address of the programme's logo, where it has one. */
  readonly icon: string | undefined;
}

/** One page. Everything but `content` is escaped by `renderPage`. */
export interface Page {
  readonly status: number;
  /** The document's: shown by the browser's tab. */
  readonly title: string;
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly content: Markup;
}

/** A text without indentation, blank lines and comments, for smaller pages. */
function withoutLayout(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => !/^(?:$|\/[/*])/.test(line)).join('\n');
}

/** Style sheet and script of a kind of pages. */
export interface Look {
  readonly sheet: string;
  readonly script: string;
}

/** The look of every page, and of the shipped files `NAME.css` and `NAME.js` of this folder. */
export function readLook(name: string): Look {
  const sheet = withoutLayout(baseSheet() + readAsset(`src/http/${name}.css`));
  return {
    sheet: sheet
      .replaceAll(/\s*([{};,])\s*|(?<=:)\s+/g, '$1')
      .replaceAll(/;(?=\})|\b0(?=\.\d)/g, ''),
    script: withoutLayout(readAsset(`src/http/${name}.js`)),
  };
}

const loginLook = readLook('page');

/** The same with the script that posts the only form of a page. */
export function postLook(): Look {
  return { ...loginLook, script: withoutLayout(readAsset('src/http/post.js')) };
}

/**
 * A frame in a programme's colours. `icon` is the path of its logo; only pages that show pictures
 * may load any, and those from here.
 */
export function createFrame(
  palettes: Palettes,
  pictures: { readonly icon?: string | undefined; readonly any: boolean },
  { sheet, script }: Look = loginLook,
): Frame {
  const style = `${paletteRules(palettes)}\n${sheet}`;
  const headers = pageHeaders({ style, script }, pictures.any);
  return { style, script, headers, icon: pictures.icon };
}

/** The frame of pages that belong to no programme. */
export const plainFrame: Frame = createFrame(compilePalettes({}), { any: false });

/**
 * HOSTILE 10. No `form-action`: Chromium holds the redirect back to the partner against it, and what
 * the partner answers to a form that is posted there. The
 * referrer policy is `same-origin` because with `no-referrer` browsers post `Origin: null`.
 */
function pageHeaders(
  { style, script }: Pick<Frame, 'style' | 'script'>,
  showsPictures: boolean,
): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    `style-src ${hashSource(style)}`,
    `script-src ${hashSource(script)}`,
    ...(showsPictures ? ["img-src 'self'"] : []),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return Object.freeze({
    'Content-Type': 'text/html; charset=utf-8',
    ...noStore,
    'Content-Security-Policy': policy.join('; '),
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'same-origin',
    // Addresses of logins are for one member each: no page belongs in a search engine.
    'X-Robots-Tag': 'none',
    // The language of a page depends on the browser's.
    Vary: 'Accept-Language',
  });
}

function hashSource(text: string): string {
  return `'sha256-${hash('sha256', text, 'base64')}'`;
}

/** The sign of a page that is not there. */
export function statusSign(status: number): Markup {
  return html`<p class="status">${status}</p>`;
}

/** A whole page. */
export async function renderPage(frame: Frame, page: Page): Promise<Reply> {
  const { title, language, direction } = page;
  const icon = frame.icon === undefined ? '' : html`<link rel="icon" href="${frame.icon}" />`;
  const document = await html`<!doctype html>
    <html lang="${language}" dir="${direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${icon} ${raw(`<style>${frame.style}</style>`)}
      </head>
      <body>
        <main>${page.content}</main>
        ${raw(`<script>${frame.script}</script>`)}
      </body>
    </html> `;
  const headers = { ...frame.headers, 'Content-Language': language };
  return { status: page.status, headers, body: document.toString() };
}
