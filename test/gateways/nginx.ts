// Owns a real nginx with the configuration that docs/gateways.md shows.

import { join } from 'node:path';
import type { TestContext } from 'node:test';

import { createAuthority } from '../support/certificates.ts';
import { blockNamed, filledIn } from './page.ts';
import { type GatewayCommand, gatewayFolder, runGateway } from './process.ts';
import { type Door, host } from './through.ts';

const authority = createAuthority('Gateways of tests');
const certified = authority.issue(`DNS:${host}`);

/** What a distribution's nginx.conf has around it, in a folder that needs no rights. */
export const surroundings = `
daemon off;
worker_processes 1;
error_log stderr notice;
pid nginx.pid;
events { worker_connections 256; }
http {
  access_log off;
  client_body_temp_path bodies;
  proxy_temp_path proxied;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  include site.conf;
}
`;

/** Runs the `nginx.conf` of a folder. */
export function nginxIn(folder: string): GatewayCommand {
  return {
    command: 'nginx',
    args: ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'],
    ready: /start worker process \d+/,
  };
}

export interface NginxOptions {
  /** `host:port` of Jetway and of the API. */
  readonly jetway: string;
  readonly api: string;
  /** Texts of the configuration that are to be others here. */
  readonly changes?: readonly (readonly [string, string])[];
}

/** Starts nginx as the page has it but for the addresses; it ends with the test. */
export async function startNginx(
  t: TestContext,
  { jetway, api, changes = [] }: NginxOptions,
): Promise<Door> {
  const { folder, write } = gatewayFolder(t, {
    'nginx.conf': surroundings,
    'jetway-headers.conf': blockNamed('/etc/nginx/jetway-headers.conf'),
    [`${host}.pem`]: certified.certificate,
    [`${host}.key`]: certified.key,
  });
  // A socket's path, unlike a port, cannot be taken by somebody else meanwhile.
  const path = join(folder, 'front');
  const text = filledIn(blockNamed('/etc/nginx/conf.d/loyalty-api.conf'), [
    ['listen 443 ssl;', `listen unix:${path} ssl http2;`],
    [`/etc/nginx/${host}`, join(folder, host)],
    ['127.0.0.1:8090', jetway],
    ['127.0.0.1:9000', api],
    ...changes,
  ]);
  write('site.conf', text);
  await runGateway(t, folder, nginxIn(folder));
  return { at: { path }, authority: authority.certificate };
}
