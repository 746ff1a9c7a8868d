// Owns the pages for a path without an endpoint and for a wrong method; clients that take no HTML get
// the plain answer.

import { html } from 'hono/html';

import { accepts } from '../language/input_formats.ts';
import type { Cause } from '../oauth/cause.ts';
import type { Reply } from '../oauth/reply.ts';
import { headerValues, type RequestHead } from '../oauth/wire_request.ts';
import type { LoginPageName } from '../programme/login/texts.ts';
import type { HeadReply } from './endpoints.ts';
import { type LoginSite, textsFor } from './login_handlers.ts';
import { plainFrame, renderPage, statusSign } from './page.ts';
import { withHeaders } from './respond.ts';

/**
 * Whether the caller is a browser: it accepts HTML by name and sends no credentials. API clients accept
 * anything at most; old Java clients accept HTML by name, but send credentials.
 */
function takesHtml(head: RequestHead): boolean {
  const accept = headerValues(head, 'accept').join(',');
  return accepts(accept, ['text/html']) && headerValues(head, 'authorization').length === 0;
}

/** Notes in the record why a request is refused without its endpoint's work. */
export function noting(
  answer: HeadReply | Reply,
  reason: string,
  causeOf: (path: string) => Cause,
): HeadReply {
  return (head) => {
    head.record.failure = { reason, facts: { cause: causeOf(head.path) } };
    return typeof answer === 'function' ? answer(head) : answer;
  };
}

/** A programme's page for browsers, with the status and headers of the answer to other clients. */
export function orPage(
  { service, pages, pageHeaders }: LoginSite,
  page: LoginPageName,
  otherwise: Reply,
  headers: Readonly<Record<string, string>> = {},
): HeadReply {
  return async (head) => {
    if (!takesHtml(head)) return otherwise;
    const texts = textsFor(service.programme, head);
    const reply = await pages.standing(page, texts, otherwise.status);
    return withHeaders(reply, { ...headers, ...pageHeaders });
  };
}

/** The answer to unknown paths: a page of the programme whose path they are below, or a plain page. */
export function missingPage(
  sites: readonly LoginSite[],
  otherwise: Reply,
  pageHeaders: LoginSite['pageHeaders'],
): HeadReply {
  const byPath = new Map<string, HeadReply>();
  for (const site of sites) {
    const { ownPath, basePath, selectors } = site.service.programme;
    const answer = orPage(site, 'not_found', otherwise);
    byPath.set(ownPath, answer);
    const isDefault = [...selectors.values()].some((selector) => selector.isDefault);
    if (isDefault || !byPath.has(basePath)) byPath.set(basePath, answer);
  }
  // Of two paths, one below the other, the longer one decides.
  const longestFirst = [...byPath].toSorted(([one], [other]) => other.length - one.length);
  let plain: Promise<Reply> | undefined;
  return (head) => {
    if (!takesHtml(head)) return otherwise;
    const [, below] =
      longestFirst.find(([path]) => head.path === path || head.path.startsWith(`${path}/`)) ?? [];
    if (below !== undefined) return below(head);
    return (plain ??= plainPage(otherwise.status, pageHeaders));
  };
}

async function plainPage(status: number, more: LoginSite['pageHeaders']): Promise<Reply> {
  const title = 'Page not found';
  const content = html`${statusSign(status)}
    <h1>${title}</h1>
    <p>There is nothing at this address.</p>`;
  const page = { status, title, language: 'en', direction: 'ltr', content } as const;
  return withHeaders(await renderPage(plainFrame, page), more);
}
