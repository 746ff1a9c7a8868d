// Owns origins of web pages (RFC 6454): which ones may be registered, and the one that a request names.

import { isLoopback } from '../lib/ip_address.ts';
import { headerValues, type WireRequest } from './wire_request.ts';

const longest = 300;

/** As browsers write it: neither `null`, nor a wildcard, nor the origin of an app's own scheme. */
const originForm = /^https?:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]+)?$/;

/** Why an origin may not be registered, or undefined when it may: https anywhere, http on loopback. */
export function originFault(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || !originForm.test(url.origin)) {
    return 'is no origin of pages: expected https://, a host without wildcards, and its port if it is not 443';
  }
  if (url.origin !== text) return `is not written as browsers send it: ${url.origin}`;
  if (text.length > longest) return `is longer than ${longest} characters`;
  return url.protocol === 'http:' && !isLoopback(url.hostname)
    ? 'is plain http to another machine: use https'
    : undefined;
}

/** The origin of the page that sends a request; undefined where none can be registered. */
export function originOf(request: Pick<WireRequest, 'rawHeaders'>): string | undefined {
  const [origin = '', another] = headerValues(request, 'origin');
  const isOne = another === undefined && origin.length <= longest && originForm.test(origin);
  return isOne ? origin : undefined;
}
