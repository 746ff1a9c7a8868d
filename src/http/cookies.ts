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
 * The Set-Cookie that removes the oldest of too many login cookies: proxies refuse a request whose
 * Cookie header has grown past some kilobytes.
 */
export function takeBackOldest(
  request: WireRequest,
  isLogin: (name: string) => boolean,
  url: URL,
): string | undefined {
  const prefix = nameOn(url);
  // RFC 6265 5.4: browsers send the oldest first.
  const logins = cookiesOf(request).flatMap(([name]) => {
    const own = name.startsWith(prefix) ? name.slice(prefix.length) : '';
    return isLogin(own) ? [own] : [];
  });
  const [oldest = ''] = logins;
  return logins.length > mostLogins ? setCookie(oldest, '', url, 0) : undefined;
}

/** More than a person opens; some seventy bytes each. */
const mostLogins = 16;
