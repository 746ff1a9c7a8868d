// Owns IP addresses as text: their canonical spelling, their network, and lists of networks.

import { BlockList, isIP, SocketAddress } from 'node:net';

/** Whether a host, with or without the brackets of an IPv6 address in a URL, is this machine. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/.test(host);
}

const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/;

/**
 * The canonical spelling of an address; that of an IPv4-mapped IPv6 address is the IPv4 address.
 * Undefined for any other text, also for zone identifiers, which have a meaning on one machine only.
 */
export function plainAddress(text: string): string | undefined {
  const family = text.includes('%') ? 0 : isIP(text);
  if (family === 0) return undefined;
  if (family === 4) return text;
  const { address } = new SocketAddress({ address: text, family: 'ipv6' });
  return mapped.exec(address)?.[1] ?? address;
}

/**
 * The unit that limits count by: an IPv4 address, or the /64 of an IPv6 address, whose holder has all
 * addresses in it. Any other text is returned as it is.
 */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right];
  return `${groups.slice(0, 4).join(':')}::/64`;
}

/** Whether an address, as `plainAddress` spells it, is in one of the networks; they are read once. */
export function networkTest(cidrs: readonly string[]): (address: string) => boolean {
  if (cidrs.length === 0) return () => false;
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [network = '', bits = ''] = cidr.split('/');
    list.addSubnet(network, Number(bits), isIP(network) === 6 ? 'ipv6' : 'ipv4');
  }
  return (address) => {
    const family = isIP(address);
    return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4');
  };
}
