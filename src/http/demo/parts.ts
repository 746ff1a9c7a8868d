// Owns what the demo's pages are made of: programmes, values, buttons, and a request with its answer.

import { STATUS_CODES } from 'node:http';

import { html } from 'hono/html';

import { failureAnswer } from '../../contract/failures.ts';
import { curlLines } from '../../contract/partner/curl.ts';
import { methodRows } from '../../oauth/methods.ts';
import { programmePaths } from '../../oauth/own_paths.ts';
import type { Reply } from '../../oauth/reply.ts';
import { logsIn, type Programme } from '../../programme/programme.ts';
import { type Frame, type Markup, renderPage } from '../page.ts';
import { type Click, clicksOf, type Held, type Sent } from './clicks.ts';
import { type Demo, demoPaths, loginRequest } from './demo.ts';
import type { SampleAnswer } from './sample_sending.ts';

/** @param demo whose page it is; absent for the start page */
export function demoPage(
  frame: Frame,
  heading: string,
  content: Markup,
  demo?: Demo,
): Promise<Reply> {
  const page = { status: 200, language: 'en', direction: 'ltr' } as const;
  if (demo === undefined) return renderPage(frame, { ...page, title: heading, content });
  const { programme } = demo;
  const whole = html`<nav aria-label="Demo"><a href="/">All programmes</a></nav>
    ${logoOf(programme)}
    <h1>${programme.name}: ${heading}</h1>
    <section class="card">${content}</section>`;
  return renderPage(frame, { ...page, title: `${heading} – ${programme.name}`, content: whole });
}

/** Only programmes with a login serve pictures. */
export function logoAddress(programme: Programme): string | undefined {
  const { logo } = programme.login;
  if (logo === undefined || !logsIn(programme)) return undefined;
  return programme.ownPath + programmePaths.pictures + logo.fileName;
}

function logoOf(programme: Programme): Markup | string {
  const address = logoAddress(programme);
  if (address === undefined) return '';
  const look = programme.login.logo?.adapts === true ? 'logo' : 'logo paper';
  return html`<img class="${look}" src="${address}" alt="" />`;
}

/** A programme on the start page, with what is not the same at all of them. */
export function startCard(demo: Demo, demos: readonly Demo[]): Markup {
  const { programme, dialect, by, member } = demo;
  const { id, name } = programme;
  const all = demos.map((one) => ownWays(one));
  const own = Object.entries(ownWays(demo)).filter(([of, way]) =>
    all.some((one) => one[of] !== way),
  );
  return html`<section class="card" aria-labelledby="${id}">
    ${logoOf(programme)}
    <h2 id="${id}">${name}</h2>
    <p>${dialect}</p>
    ${waysIn(demo)} ${own.length === 0 ? '' : html`<h3>How it differs</h3>`}
    <ul>
      ${own.map(([of, way]) => html`<li><strong>${of}</strong> ${way}</li>`)}
    </ul>
    <h3>Member</h3>
    ${values({ Username: member.username, Password: member.password })}
    <h3>Partner</h3>
    ${values({ Client: by.client.id, Secret: by.secret, 'API key': by.apiKey })}
    <p>
      <a href="${demoPaths(id).partner}">Page for partners</a>
      <a href="${demoPaths(id).commands}">Commands for bash</a>
    </p>
  </section>`;
}

/** What dialects differ in most, in words. */
function ownWays({ programme }: Demo): Readonly<Record<string, string>> {
  const { clients, grants, tokenEndpoints, access, verification } = programme;
  const { methods } = clients.authentication;
  const refused = failureAnswer(programme, 'client_authentication_failed');
  const headers = verification.comparedHeaders.map(({ name }) => name).join(', ');
  const { reading, path } = programme.login.endpoint;
  return {
    ...(logsIn(programme) && { 'Login request': `${reading.methods.join(' or ')} ${path}` }),
    'Token requests': tokenEndpoints.map((one) => one.path).join(', '),
    Grants: [...grants].join(', '),
    'The partner proves itself by': methods.map((one) => methodRows[one].offered).join(', or by '),
    'Access tokens': access.isSigned ? `JWTs (${access.algorithm})` : 'random texts',
    'Headers beside a token': headers === '' ? 'none' : headers,
    'A wrong secret is answered': `${refused.status} ${refused.body}`,
  };
}

export function values(named: Readonly<Record<string, string>>): Markup {
  const rows = Object.entries(named).map(
    ([name, value]) =>
      html`<dt>${name}</dt>
        <dd><code>${value}</code>${value.length > 12 ? copyButton(name) : ''}</dd>`,
  );
  return html`<dl>${rows}</dl>`;
}

/** Copies what stands before it; the page's script shows it. */
function copyButton(name: string): Markup {
  return html`<button type="button" class="copy" aria-label="Copy: ${name}" hidden>Copy</button>`;
}

/** Buttons for the ways to tokens that can begin with a click, the usual one first. */
export function waysIn(demo: Demo): Markup {
  const login = demo.programme.grants.has('authorization_code') ? loginButton(demo) : '';
  return html`${login} ${nextClicks(demo, {}, ['password', 'own'])}`;
}

/** A button for any method: a form with the method GET sends its fields as the query. */
function loginButton(demo: Demo): Markup {
  const { method, path, query, form } = loginRequest(demo, 'demo');
  const search = new URLSearchParams(query.map(([name, value]) => [name, value]));
  const fields = method === 'GET' ? query : form;
  const action = fields === undefined ? `${path}?${search.toString()}` : path;
  return html`<form method="${method.toLowerCase()}" action="${action}">
    ${fields?.map(([name, value]) => hiddenField(name, value)) ?? ''}
    <button>Log in as this member</button>
  </form>`;
}

function hiddenField(name: string, value: string): Markup {
  return html`<input type="hidden" name="${name}" value="${value}" />`;
}

/** Buttons of clicks, by their keys or groups; their form holds what the visitor has. */
export function nextClicks(demo: Demo, held: Held, keys: readonly string[]): Markup {
  const clicks = clicksOf(demo, held).filter(({ key, group = key }) => keys.includes(group));
  const buttons = clicks.map(
    ({ key, label, what }) =>
      html`<li><button name="click" value="${key}">${label}</button> ${what}</li>`,
  );
  return html`<form method="post" action="${demoPaths(demo.programme.id).tokens}">
    ${Object.entries(held).map(([name, value]) => hiddenField(name, String(value)))}
    <ul>
      ${buttons}
    </ul>
  </form>`;
}

/** A request with its answer, the tokens by then, and what can be clicked next. */
export function answerCard(demo: Demo, click: Click, { answer, isRefused, held }: Sent): Markup {
  const { group, label, what, request, good, refused } = click;
  const { access, refresh, ended } = held;
  const status = `${answer.status} ${STATUS_CODES[answer.status] ?? ''}`;
  const groups = new Set(clicksOf(demo, held).flatMap((one) => one.group ?? []));
  const tokens = { 'Access token': access ?? '', 'Refresh token': refresh ?? '' };
  return html`<h2>
      ${group === undefined ? label : `${label}: ${what}`}
      <span class="${isRefused ? 'status bad' : 'status'}">${status}</span>
    </h2>
    <p>${isRefused ? refused : good}</p>
    ${lines('Request', curlLines(demo.base, request))} ${copyButton('Request')}
    ${lines('Answer', answerText(answer))}
    <h2>Tokens${ended === undefined ? '' : html` <span class="status bad">ended</span>`}</h2>
    ${values(Object.fromEntries(Object.entries(tokens).filter(([, token]) => token !== '')))}
    <h2>Go on</h2>
    ${nextClicks(demo, held, ['verify', 'refresh', 'replay'])} ${waysIn(demo)}
    <details ${group === undefined ? '' : 'open'}>
      <summary><h2>Errors in this dialect</h2></summary>
      ${[...groups].map(
        (one) =>
          html`<h3>${one}</h3>
            ${nextClicks(demo, held, [one])}`,
      )}
    </details>`;
}

function lines(name: string, text: string): Markup {
  return html`<h3>${name}</h3>
    <pre tabindex="0" role="group" aria-label="${name}"><code>${text}</code></pre>`;
}

/** Headers of every answer, in every dialect. */
const dull =
  /^(?:date|connection|keep-alive|content-length|cache-control|pragma|vary|allow|x-request-id)$/;

function answerText({ headers, body }: SampleAnswer): string {
  const head = Object.entries(headers).filter(([name]) => !dull.test(name));
  const [, heading] = /<h1>(.*?)<\/h1>/s.exec(body) ?? [];
  const shown = heading === undefined ? indented(body) : `A page: ${heading}`;
  return [...head.map(([name, value]) => `${name}: ${value}`), '', shown].join('\n').trimEnd();
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
