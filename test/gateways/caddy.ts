// Owns a real Caddy with the configuration that docs/gateways.md shows.

import { join } from 'node:path';
import type { TestContext } from 'node:test';

import { createAuthority } from '../support/certificates.ts';
import { blockNamed, filledIn } from './page.ts';
import { type GatewayCommand, gatewayFolder, runGateway } from './process.ts';
import { type Door, host } from './through.ts';

const authority = createAuthority('Gateways of tests');
const certified = authority.issue(`DNS:${host}`);

/** Runs the `Caddyfile` of a folder. */
export function caddyIn(folder: string): GatewayCommand {
  return {
    command: 'caddy',
    args: ['run', '--config', 'Caddyfile', '--adapter', 'caddyfile'],
    env: { HOME: folder },
    ready: /"serving initial configuration"/,
  };
}

/** Starts Caddy as the page has it but for the addresses, those of Jetway and of the API. */
export async function startCaddy(t: TestContext, jetway: string, api: string): Promise<Door> {
  const { folder, write } = gatewayFolder(t, {
    'cert.pem': certified.certificate,
    'key.pem': certified.key,
  });
  const path = join(folder, 'front');
  const site = `{
	admin off
	auto_https off
}

https://${host} {
	bind unix/${path}
	tls ${join(folder, 'cert.pem')} ${join(folder, 'key.pem')}
`;
  const text = filledIn(blockNamed('/etc/caddy/Caddyfile'), [
    [`\n${host} {\n`, `\n${site}`],
    ['127.0.0.1:8090', jetway],
    ['127.0.0.1:9000', api],
  ]);
  write('Caddyfile', text);
  await runGateway(t, folder, caddyIn(folder));
  return { at: { path }, authority: authority.certificate };
}
