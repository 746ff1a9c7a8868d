// Owns real Apaches with the configurations that docs/gateways.md shows: one verifies JWTs by a key set, the
// other asks Jetway about each token and stands before the API.

import { randomInt } from 'node:crypto';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';

import { createAuthority } from '../support/certificates.ts';
import { listenHere } from '../support/listen.ts';
import { apacheModules } from '../support/tools.ts';
import { blockNamed, filledIn } from './page.ts';
import { gatewayFolder, runGateway } from './process.ts';
import { type Door, host } from './through.ts';

const authority = createAuthority('Apaches of tests');
const certified = authority.issue(`DNS:${host}`);

/** What a configuration runs in, in place of Debian's own files. */
interface Surroundings {
  readonly folder: string;
  /** `127.1.2.3:8080` */
  readonly address: string;
  readonly write: (name: string, text: string) => void;
}

/** A folder and an address of its own. */
function surroundings(t: TestContext, files: Readonly<Record<string, string>>): Surroundings {
  // One of 16 million addresses of this machine: nobody else listens there.
  const address = `127.${[1, 2, 3].map(() => randomInt(1, 255)).join('.')}:8080`;
  return { ...gatewayFolder(t, files), address };
}

/** Runs Apache with these modules and this configuration; what it has logged. */
function runApache(
  t: TestContext,
  { folder, address, write }: Surroundings,
  modules: readonly string[],
  site: string,
): Promise<() => string> {
  write(
    'apache.conf',
    [
      `ServerRoot ${folder}`,
      `DefaultRuntimeDir ${folder}`,
      'ServerName localhost',
      'PidFile apache.pid',
      `Listen ${address}`,
      ...['mpm_event', 'authn_core', 'authz_core', ...modules].map(
        (name) => `LoadModule ${name}_module ${apacheModules}/mod_${name}.so`,
      ),
      'LogLevel notice',
      'ErrorLog "|$exec cat >&9"',
      `DocumentRoot ${folder}`,
      site,
    ].join('\n'),
  );
  return runGateway(t, folder, {
    // Apache closes the standard error of what it logs to.
    command: 'sh',
    args: ['-c', `exec 9>&2 apache2 -D FOREGROUND -f ${join(folder, 'apache.conf')}`],
    ready: /resuming normal operations/,
  });
}

export interface ApacheOptions {
  readonly issuer: string;
  readonly audience: string;
  readonly keySet: string;
}

/** Starts the one that knows a key set, as the page has it but for the addresses. Its URL. */
export async function startApache(
  t: TestContext,
  { issuer, audience, keySet }: ApacheOptions,
): Promise<string> {
  const place = surroundings(t, { 'index.html': 'passed' });
  const page = 'https://tokens.airline.example/second-club';
  const site = filledIn(blockNamed('/etc/apache2/conf-available/loyalty-api.conf'), [
    [`${page}/.well-known/jwks.json`, keySet],
    [`iss:${page}`, `iss:${issuer}`],
    [`aud:${page}`, `aud:${audience}`],
  ]);
  await runApache(t, place, ['oauth2'], site);
  return `http://${place.address}`;
}

/** Starts the one before the API, as the page has it but for addresses and credential; and what it logs. */
export async function startApacheGateway(
  t: TestContext,
  { jetway: behind, api, credential: [id, secret] }: ApacheGatewayOptions,
): Promise<{ readonly door: Door; readonly logged: () => string }> {
  const jetway = await startGatewayTls(t, behind);
  const place = surroundings(t, {
    'a.pem': certified.certificate,
    'a.key': certified.key,
    'ca.pem': authority.certificate,
  });
  const { folder, address } = place;
  const site = filledIn(blockNamed('/etc/apache2/sites-available/loyalty-api.conf'), [
    ['<VirtualHost *:443>', `<VirtualHost ${address}>`],
    ['/etc/apache2/api.airline.example', join(folder, 'a')],
    ['jetway.internal.example:8090', jetway],
    ['/etc/ssl/certs/ca-certificates.crt', join(folder, 'ca.pem')],
    ['127.0.0.1:9000', api],
    ['GATEWAY_ID', id],
    ['GATEWAY_SECRET', secret],
  ]);
  const modules = [
    'unique_id',
    'security2',
    'headers',
    'ssl',
    'proxy',
    'proxy_http',
    'auth_openidc',
  ];
  const logged = await runApache(t, place, modules, site);
  const [at = '', port = ''] = address.split(':');
  return {
    door: { at: { port: Number(port), host: at }, authority: authority.certificate },
    logged,
  };
}

/** TLS before the address where Jetway is asked, as `gateway_tls` has it; `host:port` */
function startGatewayTls(t: TestContext, behind: string): Promise<string> {
  const { certificate: cert, key } = authority.issue('IP:127.0.0.1');
  const [hostname, port] = behind.split(':');
  const server = createTlsServer({ cert, key }, (near) => {
    const far = connect(Number(port), hostname);
    near.pipe(far).pipe(near);
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
  });
  return listenHere(t, server);
}

export interface ApacheGatewayOptions {
  /** `host:port` each. */
  readonly jetway: string;
  readonly api: string;
  readonly credential: readonly [id: string, secret: string];
}
