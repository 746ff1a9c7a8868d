// Owns the demo's start page: the credentials of each programme's partner and member.

import { html } from 'hono/html';

import { programmePaths } from '../../oauth/own_paths.ts';
import type { Reply } from '../../oauth/reply.ts';
import type { Frame, Markup } from '../page.ts';
import { type Demo, demoPaths, loginRequest } from './demo.ts';
import { copyable, demoPage, logoOf } from './parts.ts';

/** All programmes, or a single one. */
export function startPage(frame: Frame, demos: readonly Demo[]): Promise<Reply> {
  const isWhole = demos.length > 1;
  return demoPage(
    frame,
    'Jetway demo',
    html`${isWhole ? '' : html`<nav aria-label="Demo"><a href="/">All programmes</a></nav>`}
      <h1>Jetway demo</h1>
      <p class="intro">
        ${isWhole ? 'Each programme' : 'This programme'} has a partner and a member for you to try.
        Everything is in memory, and gone when the demo stops.
      </p>
      <div class="clubs">${demos.map(clubCard)}</div>`,
  );
}

function clubCard(demo: Demo, index: number): Markup {
  const { programme, dialect, by, member } = demo;
  const login = programme.grants.has('authorization_code') ? [programme.login.endpoint] : [];
  const paths = [...login, ...programme.tokenEndpoints].map(
    ({ path, reading }) => `${reading.methods.join(' or ')} ${path}`,
  );
  const verify = `GET ${programme.ownPath}${programmePaths.verify}member`;
  return html`<section
    class="card narrow club club${String(index)}"
    aria-labelledby="${programme.id}"
  >
    <header>
      ${logoOf(programme)}
      <div>
        <h2 id="${programme.id}">
          <a href="${demoPaths(programme.id).home}">${programme.name}</a>
        </h2>
        <p>${dialect}</p>
      </div>
    </header>
    ${waysIn(demo)}
    <h3>Member</h3>
    <dl>${copyable('Username', member.username)}${copyable('Password', member.password)}</dl>
    <h3>Partner</h3>
    <dl>
      ${copyable('Client', by.client.id)}${copyable('Secret', by.secret)}
      ${copyable('API key', by.apiKey)}
    </dl>
    <h3>Paths</h3>
    <ul>
      ${[...paths, verify].map((path) => html`<li><code>${path}</code></li>`)}
    </ul>
    <p><a href="${demoPaths(programme.id).commands}">Commands for bash</a></p>
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
    ${method === 'GET' ? query.map(([name, value]) => hiddenField(name, value)) : ''}<button>
      Log in as this member
    </button>
  </form>`;
}

/** A button that gets tokens by a grant, with the code if the grant needs one. */
export function grantButton({ programme }: Demo, grant: string, label: string, code = ''): Markup {
  return html`<form method="post" action="${demoPaths(programme.id).tokens}">
    ${hiddenField('grant', grant)}${hiddenField('code', code)}<button>${label}</button>
  </form>`;
}

function hiddenField(name: string, value: string): Markup {
  return html`<input type="hidden" name="${name}" value="${value}" />`;
}
