// Owns which addresses a call to the internet may reach: a name that leads into a private network would
// let strangers ask there in this machine's name.

import { lookup as lookUp, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';

import { networkTest, plainAddress } from '../ip_address.ts';

/** Networks that are nobody's on the internet (RFC 6890 and the registries of IANA). */
const isSpecial = networkTest([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  // Addresses that hold others: Teredo and 6to4.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
]);

/** All of IPv6 that has been given to anybody. */
const isGlobal = networkTest(['2000::/3']);

/** Whether an address may be called. */
export type AddressTest = (address: string) => boolean;

/** @param networks that may be called besides public addresses, as CIDR */
export function callableAddress(networks: readonly string[]): AddressTest {
  const isAllowed = networkTest(networks);
  return (text) => {
    const address = plainAddress(text);
    if (address === undefined) return false;
    if (isAllowed(address)) return true;
    return !isSpecial(address) && (isIP(address) === 4 || isGlobal(address));
  };
}

/**
 * Looks a name up and leaves out the addresses that may not be called. The connection goes to what this
 * returns: no second look-up can lead elsewhere. Node does not look up a host that is an address.
 */
export function guardedLookup(mayCall: AddressTest): LookupFunction {
  return (host, options, done) => {
    lookUp(host, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, []);
      const [first, ...others] = found.filter(({ address }) => mayCall(address));
      if (first === undefined) return done(notCallable(), []);
      const all: LookupAddress[] = [first, ...others];
      return options.all === true ? done(null, all) : done(null, first.address, first.family);
    });
  };
}

function notCallable(): NodeJS.ErrnoException {
  return Object.assign(new Error('a private address'), { code: 'a private address' });
}
