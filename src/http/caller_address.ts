// Owns telling where a request came from: the socket's address, or what trusted proxies say of it.

import { plainAddress } from '../lib/ip_address.ts';

/** Whether an address is that of a proxy of the operator's own. */
export type ProxyTest = (address: string) => boolean;

/** Nobody is trusted: every caller is who is at the other end of the socket. */
export const noProxies: ProxyTest = () => false;

/**
 * The caller's address: the socket's, unless that is a trusted proxy's. Then it is the hop that the
 * rightmost trusted proxy took the request from; what stands further left anybody may have written
 * (HOSTILE 21, RFC 9700 4.13). A hop that is no address ends the search at the last one known.
 *
 * @param peer the socket's address, as node tells it; empty when the socket is gone
 * @param forwarded every X-Forwarded-For header, in order
 */
export function callerAddress(
  peer: string,
  forwarded: () => readonly string[],
  isProxy: ProxyTest,
): string {
  let address = plainAddress(peer) ?? peer;
  if (!isProxy(address)) return address;
  const hops = forwarded().flatMap((header) => header.split(','));
  for (const hop of hops.toReversed()) {
    const found = readHop(hop.trim());
    if (found === undefined) return address;
    address = found;
    if (!isProxy(address)) return address;
  }
  return address;
}

/** An address, also with a port or in brackets, as some proxies write it. */
function readHop(hop: string): string | undefined {
  const [, bracketed] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(hop) ?? [];
  const [, withPort] = /^([\d.]+):\d{1,5}$/.exec(hop) ?? [];
  return plainAddress(bracketed ?? withPort ?? hop);
}
