// Owns what all pages of the demo have in common: their frame, colours and parts.

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
  readLook,
  renderPage,
} from '../page.ts';
import { type Demo, demoPaths } from './demo.ts';

/** Read when the demo is mounted: no other verb uses it. */
export function readDemoLook(): Look {
  return readLook('src/http/demo/demo');
}

/** The frame of the start page, where each programme's part has the programme's own colours. */
export function startFrame(demos: readonly Demo[], look: Look): Frame {
  const parts = demos.map(({ programme: { login } }, index) =>
    paletteRules(`.club${index}`, login.palettes),
  );
  const [icon] = demos.flatMap(({ programme }) => logoAddress(programme) ?? []);
  const sheet = `${parts.join('')}\n${look.sheet}`;
  return createFrame(compilePalettes({}), { icon, any: true }, { ...look, sheet });
}

/** The frame of one programme's pages. */
export function clubFrame({ programme }: Demo, look: Look): Frame {
  const icon = logoAddress(programme);
  return createFrame(programme.login.palettes, { icon, any: true }, look);
}

/** Pictures have paths where there is a login. */
function logoAddress(programme: Programme): string | undefined {
  const { logo } = programme.login;
  return logo && logsIn(programme)
    ? programme.ownPath + programmePaths.pictures + logo.fileName
    : undefined;
}

/** A programme's logo; nothing where it has none. */
export function logoOf(programme: Programme): Markup | string {
  const address = logoAddress(programme);
  if (address === undefined) return '';
  const look = programme.login.logo?.adapts === true ? 'logo' : 'logo paper';
  return html`<img class="${look}" src="${address}" alt="" />`;
}

/** A page in English. */
export function demoPage(frame: Frame, title: string, content: Markup): Promise<Reply> {
  return renderPage(frame, { status: 200, title, language: 'en', direction: 'ltr', content });
}

/** A page about one programme: links back, its logo, and the heading. */
export function clubPage(
  frame: Frame,
  { programme }: Demo,
  heading: string,
  content: Markup | readonly Markup[],
): Promise<Reply> {
  const { name, id } = programme;
  return demoPage(
    frame,
    `${heading} – ${name}`,
    html`<nav aria-label="Demo">
        <a href="/">All programmes</a> <a href="${demoPaths(id).home}">${name}</a>
      </nav>
      <header class="head">
        ${logoOf(programme)}
        <h1><span>${name}</span> ${heading}</h1>
      </header>
      ${content}`,
  );
}

/** A value with a button that copies it; `name` says what it is. */
export function copyable(name: string, value: string): Markup {
  return html`<div class="value">
    <dt>${name}</dt>
    <dd><code>${value}</code>${copyButton(name, value)}</dd>
  </div>`;
}

/** Lines of text as they are, under a heading, with a button that copies them. */
export function copyableLines(name: string, text: string): Markup {
  return html`<div class="lines">
    <h3>${name}</h3>
    ${copyButton(name, text)}
    <pre tabindex="0" role="group" aria-label="${name}"><code>${text}</code></pre>
  </div>`;
}

/** Hidden until the script, which it needs, shows it. */
function copyButton(name: string, value: string): Markup {
  return html`<button
    type="button"
    class="copy"
    data-copy="${value}"
    aria-label="Copy ${name}"
    hidden
  >
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <rect x="8.5" y="8.5" width="11.5" height="11.5" rx="2" />
      <path d="M15.5 8.5V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v7.5a2 2 0 0 0 2 2h2.5" />
    </svg>
    <svg viewBox="0 0 24 24" aria-hidden="true"><path d="m5 12.5 4.5 4.5L19 7.5" /></svg>
  </button>`;
}

/** The time at which something ends; the script turns it into a countdown. */
export function clock(until: number): Markup {
  const time = `${new Date(until).toISOString().slice(11, 19)} UTC`;
  return html`<span class="clock" data-until="${String(until)}">until ${time}</span>`;
}
