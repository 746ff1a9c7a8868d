// Owns the login cookie: how it is set, and how it is found in a request.

import { headerValues, type WireRequest } from '../oauth/wire_request.ts';

/** A cookie for one login page; on https it never leaves the encrypted connection. */
export function setCookie(name: string, value: string, url: URL, maxAge: number): string {
  const secure = url.protocol === 'https:' ? '; Secure' : '';
  // Lax: the login page is reached by a redirect from another site, whose request is a plain GET.
  return `${name}=${value}; Path=${url.pathname}; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}

/** The value of a cookie, if exactly one of that name was sent: two would leave open which is ours. */
export function cookieValue(request: WireRequest, name: string): string | undefined {
  const found = headerValues(request, 'cookie')
    .flatMap((header) => header.split(';'))
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return found.length === 1 ? found[0] : undefined;
}
