// Owns the pages of a login: the form, the pages in place of it or of a redirect, and their pictures.

import { html, raw } from 'hono/html';

import type { LoginForm } from '../engine/login/outcome.ts';
import type { Logo } from '../language/logos.ts';
import type { LinkName } from '../language/page_schema.ts';
import { programmePaths } from '../oauth/own_paths.ts';
import type { Reply } from '../oauth/reply.ts';
import type { WayBack } from '../programme/answers/redirect_answer.ts';
import { picturesOf } from '../programme/login/rules.ts';
import type { LoginPageName, LoginTexts } from '../programme/login/texts.ts';
import { logsIn, type Programme } from '../programme/programme.ts';
import { languageSwitch, loginForm, warning } from './login_form.ts';
import { createFrame, type Frame, type Markup, postLook, renderPage, statusSign } from './page.ts';
import { type Answer, withHeaders } from './respond.ts';

/** A programme's pages, in its colours and with its logo; made once, before any request. */
export interface LoginPages {
  /** Address of the login page. */
  readonly url: URL;
  readonly form: (form: LoginForm, texts: LoginTexts, status: number) => Promise<Reply>;
  /** A page whose form the browser posts to the partner at once, or by its button without scripts. */
  readonly post: (form: PostedForm, partner: string, texts: LoginTexts) => Promise<Reply>;
  /** A page in place of the form. */
  readonly message: (
    page: LoginPageName,
    texts: LoginTexts,
    status: number,
    about: PageAbout,
  ) => Promise<Reply>;
  /** A page that never changes, and so has no reference; made at its first use. Its header has the id. */
  readonly standing: (page: LoginPageName, texts: LoginTexts, status: number) => Promise<Reply>;
}

interface PageAbout {
  /** The request id. */
  readonly reference: string | undefined;
  readonly back?: { readonly partner: string; readonly redirectUri: string } | undefined;
}

type PostedForm = Extract<WayBack, { readonly action: string }>;

/** A member's username and password, for a page to be shown with. */
export type FilledForm = Pick<LoginForm, 'username' | 'password'>;

/**
 * Makes a programme's pages.
 *
 * @param filled the member of a demo, for a form that was not sent yet
 */
export function createLoginPages(programme: Programme, filled?: FilledForm): LoginPages {
  const { login, name } = programme;
  const url = new URL(programme.login.pagePath, programme.issuer);
  // Pictures have paths where there is a login.
  const showsPictures = logsIn(programme);
  const logo = showsPictures ? login.logo : undefined;
  const folder = new URL(programme.issuer + programmePaths.pictures).pathname;
  const address = ({ fileName }: Logo): string => folder + fileName;
  const pictures = {
    icon: logo === undefined ? undefined : address(logo),
    any: showsPictures && picturesOf(login).length > 0,
  };
  const frame = createFrame(login.palettes, pictures);
  const postFrame = createFrame(login.palettes, pictures, postLook());
  const picture = (shown: Logo | undefined, alt: string): Markup | string => {
    if (shown === undefined) return '';
    const look = shown.adapts ? '' : 'paper';
    return html`<img src="${address(shown)}" alt="${alt}" class="${look}" />`;
  };
  const own = picture(logo, name);
  const logos = (partner: Markup | string = ''): Markup | string => {
    if (own === '' && partner === '') return '';
    const between = own === '' || partner === '' ? '' : html`<span></span>`;
    return html`<div class="logos">${own}${between}${partner}</div>`;
  };
  const message = (
    page: LoginPageName,
    texts: LoginTexts,
    status: number,
    more: Markup | string,
  ): Promise<Reply> => {
    const { title, text } = texts.pages[page];
    // A wrong address is no danger: the page must not look like that of a security issue.
    const sign =
      page === 'not_found' ? statusSign(status) : html`<div class="stop">${raw(warning)}</div>`;
    const content = html`${logos()} ${page === 'finished' ? '' : sign}
      <h1>${title}</h1>
      <p>${text}</p>
      ${more}${links(texts, 'website')}${footer(texts)}`;
    return render(frame, texts, { status, title, content });
  };
  const kept = new Map<string, Promise<Reply>>();
  return {
    url,
    form: (sent, texts, status) => {
      const isFresh = sent.messages.length === 0 && ['', filled?.username].includes(sent.username);
      const form = isFresh ? { ...sent, ...filled } : sent;
      const brand = login.brands.get(form.transaction.brand ?? '');
      const partner = brand?.name ?? form.transaction.clientName;
      const top = html`${logos(picture(brand?.logo, partner))}${heading(texts, partner)}`;
      const offered = languageSwitch(texts, login.languages.offered);
      const content = html`${top}
      ${loginForm(url.pathname, form, texts)}${links(texts, 'help', 'website')}${footer(texts, offered)}`;
      // A screen reader reads the title first (as with GOV.UK's error summary).
      const title =
        form.messages.length === 0 ? texts.title : `${texts.labels.error} ${texts.title}`;
      return render(frame, texts, { status, title, content });
    },
    post: async ({ action, fields }, partner, texts) => {
      const hidden = fields.map(
        ([field, value]) => html`<input type="hidden" name="${field}" value="${value}" />`,
      );
      const content = html`${logos()}${heading(texts, partner)}
        <form method="post" action="${action}">
          ${hidden}<button type="submit">${partner}</button>
        </form>`;
      const reply = await render(postFrame, texts, { status: 200, title: texts.title, content });
      // With `same-origin`, browsers would post `Origin: null` to the partner.
      return withHeaders(reply, { 'Referrer-Policy': 'strict-origin' });
    },
    message: (page, texts, status, { reference, back }) => {
      const home = back === undefined ? '' : linkBack(back);
      if (reference === undefined) return message(page, texts, status, home);
      const quoted = html`${home}
        <p class="reference">
          ${texts.labels.reference} <strong translate="no">${reference}</strong>
        </p>`;
      return message(page, texts, status, quoted);
    },
    standing: (page, texts, status) => {
      const key = `${page} ${texts.language}`;
      const reply = kept.get(key) ?? message(page, texts, status, '');
      kept.set(key, reply);
      return reply;
    },
  };
}

/** A picture's answer. Its name changes with its content: browsers never have to ask for it again. */
export function renderPicture({ bytes, type }: Logo): Answer {
  return Object.freeze({
    status: 200,
    headers: Object.freeze({
      'Content-Type': type,
      'Cache-Control': 'public, max-age=31536000, immutable',
      // A picture opened by itself is a document, whose scripts must not run.
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

/** The partner's site: not the address that is registered, where a login without a code would be a failure. */
function linkBack({ partner, redirectUri }: NonNullable<PageAbout['back']>): Markup | string {
  const { protocol = '', origin = '' } = URL.parse(redirectUri) ?? {};
  if (!/^https?:$/.test(protocol)) return '';
  return html`<ul class="links">
    <li><a href="${origin}/">${partner}</a></li>
  </ul>`;
}

/** Links for members who cannot log in, always in the same order and place (WCAG 2.2 3.2.6). */
function links(texts: LoginTexts, ...names: readonly LinkName[]): Markup | string {
  const items = linkItems(texts, names);
  return items.length === 0
    ? ''
    : html`<ul class="links">
        ${items}
      </ul>`;
}

/** The end of every page: its other languages, and the links that the law asks for. */
function footer(texts: LoginTexts, languages: Markup | string = ''): Markup | string {
  const items = linkItems(texts, ['privacy', 'terms', 'imprint']);
  if (items.length === 0 && languages === '') return '';
  const list =
    items.length === 0
      ? ''
      : html`<ul>
          ${items}
        </ul>`;
  return html`<footer>${languages}${list}</footer>`;
}

function linkItems({ links: to, labels }: LoginTexts, names: readonly LinkName[]): Markup[] {
  return names
    .filter((name) => to[name] !== undefined)
    .map((name) => html`<li><a href="${to[name]}">${labels[name]}</a></li>`);
}
