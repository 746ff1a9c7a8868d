// Owns redirect URIs: which ones may be registered, and adding an answer's parameters.

import { isLoopback } from '../lib/ip_address.ts';
import { type Cause, describeText, endpointRule } from './cause.ts';
import type { Client } from './client.ts';

/** Browsers resolve these before they follow a redirect, `%2e` as well as a plain dot. */
const dotSegment = /\/(?:\.|%2e){1,2}(?:[/?]|$)/i;
const schemeForm = /^[a-z][a-z0-9+.-]*:/;

/**
 * Why a redirect URI may not be registered, or undefined when it may (RFC 9700 2.1 and 2.6,
 * HOSTILE 7). Allowed are https anywhere, http on loopback, and an app's own scheme with a dot in
 * it (RFC 8252 7.1); with `insecure` plain http anywhere, and nothing else.
 */
export function redirectUriFault(uri: string, insecure = false): string | undefined {
  if (!/^[\x21-\x7e]+$/.test(uri)) return 'holds spaces or characters outside ASCII';
  if (uri.length > 2000) return 'is longer than 2000 characters';
  if (/[*\\<>"^`{|}]/.test(uri)) return 'holds a wildcard or a character no URI may hold';
  if (/%(?![0-9A-Fa-f]{2})/.test(uri)) return 'holds a % that is no escape';
  if (uri.includes('#')) return 'has a fragment';
  const scheme = schemeForm.exec(uri)?.[0];
  if (scheme === undefined) return 'is not an absolute URI with a lower-case scheme';
  const url = URL.parse(uri);
  if (url === null) return 'is not a URI';
  if (insecure && !isInsecure(url)) {
    return 'is no plain http to another machine: register it as any other';
  }
  if (scheme === 'https:' || scheme === 'http:') return webUriFault(uri, url, insecure);
  if (!scheme.includes('.')) {
    return `has the scheme "${scheme}": only https:, http: on loopback, and an app's own reverse-domain scheme are allowed`;
  }
  return uri.length > scheme.length ? undefined : 'has nothing after its scheme';
}

function isInsecure({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !isLoopback(hostname);
}

/** Whether codes travel to a redirect URI in the clear over a network. */
export function isInsecureRedirectUri(uri: string): boolean {
  const url = URL.parse(uri);
  return url !== null && isInsecure(url);
}

function webUriFault(uri: string, url: URL, insecure: boolean): string | undefined {
  if (!uri.startsWith(`${url.protocol}//`)) return 'has no // after its scheme';
  if (uri.startsWith(`${url.protocol}///`)) return 'has no host after its //';
  if (url.username !== '' || url.password !== '' || uri.split('/')[2]?.includes('@') === true) {
    return 'holds credentials';
  }
  const host = /^\w+:\/\/([^/?]*?)(?::\d+)?(?:[/?]|$)/.exec(uri)?.[1];
  if (host?.toLowerCase() !== url.hostname) return 'has a host that is not in its plain form';
  if (dotSegment.test(uri)) return 'has dot segments';
  return isInsecure(url) && !insecure ? 'is plain http to another machine: use https' : undefined;
}

/**
 * Whether a redirect URI is one of the client's, compared to the letter. Only the port of a loopback
 * address may be another, of a public client: an app listens where a port is free (RFC 8252 7.3).
 */
export function isRegistered(sent: string, { redirectUris, isPublic }: Client): boolean {
  if (redirectUris.includes(sent)) return true;
  if (isPublic !== true) return false;
  const place = portless(sent);
  return place !== undefined && redirectUris.some((uri) => portless(uri) === place);
}

/** What varies holds nothing that ends a parameter or is decoded. */
const variedValue = /^[A-Za-z0-9._~-]{1,128}$/;

/**
 * The test by which one parameter may follow what is registered, last in the text: `?`, or `&` behind a query,
 * one of the names, `=`, and a value. No URL is parsed: everything before it is compared to the letter.
 */
export function compileRegistered(names: readonly string[]): typeof isRegistered {
  if (names.length === 0) return isRegistered;
  return (sent, client) => {
    if (isRegistered(sent, client)) return true;
    const end = sent.lastIndexOf('=');
    const start = Math.max(sent.lastIndexOf('?', end), sent.lastIndexOf('&', end));
    const [own, name] = [sent.slice(0, start), sent.slice(start + 1, end)];
    const sign = own.includes('?') ? '&' : '?';
    return (
      start > 0 &&
      sent.charAt(start) === sign &&
      names.includes(name) &&
      variedValue.test(sent.slice(end + 1)) &&
      isRegistered(own, client) &&
      // A second one could be read in place of the registered one.
      !queryNames(own).some((one) => names.includes(one))
    );
  };
}

/** A loopback URI without its port; undefined for any other. */
function portless(uri: string): string | undefined {
  const [, host, port = '1', rest] =
    /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::([1-9]\d{0,4}))?((?:[/?].*)?)$/s.exec(uri) ??
    [];
  return host !== undefined && Number(port) < 65_536 ? `${host} ${rest}` : undefined;
}

const uriParts = ['protocol', 'host', 'pathname', 'search', 'hash'] as const;
const partNames = {
  protocol: 'scheme',
  host: 'host',
  pathname: 'path',
  search: 'query',
  hash: 'fragment',
} as const;

/**
 * The sent redirect URI beside those of the client.
 *
 * @param varied names of the parameters that one of them may end with
 */
export function redirectCause(
  sent: string,
  { redirectUris }: Client,
  varied: readonly string[] = [],
): Cause {
  const more = varied.length === 0 ? '' : `, also with ${varied.join(' or ')} at its end`;
  const expected =
    redirectUris.length === 0 ? 'none: the client has none' : redirectUris.join(' or ') + more;
  return {
    rule: endpointRule('inputs', 'redirect_uri'),
    expected,
    came: describeRedirect(sent, redirectUris),
  };
}

/** Which part of a URI that was sent differs from the nearest registered one. */
function describeRedirect(sent: string, registered: readonly string[]): string {
  const url = URL.parse(sent);
  if (url === null) return `no URI, but ${describeText(sent)}`;
  const alike = (own: URL): number => uriParts.findIndex((part) => own[part] !== url[part]);
  const nearest = registered
    .flatMap((uri) => URL.parse(uri) ?? [])
    .map((own) => ({ own, first: alike(own) }))
    .toSorted((one, other) => rank(other.first) - rank(one.first))[0];
  if (nearest === undefined) return 'a URI';
  const part = uriParts[nearest.first];
  if (part === undefined) return `one spelled otherwise than ${nearest.own.href}`;
  const name = `a URI whose ${partNames[part]} differs from that of ${nearest.own.href}`;
  if (part === 'protocol' || part === 'host') return name;
  const right = nearest.own[part];
  const odd = Array.from(url[part]).findIndex((character, index) => character !== right[index]);
  if (right.toLowerCase() === url[part].toLowerCase()) return `${name} in letter case`;
  return `${name} at character ${(odd < 0 ? url[part].length : odd) + 1}`;
}

function rank(first: number): number {
  return first < 0 ? uriParts.length : first;
}

/**
 * The names of the parameters in a redirect URI's query, decoded. Some servers separate parameters at a
 * semicolon too (HTML 4.01 B.2.2), and read two where others read one.
 */
export function queryNames(redirectUri: string): readonly string[] {
  const question = redirectUri.indexOf('?');
  if (question < 0) return [];
  const pairs = redirectUri.slice(question + 1).split(/[&;]/);
  // What is no percent-encoded UTF-8 is decoded as browsers and servers do, and not refused.
  return pairs.flatMap((pair) => [...new URLSearchParams(pair).keys()]);
}

/**
 * The URI with parameters added to its query, or to a fragment, which a redirect URI never has. A query
 * the URI already has is kept (RFC 6749 4.1.2); each value is encoded once, so that nothing in it can
 * end the header or start another parameter. It never throws: the code is spent on it (HOSTILE 77).
 */
export function withParameters(
  redirectUri: string,
  parameters: Readonly<Record<string, string | undefined>>,
  sign: '?' | '#' = '?',
): string {
  let uri = redirectUri;
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    const between = uri.includes(sign) ? '&' : sign;
    uri += `${between}${encodeURIComponent(name)}=${encodeURIComponent(value.toWellFormed())}`;
  }
  return uri;
}
