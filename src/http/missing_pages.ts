// Owns what a browser gets where no page is, or none by that method; whoever takes no HTML gets the
// house's own answer.

import { html } from 'hono/html';

import type { Reply } from '../oauth/reply.ts';
import { headerValues, type RequestHead } from '../oauth/wire_request.ts';
import type { LoginPageName } from '../programme/login/texts.ts';
import { accepts } from '../programme/requests/input_formats.ts';
import type { HeadReply } from './endpoints.ts';
import { type LoginSite, textsFor } from './login_handlers.ts';
import { plainFrame, renderPage } from './page.ts';
import { withHeaders } from './respond.ts';

/**
 * Whether the caller is a browser: it asks for HTML by name, where API clients at most take anything,
 * but for old Java ones, which unlike browsers send credentials with the first request.
 */
function takesHtml(head: RequestHead): boolean {
  const accept = headerValues(head, 'accept').join(',');
  return accepts(accept, ['text/html']) && headerValues(head, 'authorization').length === 0;
}

/** A programme's page for browsers, with the status and the headers of what others get. */
export function orPage(
  { service, pages }: LoginSite,
  page: LoginPageName,
  otherwise: Reply,
  headers: Readonly<Record<string, string>> = {},
): HeadReply {
  return async (head) => {
    if (!takesHtml(head)) return otherwise;
    const texts = textsFor(service.programme, head);
    return withHeaders(await pages.standing(page, texts, otherwise.status), headers);
  };
}

/** What stands where nothing is: a page of the programme whose path it is below, or one of none. */
export function missingPage(sites: readonly LoginSite[], otherwise: Reply): HeadReply {
  const byPath = new Map<string, HeadReply>();
  for (const site of sites) {
    const { ownPath, basePath, selectors } = site.service.programme;
    const answer = orPage(site, 'not_found', otherwise);
    byPath.set(ownPath, answer);
    const isDefault = [...selectors.values()].some((selector) => selector.isDefault);
    if (isDefault || !byPath.has(basePath)) byPath.set(basePath, answer);
  }
  // Of two paths, one below the other, the longer is the programme's.
  const longestFirst = [...byPath].toSorted(([one], [other]) => other.length - one.length);
  let plain: Promise<Reply> | undefined;
  return (head) => {
    if (!takesHtml(head)) return otherwise;
    const [, below] =
      longestFirst.find(([path]) => head.path === path || head.path.startsWith(`${path}/`)) ?? [];
    return below === undefined ? (plain ??= plainPage(otherwise.status)) : below(head);
  };
}

function plainPage(status: number): Promise<Reply> {
  const title = 'Page not found';
  const content = html`<h1>${title}</h1>
    <p>There is nothing at this address.</p>`;
  return renderPage(plainFrame, { status, title, language: 'en', direction: 'ltr', content });
}
