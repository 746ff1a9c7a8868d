// Owns the pages of a login: the form, and the pages shown in place of a redirect.

import { html } from 'hono/html';

import type { LoginForm } from '../engine/login_outcome.ts';
import type { Reply } from '../oauth/reply.ts';
import type { PageDefinition } from '../programme/authorize_schema.ts';
import type { LoginRules } from '../programme/programme.ts';
import { renderPage } from './page.ts';

/** The login form. `action` is the page's own public path. */
export function renderLoginForm(
  login: LoginRules,
  action: string,
  form: LoginForm,
  status: number,
): Promise<Reply> {
  const { website } = login;
  const alert =
    form.messages.length === 0
      ? ''
      : html`<div class="alert" id="alert" role="alert">
          ${form.messages.map((message) => html`<p>${login.messages[message]}</p>`)}
        </div>`;
  const described = form.messages.length === 0 ? '' : html` aria-describedby="alert"`;
  const content = html`${alert}
    <form method="post" action="${action}?transaction=${form.sealed}">
      <input type="hidden" name="transaction" value="${form.sealed}" />
      <input type="hidden" name="csrf" value="${form.formToken}" />
      <label for="username">Username</label>
      <input
        id="username"
        name="username"
        type="text"
        autocomplete="username"
        autocapitalize="none"
        spellcheck="false"
        value="${form.username}"
        ${described}
      />
      <label for="password">Password</label>
      <input
        id="password"
        name="password"
        type="password"
        autocomplete="current-password"
        ${described}
      />
      <button type="submit">Log in</button>
    </form>
    ${website === undefined ? '' : html`<p><a href="${website}">Programme website</a></p>`}`;
  return renderPage(status, login.title, content);
}

/** A page that says why a login cannot go on. */
export function renderMessagePage(page: PageDefinition): Promise<Reply> {
  return renderPage(page.status, page.title, html`<p>${page.text}</p>`);
}
