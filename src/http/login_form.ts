// Owns the markup of the login form: its fields, its messages and its languages.

import { html, raw } from 'hono/html';

import type { LoginForm, LoginMessage } from '../engine/login/outcome.ts';
import { languageName, type LoginTexts } from '../programme/login/texts.ts';
import type { Markup } from './page.ts';

/** The fields that a message concerns. */
const concerned: Readonly<Record<LoginMessage, readonly ('username' | 'password')[]>> = {
  not_recognised: ['username', 'password'],
  difficulties: [],
  username_blank: ['username'],
  password_blank: ['password'],
};

/** A sign beside the message, for people who cannot tell red from green. */
export const warning =
  '<svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="9.5" /><path d="M12 7v6m0 3.5v.01" /></svg>';

/** The messages: they have focus when the page opens, so that they are read first. */
function alert(texts: LoginTexts, { messages }: LoginForm): Markup | string {
  if (messages.length === 0) return '';
  const told = messages.map((message) => {
    const [field, ...others] = concerned[message];
    const text = texts.messages[message];
    const isOne = field !== undefined && others.length === 0;
    const said = isOne ? html`<a href="#${field}">${text}</a>` : text;
    return html`<p id="${message}">${said}</p>`;
  });
  return html`<div class="alert" id="alert" role="alert" tabindex="-1" autofocus>
    ${raw(warning)}${told}
  </div>`;
}

/** The form, with the messages above it. */
export function loginForm(action: string, form: LoginForm, texts: LoginTexts): Markup {
  return html`${alert(texts, form)}${formMarkup(action, form, texts)}`;
}

/**
 * Buttons for the same login in other languages. They belong to the form from outside of it, so that
 * the page holds the transaction once and keeps the typed username.
 */
export function languageSwitch(
  { language }: LoginTexts,
  offered: readonly string[],
): Markup | string {
  if (offered.length === 0) return '';
  const items = offered.map((tag) =>
    tag === language
      ? html`<li lang="${tag}" aria-current="true">${languageName(tag)}</li>`
      : html`<li lang="${tag}">
          <button form="login" name="language" value="${tag}">${languageName(tag)}</button>
        </li>`,
  );
  return html`<ul>
    ${items}
  </ul>`;
}

function formMarkup(action: string, form: LoginForm, { labels }: LoginTexts): Markup {
  const focus = form.messages.length === 0 ? raw('autofocus') : '';
  return html`<form id="login" method="post" action="${action}">
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
        ${form.password === undefined ? '' : html`value="${form.password}"`}
        ${described(form, 'password')}
      />${revealButton(labels.show_password)}
    </div>
    <button type="submit">${labels.log_in}</button>
  </form>`;
}

/** Hidden until the script, which it needs, shows it. */
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
