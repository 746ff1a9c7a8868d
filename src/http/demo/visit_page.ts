// Owns the page of a visit: its tokens, requests, answers, and next steps.

import { STATUS_CODES } from 'node:http';

import { html } from 'hono/html';

import { curlLines } from '../../contract/partner/curl.ts';
import type { Reply } from '../../oauth/reply.ts';
import type { Frame, Markup } from '../page.ts';
import { demoPaths } from './demo.ts';
import { clock, clubPage, copyable, copyableLines } from './parts.ts';
import type { SampleAnswer } from './sample_sending.ts';
import { waysIn } from './start_page.ts';
import { type DemoFault, faultsOf, otherReasons, type Step, stepsOf } from './steps.ts';
import type { Exchange, HeldToken, Visit } from './visit.ts';

export function visitPage(frame: Frame, visit: Visit): Promise<Reply> {
  return clubPage(frame, visit.demo, 'Tokens', [
    tokenCards(visit),
    html`<ol class="exchanges">
      ${visit.exchanges.map((one, index) => exchangeItem(visit, one, index))}
    </ol>`,
    nextSteps(visit),
    faultList(visit),
  ]);
}

function tokenCards({ access, refresh, ended }: Visit): Markup {
  const card = (name: string, token: HeldToken | undefined): Markup | string =>
    token === undefined
      ? ''
      : html`<section class="card token" aria-label="${name}">
          <h2>
            ${name} ${ended ? html`<span class="clock over">ended</span>` : clock(token.until)}
          </h2>
          <dl>${copyable(name, token.text)}</dl>
          ${inside(token.text)}
        </section>`;
  return html`<div class="tokens">
    ${card('Access token', access)}${card('Refresh token', refresh)}
  </div>`;
}

/** What a token says by itself: the content of a JWT. */
function inside(token: string): Markup {
  const [header, claims] = readJwt(token);
  if (header === undefined || claims === undefined) {
    return html`<p class="note">Opaque: it says nothing by itself. Jetway knows whose it is.</p>`;
  }
  const timeItems = Object.entries(times).flatMap(([name, means]) => {
    const seconds = claims[name];
    if (typeof seconds !== 'number') return [];
    const at = new Date(seconds * 1000).toUTCString();
    return [html`<li><code>${name}</code> ${means}: ${at}</li>`];
  });
  return html`<details>
    <summary>What is inside</summary>
    <p class="note">A JWT: anybody can read it, and check its signature with the key set.</p>
    ${copyableLines('Header', JSON.stringify(header, null, 2))}
    ${copyableLines('Claims', JSON.stringify(claims, null, 2))}
    <h3>Times</h3>
    <ul>
      ${timeItems}
    </ul>
  </details>`;
}

/** RFC 7519 4.1. */
const times = { iat: 'issued', nbf: 'not good before', exp: 'expires' } as const;

/** Header and claims of a JWT; nothing of an opaque token. */
function readJwt(token: string): readonly Readonly<Record<string, unknown>>[] {
  const parts = token.split('.');
  try {
    const read = parts.slice(0, 2).map((part): unknown => {
      return JSON.parse(Buffer.from(part, 'base64url').toString());
    });
    return parts.length === 3 ? (read as readonly Readonly<Record<string, unknown>>[]) : [];
  } catch {
    return [];
  }
}

function exchangeItem({ demo, exchanges }: Visit, exchange: Exchange, index: number): Markup {
  const { title, told, request, answer, isRefused } = exchange;
  const isLast = index === exchanges.length - 1;
  const look = isRefused ? 'status bad' : 'status';
  return html`<li id="answer-${String(index + 1)}">
    <details class="card" ${isLast ? 'open' : ''}>
      <summary>
        <h2>${title}</h2>
        <span class="${look}">${String(answer.status)} ${STATUS_CODES[answer.status] ?? ''}</span>
      </summary>
      ${told === '' ? '' : html`<p>${told}</p>`}
      ${copyableLines('Request', curlLines(demo.base, request))}
      ${copyableLines('Answer', answerText(answer))}
    </details>
  </li>`;
}

/** Headers to leave out: they do not depend on the dialect. */
const dull =
  /^(?:date|connection|keep-alive|content-length|cache-control|pragma|vary|allow|x-content-type-options|x-frame-options|x-robots-tag|referrer-policy|content-security-policy|content-language)$/;

function answerText({ headers, body }: SampleAnswer): string {
  const head = Object.entries(headers).filter(([name]) => !dull.test(name));
  const lines = head.map(([name, value]) => `${name}: ${value}`);
  return [...lines, ...(body === '' ? [] : ['', pretty(headers['content-type'] ?? '', body)])].join(
    '\n',
  );
}

function pretty(type: string, body: string): string {
  if (type.startsWith('text/html')) {
    const [, heading = ''] = /<h1>(.*?)<\/h1>/s.exec(body) ?? [];
    return `A page: ${heading}`;
  }
  if (type.startsWith('application/x-www-form-urlencoded')) return body.replaceAll('&', '\n&');
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body.replaceAll(/>(?=<[^/])/g, '>\n');
  }
}

/** The suggested step: the first unused one; after the tokens have ended, Verify. */
function suggested({ done, ended }: Visit, possible: readonly Step[]): Step | undefined {
  const isUnused = ({ name }: Step): boolean =>
    ended ? name === 'verify' && done.at(-1) !== 'verify' : !done.includes(name);
  return possible.find(isUnused);
}

function nextSteps(visit: Visit): Markup {
  const possible = stepsOf(visit);
  const best = suggested(visit, possible);
  const items = possible.map((step) => {
    const { name, label, what } = step;
    const left = name === 'again' && visit.spent ? clock(visit.spent.until) : '';
    return html`<li>
      <button name="step" value="${name}" class="${step === best ? '' : 'plain'}">${label}</button>
      <p>${what(visit)} ${left}</p>
    </li>`;
  });
  return html`<section class="card" aria-labelledby="next">
    <h2 id="next">Go on</h2>
    <form method="post" action="${actionOf(visit)}">
      <ul class="steps">
        ${items}
      </ul>
    </form>
    ${best === undefined ? waysIn(visit.demo) : ''}
  </section>`;
}

function actionOf({ demo, id }: Visit): string {
  return `${demoPaths(demo.programme.id).tokens}?visit=${id}`;
}

/** Errors by group; each button sends the request of its error. */
function faultList(visit: Visit): Markup {
  const faults = faultsOf(visit);
  const tile = ({ key, reason, what }: DemoFault): Markup =>
    html`<li>
      <button name="fault" value="${key}" class="plain tile">
        <code>${reason}</code> <span>${what}</span>
      </button>
    </li>`;
  const groups = [...Map.groupBy(faults, ({ group }) => group)].map(
    ([group, found]) =>
      html`<h3>${group}</h3>
        <ul class="tiles">
          ${found.map(tile)}
        </ul>`,
  );
  const unsent = otherReasons(faults).map((reason) => {
    const { status, body } = visit.demo.programme.renderFailure(reason);
    return html`<li class="tile">
      <code>${reason}</code> <span>${String(status)} ${body}</span>
    </li>`;
  });
  return html`<section class="card folded" aria-labelledby="errors">
    <details ${visit.isAtErrors ? 'open' : ''}>
      <summary><h2 id="errors">Errors in this dialect</h2></summary>
      <p class="note">Each is one request with one thing wrong.</p>
      <form method="post" action="${actionOf(visit)}">${groups}</form>
      <h3>What one request from here does not bring about</h3>
      <ul class="tiles">
        ${unsent}
      </ul>
    </details>
  </section>`;
}
