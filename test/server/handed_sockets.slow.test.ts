// Owns the promises of sockets that are handed down: who gets which, and what is refused.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { CommandError } from '../../src/server/exit.ts';
import { handedSockets } from '../../src/server/handed_sockets.ts';
import { configText, jetway, putSecret, workFolder } from '../cli/command.ts';
import { startServer } from '../cli/server.ts';
import { createAuthority } from '../support/certificates.ts';
import { holdSockets } from '../support/socket_holder.ts';
import { without } from '../support/tools.ts';
import { ask } from '../support/wire.ts';

const own = String(process.pid);

/** What is made of these variables, and those that are left. */
function handed(names: string, count: number, pid = own): readonly unknown[] {
  const environment = { LISTEN_PID: pid, LISTEN_FDS: String(count), LISTEN_FDNAMES: names, A: 'b' };
  return [[...handedSockets(environment)], environment];
}

describe('sockets in the environment', () => {
  test('go to listeners by their names, and to no process that is started later', () => {
    const left = { A: 'b' };
    const all = [
      ['admin', 3],
      ['listen', 4],
      ['gateway', 5],
    ];
    assert.deepEqual(handed('admin:listen:gateway', 3), [all, left]);
    assert.deepEqual(handed('listen', 1), [[['listen', 3]], left]);
    assert.deepEqual(handed('', 0), [[], left]);
    assert.deepEqual(handed('listen', 1, '1'), [[], left], 'they are for another process');
    assert.deepEqual(handedSockets({}), new Map());
  });

  for (const [names, count, fault] of [
    [
      'listen:jetway.socket',
      2,
      'socket 2 of those that were handed down (LISTEN_FDS) is named "jetway.socket"',
    ],
    ['', 1, 'socket 1 of those that were handed down (LISTEN_FDS) is named ""'],
    ['listen', 2, 'socket 2 of those that were handed down (LISTEN_FDS) is named ""'],
    ['listen:listen', 2, 'socket 2 of those that were handed down (LISTEN_FDS) is listen, too'],
  ] as const) {
    test(`are refused where names are ${JSON.stringify(names)} of ${count}`, () => {
      const message = `${fault}: one each may be named listen, gateway, admin (FileDescriptorName= of its unit)`;
      assert.throws(() => handed(names, count), new CommandError(3, message));
    });
  }
});

describe('serve with handed sockets', { skip: without('python3') }, () => {
  test(
    'answers at each of them, with TLS too, and hands none on',
    { skip: without('openssl') },
    async (t) => {
      const authority = createAuthority('Jetway');
      const { certificate, key } = authority.issue('IP:127.0.0.1', 90);
      const pair = '{ certificate_file: own.pem, key_file: own.key }';
      const config = `${configText}tls: ${pair}\ngateway: 127.0.0.1:0\nadmin: 127.0.0.1:0\nstop_delay: 0s\n`;
      const folder = workFolder(t, { 'config.yaml': config, 'own.pem': certificate });
      putSecret(folder, 'own.key', key);
      const { addresses, under } = await holdSockets(t, 'tcp', 'tcp', 'tcp');
      const server = await startServer(t, folder, { under: under('listen:gateway:admin') });
      const [listen = '', gateway = '', admin = ''] = addresses;
      assert.deepEqual(
        [server.url, server.gateway, server.admin],
        [`https://${listen}`, `http://${gateway}`, `http://${admin}`],
      );
      const tls = { ca: authority.certificate };
      assert.equal((await ask(server.url, '/nowhere', { tls })).status, 404);
      assert.equal((await ask(server.gateway, '/club/verify/none')).status, 401);
      assert.equal((await ask(server.admin, '/readyz')).status, 200);
      for (const descriptor of [3, 4, 5]) {
        const info = readFileSync(`/proc/${server.child.pid}/fdinfo/${descriptor}`, 'utf8');
        const [, flags = '0'] = /^flags:\s+(\d+)$/m.exec(info) ?? [];
        assert.ok((Number.parseInt(flags, 8) & 0o2000000) !== 0, 'closed in started processes');
      }
      // Where gateways ask is for the manager to say.
      writeFileSync(
        join(folder, 'config.yaml'),
        config.replace('gateway: 127.0.0.1:0', 'gateway: 127.0.0.2:0'),
      );
      const { code, stdout } = await jetway(folder, ['reload']);
      assert.equal(code, 3);
      assert.match(
        stdout,
        /^gateway: not taken up: the socket was handed down: change it where it comes from \(ListenStream= of its unit\), and restart$/m,
      );
      assert.equal((await ask(server.gateway, '/club/verify/none')).status, 401);
      assert.equal(await server.end('SIGTERM'), 0);
    },
  );

  test('those for another process are left alone', async (t) => {
    const { addresses, under } = await holdSockets(t, 'tcp');
    const server = await startServer(t, workFolder(t), { under: under('listen', 1) });
    assert.notEqual(server.url, `http://${addresses[0]}`);
  });

  for (const [kind, names, code, fault] of [
    [
      'unix',
      'listen',
      1,
      'cannot listen at the socket that was handed down (listen): it is no TCP socket',
    ],
    [
      'tcp',
      'gateway',
      3,
      'a socket for gateway was handed down, but the configuration has no gateway: add it, or take the socket from the unit (Sockets=)',
    ],
  ] as const) {
    test(`a ${kind} socket for ${names} is refused`, async (t) => {
      const { under } = await holdSockets(t, kind);
      const started = startServer(t, workFolder(t), { under: under(names) });
      await assert.rejects(
        started,
        new Error(`the server ended with ${code} before it listened: ${fault}\n`),
      );
    });
  }
});
