// Owns the pages of a login: the form, the pages shown in place of it or of a redirect, and the
// pictures they show.

import { html, raw } from 'hono/html';

import type { LoginForm, LoginMessage } from '../engine/login_outcome.ts';
import type { Reply } from '../oauth/reply.ts';
import type { Logo } from '../programme/login_logos.ts';
import { assetsFolder, picturesOf } from '../programme/login_rules.ts';
import type { LoginPageName, LoginTexts } from '../programme/login_texts.ts';
import type { Programme } from '../programme/programme.ts';
import { createFrame, type Frame, type Markup, renderPage } from './page.ts';
import type { Answer } from './respond.ts';

/** A programme's pages, in its colours and with its logo; made once, before any request. */
export interface LoginPages {
  /** Address of the login page. */
  readonly url: URL;
  readonly form: (form: LoginForm, texts: LoginTexts, status: number) => Promise<Reply>;
  readonly message: (page: LoginPageName, texts: LoginTexts, status: number) => Promise<Reply>;
}

export function createLoginPages(programme: Programme): LoginPages {
  const { login, name } = programme;
  const url = new URL(`${programme.issuer}/login`);
  const address = (logo: Logo): string => url.pathname + assetsFolder + logo.fileName;
  const frame = createFrame(login.palettes, {
    icon: login.logo === undefined ? undefined : address(login.logo),
    any: picturesOf(login).length > 0,
  });
  const picture = (logo: Logo | undefined, alt: string): Markup | string => {
    if (logo === undefined) return '';
    const look = logo.adapts ? '' : 'paper';
    return html`<img src="${address(logo)}" alt="${alt}" class="${look}" />`;
  };
  const own = picture(login.logo, name);
  const logos = (partner: Markup | string = ''): Markup | string => {
    if (own === '' && partner === '') return '';
    const between = own === '' || partner === '' ? '' : html`<span></span>`;
    return html`<div class="logos">${own}${between}${partner}</div>`;
  };
  return {
    url,
    form: (form, texts, status) => {
      const brand = login.brands.get(form.transaction.brand ?? '');
      const partner = brand?.name ?? form.transaction.clientName;
      const top = html`${logos(picture(brand?.logo, partner))}${heading(texts, partner)}`;
      const content = html`${top}${alert(texts, form)}
      ${formMarkup(url.pathname, form, texts)}${links(
        helpLink(texts),
        // None twice.
        sendsToWebsite(form.messages) ? '' : websiteLink(texts),
      )}`;
      // What a screen reader reads first of a page (GOV.UK's error summary does so, too).
      const title =
        form.messages.length === 0 ? texts.title : `${texts.labels.error} ${texts.title}`;
      return render(frame, texts, { status, title, content });
    },
    message: (page, texts, status) => {
      const { title, text } = texts.pages[page];
      const content = html`${logos()}
        <h1>${title}</h1>
        <p>${text}</p>
        ${links(websiteLink(texts))}`;
      return render(frame, texts, { status, title, content });
    },
  };
}

/** A picture as it is served: its name changes with its content, so it never has to be asked for again. */
export function renderPicture({ bytes, type }: Logo): Answer {
  return Object.freeze({
    status: 200,
    headers: Object.freeze({
      'Content-Type': type,
      'Cache-Control': 'public, max-age=31536000, immutable',
      // A picture that is opened by itself is a document, whose scripts must not run here.
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'same-origin',
    }),
    body: bytes,
  });
}

function render(
  frame: Frame,
  { language, direction }: LoginTexts,
  page: { readonly status: number; readonly title: string; readonly content: Markup },
): Promise<Reply> {
  return renderPage(frame, { ...page, language, direction });
}

function heading({ title, continueTo: [before, after] }: LoginTexts, partner: string): Markup {
  return html`<h1>${title}</h1>
    <p class="partner">${before}<strong>${partner}</strong>${after}</p>`;
}

/** The fields that a message is about. */
const concerned: Readonly<Record<LoginMessage, readonly ('username' | 'password')[]>> = {
  not_recognised: ['username', 'password'],
  difficulties: [],
  username_blank: ['username'],
  password_blank: ['password'],
};

/** A sign beside the message, for who does not tell red from green. */
const warning =
  '<svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="9.5" /><path d="M12 7v6m0 3.5v.01" /></svg>';

/** What went wrong, first of all that is read: it has focus when the page opens. */
function alert(texts: LoginTexts, { messages }: LoginForm): Markup | string {
  if (messages.length === 0) return '';
  const told = messages.map((message) => {
    const [field, ...others] = concerned[message];
    const text = texts.messages[message];
    const isOne = field !== undefined && others.length === 0;
    const said = isOne ? html`<a href="#${field}">${text}</a>` : text;
    return html`<p id="${message}">${said}</p>`;
  });
  const link = sendsToWebsite(messages) ? websiteLink(texts) : '';
  return html`<div class="alert" id="alert" role="alert" tabindex="-1" autofocus>
    ${raw(warning)}${told}${link === '' ? '' : html`<p class="more">${link}</p>`}
  </div>`;
}

/** P-13: who is not recognised may have to update their details there. */
function sendsToWebsite(messages: readonly LoginMessage[]): boolean {
  return messages.includes('not_recognised');
}

function websiteLink({ website, labels }: LoginTexts): Markup | string {
  return website === undefined ? '' : html`<a href="${website}">${labels.website}</a>`;
}

function helpLink({ help, labels }: LoginTexts): Markup | string {
  return help === undefined ? '' : html`<a href="${help}">${labels.help}</a>`;
}

/** Ways out for who cannot log in: always in the same order (WCAG 2.2 3.2.6). */
function links(...ways: readonly (Markup | string)[]): Markup | string {
  const items = ways.filter((way) => way !== '').map((way) => html`<li>${way}</li>`);
  return items.length === 0
    ? ''
    : html`<ul class="links">
        ${items}
      </ul>`;
}

function formMarkup(action: string, form: LoginForm, { labels }: LoginTexts): Markup {
  const focus = form.messages.length === 0 ? raw('autofocus') : '';
  return html`<form method="post" action="${action}?transaction=${form.sealed}">
    <input type="hidden" name="transaction" value="${form.sealed}" />
    <input type="hidden" name="csrf" value="${form.formToken}" />
    <label for="username">${labels.username}</label>
    <input
      id="username"
      name="username"
      type="text"
      autocomplete="username"
      autocapitalize="none"
      autocorrect="off"
      spellcheck="false"
      value="${form.username}"
      ${described(form, 'username')}
      ${focus}
    />
    <label for="password">${labels.password}</label>
    <div class="password">
      <input
        id="password"
        name="password"
        type="password"
        autocomplete="current-password"
        autocapitalize="none"
        autocorrect="off"
        spellcheck="false"
        ${described(form, 'password')}
      />${revealButton(labels.show_password)}
    </div>
    <button type="submit">${labels.log_in}</button>
  </form>`;
}

/** Of use with the script alone, which shows it. */
function revealButton(label: string): Markup {
  return html`<button
    type="button"
    id="reveal"
    aria-controls="password"
    aria-pressed="false"
    aria-label="${label}"
    title="${label}"
    hidden
  >
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d="M2 12s3.6-7 10-7 10 7 10 7-3.6 7-10 7-10-7-10-7z" />
      <circle cx="12" cy="12" r="3" />
      <path class="slash" d="M4 20 20 4" />
    </svg>
  </button>`;
}

function described({ messages }: LoginForm, field: 'username' | 'password'): Markup | string {
  const about = messages.filter((message) => concerned[message].includes(field));
  if (about.length === 0) return '';
  return html`aria-invalid="true" aria-describedby="${about.join(' ')}"`;
}
