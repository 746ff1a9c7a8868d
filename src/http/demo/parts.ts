// Owns what all pages of the demo share: their frames in a programme's colours, and their parts.

import { html } from 'hono/html';

import { programmePaths } from '../../oauth/own_paths.ts';
import type { Reply } from '../../oauth/reply.ts';
import { compilePalettes } from '../../programme/login/colours.ts';
import { logsIn, type Programme } from '../../programme/programme.ts';
import {
  createFrame,
  type Frame,
  type Look,
  type Markup,
  paletteRules,
  renderPage,
} from '../page.ts';
import { type Demo, demoPaths } from './demo.ts';

/** The frame of the start page, where each programme's section has its own colours. */
export function startFrame(demos: readonly Demo[], look: Look): Frame {
  const own = demos.map(({ programme: { login } }, index) =>
    paletteRules(`.club${index}`, login.palettes),
  );
  const [icon] = demos.flatMap(({ programme }) => logoAddress(programme) ?? []);
  const sheet = `${own.join('')}\n${look.sheet}`;
  return createFrame(compilePalettes({}), { icon, any: true }, { ...look, sheet });
}

export function clubFrame({ programme }: Demo, look: Look): Frame {
  return createFrame(programme.login.palettes, { icon: logoAddress(programme), any: true }, look);
}

/** Only programmes with a login serve pictures. */
function logoAddress(programme: Programme): string | undefined {
  const { logo } = programme.login;
  if (logo === undefined || !logsIn(programme)) return undefined;
  return programme.ownPath + programmePaths.pictures + logo.fileName;
}

export function logoOf(programme: Programme): Markup | string {
  const address = logoAddress(programme);
  if (address === undefined) return '';
  const look = programme.login.logo?.adapts === true ? 'logo' : 'logo paper';
  return html`<img class="${look}" src="${address}" alt="" />`;
}

export function demoPage(frame: Frame, title: string, content: Markup): Promise<Reply> {
  return renderPage(frame, { status: 200, title, language: 'en', direction: 'ltr', content });
}

/** A page about one programme: links back, its logo, and the heading. */
export function clubPage(
  frame: Frame,
  { programme: { name, id }, programme }: Demo,
  heading: string,
  content: Markup | readonly Markup[],
): Promise<Reply> {
  return demoPage(
    frame,
    `${heading} – ${name}`,
    html`<nav aria-label="Demo">
        <a href="/">All programmes</a> <a href="${demoPaths(id).home}">${name}</a>
      </nav>
      <header>
        ${logoOf(programme)}
        <h1>${name}: ${heading}</h1>
      </header>
      ${content}`,
  );
}

/** A page about one programme with a single card of text. */
export function cardPage(
  frame: Frame,
  demo: Demo,
  heading: string,
  content: Markup,
): Promise<Reply> {
  return clubPage(frame, demo, heading, html`<section class="card narrow">${content}</section>`);
}

/** A value with a copy button; `name` describes it. */
export function copyable(name: string, value: string): Markup {
  return html`<dt>${name}</dt>
    <dd><code>${value}</code>${copyButton(name, value)}</dd>`;
}

/** Lines of text under a heading, with a copy button. */
export function copyableLines(name: string, text: string): Markup {
  return html`<div class="lines">
    <h3>${name}</h3>
    ${copyButton(name, text)}
    <pre tabindex="0" role="group" aria-label="${name}"><code>${text}</code></pre>
  </div>`;
}

/** Hidden until the script that it needs shows it. */
function copyButton(name: string, value: string): Markup {
  return html`<button
    type="button"
    class="copy"
    data-copy="${value}"
    aria-label="Copy ${name}"
    hidden
  >
    Copy
  </button>`;
}

/** The time of an expiry; the script turns it into a countdown. */
export function clock(until: number): Markup {
  const time = `${new Date(until).toISOString().slice(11, 19)} UTC`;
  return html`<span class="clock" data-until="${String(until)}">until ${time}</span>`;
}
