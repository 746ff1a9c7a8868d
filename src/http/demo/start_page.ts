// Owns the demo's start page: the credentials of each programme's partner and member.

import { html } from 'hono/html';

import { programmePaths } from '../../oauth/own_paths.ts';
import type { Reply } from '../../oauth/reply.ts';
import type { Frame, Markup } from '../page.ts';
import { type Demo, demoPaths, loginRequest } from './demo.ts';
import { copyable, demoPage, logoOf } from './frame.ts';

/** All programmes, or a single one. */
export function startPage(frame: Frame, demos: readonly Demo[]): Promise<Reply> {
  return demoPage(
    frame,
    'Jetway demo',
    html`${demos.length > 1 ? '' : wayBack}
      <header class="intro">
        <h1>Jetway demo</h1>
        <p>
          ${demos.length > 1 ? 'Each programme' : 'This programme'} has a partner and a member for
          you to try. Everything is in memory, and gone when the demo stops.
        </p>
      </header>
      <div class="clubs">${demos.map((demo, index) => clubCard(demo, index))}</div>`,
  );
}

const wayBack = html`<nav aria-label="Demo"><a href="/">All programmes</a></nav>`;

function clubCard(demo: Demo, index: number): Markup {
  const { programme, dialect } = demo;
  return html`<section class="card club club${String(index)}" aria-labelledby="${programme.id}">
    <header>
      ${logoOf(programme)}
      <div>
        <h2 id="${programme.id}">
          <a href="${demoPaths(programme.id).home}">${programme.name}</a>
        </h2>
        <p>${dialect}</p>
      </div>
    </header>
    ${waysIn(demo)} ${details(demo)}
  </section>`;
}

/** Buttons for the grants that can begin with a click, the usual one first. */
export function waysIn(demo: Demo): Markup {
  const { grants } = demo.programme;
  const ways = [
    grants.has('authorization_code') ? loginButton(demo) : '',
    grants.has('password')
      ? grantButton(demo, 'password', 'Get this member’s tokens by password')
      : '',
    grants.has('client_credentials')
      ? grantButton(demo, 'client_credentials', 'Get a token for the partner')
      : '',
  ];
  return html`<div class="ways">${ways}</div>`;
}

/** A button for any method: a form with the method GET sends its fields as the query. */
function loginButton(demo: Demo): Markup {
  const { method, path, query } = loginRequest(demo, 'demo');
  const search = new URLSearchParams(query.map(([name, value]) => [name, value]));
  const action = method === 'GET' ? path : `${path}?${search.toString()}`;
  return html`<form method="${method.toLowerCase()}" action="${action}">
    ${(method === 'GET' ? query : []).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
    )}<button type="submit">Log in as this member</button>
  </form>`;
}

function grantButton({ programme }: Demo, grant: string, words: string): Markup {
  return html`<form method="post" action="${demoPaths(programme.id).tokens}">
    <input type="hidden" name="grant" value="${grant}" />
    <button type="submit">${words}</button>
  </form>`;
}

function details({ programme, definition, by, member }: Demo): Markup {
  const { authorize, token_endpoints: endpoints, base_path: base } = definition;
  const paths = [
    ...(programme.grants.has('authorization_code') ? [authorize.endpoint] : []),
    ...Object.values(endpoints),
  ].map(({ methods, path }) => ({ method: methods.join(' or '), path: base + path }));
  const verify = { method: 'GET', path: `${programme.ownPath}${programmePaths.verify}member` };
  return html`<h3>Member</h3>
    <dl>${copyable('Username', member.username)}${copyable('Password', member.password)}</dl>
    <h3>Partner</h3>
    <dl>
      ${copyable('Client', by.client.id)}${copyable('Secret', by.secret)}
      ${copyable('API key', by.apiKey)}
    </dl>
    <h3>Paths</h3>
    <ul class="paths">
      ${[...paths, verify].map(
        ({ method, path }) => html`<li><span>${method}</span> <code>${path}</code></li>`,
      )}
    </ul>
    <p class="more"><a href="${demoPaths(programme.id).commands}">Commands for bash</a></p>`;
}
