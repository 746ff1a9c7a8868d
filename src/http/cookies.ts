// Owns the cookies of a login: their names on the wire, setting and reading them.

import { cookiesOf, type WireRequest } from '../oauth/wire_request.ts';

/**
 * A cookie for one login page. On https its name begins with `__Host-`: browsers take such a cookie
 * from this very host alone, so a neighbour of the domain cannot plant one (RFC 6265bis 4.1.3.2,
 * HOSTILE 67). They then ask for `Path=/`, so the rest of the name keeps programmes apart.
 */
export function setCookie(name: string, value: string, url: URL, maxAge: number): string {
  const isSecure = url.protocol === 'https:';
  const path = isSecure ? '/' : url.pathname;
  // Lax: the login page is reached by a redirect from another site, whose request is a plain GET.
  const attributes = `Path=${path}; Max-Age=${maxAge}; HttpOnly; SameSite=Lax`;
  return `${nameOn(url)}${name}=${value}; ${attributes}${isSecure ? '; Secure' : ''}`;
}

function nameOn(url: URL): string {
  return url.protocol === 'https:' ? '__Host-' : '';
}

/** The value of a cookie, if exactly one of that name was sent: of two, either could be ours. */
export function cookieValue(request: WireRequest, name: string, url: URL): string | undefined {
  const found = cookiesOf(request).filter(([sent]) => sent === nameOn(url) + name);
  return found.length === 1 ? found[0]?.[1] : undefined;
}

/**
 * The Set-Cookies that remove the oldest of too many login cookies: proxies refuse a request whose Cookie
 * header has grown past some kilobytes. On https it is the header of the whole host, so all programmes share
 * the bound.
 *
 * @param own names of cookies that stay: of the login that the browser is in, or begins now
 */
export function takeBackOldest(
  request: Pick<WireRequest, 'rawHeaders'>,
  isLogin: (name: string) => boolean,
  url: URL,
  own: readonly string[],
): readonly string[] {
  const prefix = nameOn(url);
  const sent = cookiesOf(request).flatMap(([name]) => {
    const plain = name.startsWith(prefix) ? name.slice(prefix.length) : '';
    return isLogin(plain) && !own.includes(plain) ? [plain] : [];
  });
  // RFC 6265 5.4: browsers send the oldest first.
  const tooMany = new Set(sent.slice(0, Math.max(0, sent.length + own.length - mostLogins)));
  return [...tooMany].slice(0, mostAtOnce).map((name) => setCookie(name, '', url, 0));
}

/** More than a person opens; some seventy bytes each (HOSTILE 92). */
const mostLogins = 8;

/** Of an older version's cookies there may be hundreds: a header of some ten kilobytes takes them back. */
const mostAtOnce = 100;
