// Owns the forms of addresses in a configuration: where a server listens, where clients reach it, and networks.

import { isIP } from 'node:net';

import * as v from 'valibot';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Where the operators' listener is: an address, or a unix socket for the server's user and group. */
export type AdminPlace = Address | { readonly path: string };

const addressForm = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+):(\d{1,5})$/;

export const addressSchema: v.GenericSchema<unknown, Address> = v.pipe(
  v.string(),
  v.check(
    (text) => readAddress(text) !== undefined,
    'expected a host and a port, such as 127.0.0.1:8080',
  ),
  v.transform((text) => readAddress(text) ?? { host: '', port: 0 }),
);

const socketForm = 'unix:';

export const adminSchema: v.GenericSchema<unknown, AdminPlace> = v.pipe(
  v.string(),
  v.check(
    (text) => readAdmin(text) !== undefined,
    'expected a host and a port, such as 127.0.0.1:9090, or unix: and a path, such as unix:/run/jetway/admin.sock',
  ),
  v.transform((text) => readAdmin(text) ?? { path: '' }),
);

function readAdmin(text: string): AdminPlace | undefined {
  if (!text.startsWith(socketForm)) return readAddress(text);
  const path = text.slice(socketForm.length);
  return path === '' ? undefined : { path };
}

export function readAddress(text: string): Address | undefined {
  const [, host = '', port = ''] = addressForm.exec(text) ?? [];
  if (host === '' || Number(port) > 65_535) return undefined;
  if (host.startsWith('[') && isIP(host.slice(1, -1)) !== 6) return undefined;
  return { host: host.replaceAll(/[[\]]/g, ''), port: Number(port) };
}

/** Whether no two of them share an address. */
export function haveOwnPorts(addresses: readonly (AdminPlace | undefined)[]): boolean {
  // Port 0 means any free port, so two addresses with port 0 never clash.
  const used = addresses.flatMap((one) =>
    one !== undefined && 'port' in one && one.port > 0 ? [`${one.host} ${one.port}`] : [],
  );
  return new Set(used).size === used.length;
}

/** Under which clients reach the service. */
export const publicUrlSchema: v.GenericSchema<unknown, string> = v.pipe(
  v.string(),
  v.check((text) => {
    const url = URL.parse(text);
    return (
      url !== null &&
      /^https?:$/.test(url.protocol) &&
      url.username + url.password === '' &&
      // An empty query or fragment remains only in the text, not in the parsed URL.
      !/[?#]|\/$/.test(text) &&
      url.href.replace(/\/$/, '') === text
    );
  }, 'expected an http or https address in its plain form, without query or trailing slash, such as https://tokens.example.com'),
  // Requests are matched as sent: a path with a second spelling would be found by one spelling
  // only.
  v.check(
    (text) => /^(?:\/|(?:\/[\w.~-]+)+)$/.test(URL.parse(text)?.pathname ?? '/'),
    'segments of its path are of letters, digits, "-", "_", "." and "~"',
  ),
);

/** As CIDR. */
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
