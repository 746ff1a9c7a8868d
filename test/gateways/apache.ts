// Owns a real Apache with the configuration that docs/gateways.md shows: it verifies JWTs by a key set.

import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

import { apacheModules } from '../support/tools.ts';
import { blockNamed, filledIn } from './page.ts';
import { gatewayFolder, runGateway } from './process.ts';

const modules = ['mpm_event', 'authn_core', 'authz_core', 'oauth2'];

export interface ApacheOptions {
  readonly issuer: string;
  readonly audience: string;
  readonly keySet: string;
}

/** Starts Apache as the page has it but for the addresses; it ends with the test. Its URL. */
export async function startApache(
  t: TestContext,
  { issuer, audience, keySet }: ApacheOptions,
): Promise<string> {
  const { folder, write } = gatewayFolder(t, {});
  // One of 16 million addresses of this machine: nobody else listens there.
  const address = `127.${[1, 2, 3].map(() => randomInt(1, 255)).join('.')}:8080`;
  const page = 'https://tokens.airline.example/second-club';
  const site = filledIn(blockNamed('/etc/apache2/conf-available/loyalty-api.conf'), [
    [`${page}/.well-known/jwks.json`, keySet],
    [`iss:${page}`, `iss:${issuer}`],
    [`aud:${page}`, `aud:${audience}`],
  ]);
  write('index.html', 'passed');
  write(
    'apache.conf',
    [
      `ServerRoot ${folder}`,
      'ServerName localhost',
      'PidFile apache.pid',
      `Listen ${address}`,
      ...modules.map((name) => `LoadModule ${name}_module ${apacheModules}/mod_${name}.so`),
      'LogLevel notice',
      'ErrorLog "|$exec cat >&9"',
      `DocumentRoot ${folder}`,
      site,
    ].join('\n'),
  );
  await runGateway(t, folder, {
    // Apache closes the standard error of what it logs to.
    command: 'sh',
    args: ['-c', `exec 9>&2 apache2 -D FOREGROUND -f ${join(folder, 'apache.conf')}`],
    ready: /resuming normal operations/,
  });
  return `http://${address}`;
}
