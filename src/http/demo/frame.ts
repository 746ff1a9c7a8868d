// Owns the frame, colours and parts that all pages of the demo share.

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

/** Read only when the demo is mounted: no other verb uses the file. */
export function readDemoLook(): Look {
  return readLook('src/http/demo/demo');
}

/** The frame of the start page, where each programme's section has its own colours. */
export function startFrame(demos: readonly Demo[], look: Look): Frame {
  const parts = demos.map(({ programme: { login } }, index) =>
    paletteRules(`.club${index}`, login.palettes),
  );
  const [icon] = demos.flatMap(({ programme }) => logoAddress(programme) ?? []);
  const sheet = `${parts.join('')}\n${look.sheet}`;
  return createFrame(compilePalettes({}), { icon, any: true }, { ...look, sheet });
}

export function clubFrame({ programme }: Demo, look: Look): Frame {
  const icon = logoAddress(programme);
  return createFrame(programme.login.palettes, { icon, any: true }, look);
}

/** Only programmes with a login serve pictures. */
function logoAddress(programme: Programme): string | undefined {
  const { logo } = programme.login;
  return logo && logsIn(programme)
    ? programme.ownPath + programmePaths.pictures + logo.fileName
    : undefined;
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

/** A value with a copy button; `name` describes it. */
export function copyable(name: string, value: string): Markup {
  return html`<div class="value">
    <dt>${name}</dt>
    <dd><code>${value}</code>${copyButton(name, value)}</dd>
  </div>`;
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
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <rect x="8.5" y="8.5" width="11.5" height="11.5" rx="2" />
      <path d="M15.5 8.5V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v7.5a2 2 0 0 0 2 2h2.5" />
    </svg>
    <svg viewBox="0 0 24 24" aria-hidden="true"><path d="m5 12.5 4.5 4.5L19 7.5" /></svg>
  </button>`;
}

/** The time of an expiry; the script turns it into a countdown. */
export function clock(until: number): Markup {
  const time = `${new Date(until).toISOString().slice(11, 19)} UTC`;
  return html`<span class="clock" data-until="${String(until)}">until ${time}</span>`;
}
