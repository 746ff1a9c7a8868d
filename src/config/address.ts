// Owns the places in a configuration where a server listens.

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
