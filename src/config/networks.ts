// Owns networks in the configuration, as CIDR.

import { isIP } from 'node:net';

import * as v from 'valibot';

function isNetwork(text: string): boolean {
  const [, address = '', bits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return Number(bits) <= longest;
}

const networkSchema = v.pipe(
  v.string(),
  v.check(isNetwork, 'expected a network such as 10.0.0.0/8 or fd00::/8'),
);

export const networksSchema: v.OptionalSchema<
  v.ArraySchema<v.GenericSchema<string>, undefined>,
  readonly []
> = v.optional(v.array(networkSchema), []);
