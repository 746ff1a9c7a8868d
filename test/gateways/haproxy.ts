// Owns a real HAProxy with the configuration that docs/gateways.md shows.

import { join } from 'node:path';
import type { TestContext } from 'node:test';

import { createAuthority } from '../support/certificates.ts';
import { blockNamed, filledIn } from './page.ts';
import { type GatewayCommand, gatewayFolder, runGateway } from './process.ts';
import { type Door, host } from './through.ts';

const authority = createAuthority('Gateways of tests');
const certified = authority.issue(`DNS:${host}`);

/** Runs the `haproxy.cfg` of a folder. */
export const haproxyCommand: GatewayCommand = {
  command: 'haproxy',
  args: ['-W', '-f', 'haproxy.cfg'],
  ready: /Loading success/,
};

/** Starts HAProxy as the page has it but for the addresses, those of Jetway and of the API. */
export async function startHaproxy(t: TestContext, jetway: string, api: string): Promise<Door> {
  const { folder, write } = gatewayFolder(t, {
    'front.pem': certified.certificate + certified.key,
  });
  const [path, script] = [join(folder, 'front'), join(folder, 'jetway.lua')];
  const lua = blockNamed('/etc/haproxy/jetway.lua', 'gateways.md', '--');
  write('jetway.lua', filledIn(lua, [['127.0.0.1:8090', jetway]]));
  const text = filledIn(blockNamed('/etc/haproxy/haproxy.cfg'), [
    ['/etc/haproxy/jetway.lua', script],
    ['bind :443', `bind unix@${path}`],
    ['/etc/haproxy/api.airline.example.pem', join(folder, 'front.pem')],
    ['127.0.0.1:9000', api],
  ]);
  write('haproxy.cfg', text);
  await runGateway(t, folder, haproxyCommand);
  return { at: { path }, authority: authority.certificate };
}
