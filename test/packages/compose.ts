// Owns the promise of docs/cluster/compose and of the handbook's `docker run`: what they start runs as an
// engine would run it. Jetway's container is of the image; PostgreSQL and Caddy are the machine's, with
// the users, files, capabilities and networks that the compose file gives them.

import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { parse } from 'yaml';

import { install } from '../../scripts/postgres/install.ts';
import { filledIn } from '../gateways/page.ts';
import { without } from '../support/tools.ts';
import { until } from '../support/until.ts';
import {
  type Container,
  type ContainerOptions,
  type Image,
  type Mount,
  unpack,
  usualCapabilities,
} from './container.ts';
import { root } from './made.ts';
import { type Network, openNetwork } from './network.ts';

const skip = without(
  'skopeo',
  'umoci',
  'runc',
  'docker-compose',
  'ip',
  'postgres',
  'postgresql-15',
  'caddy',
  'curl',
);

const addClient =
  'client add --programme executive-club --name Ann --role partner --redirect-uri https://partner.example/callback';

interface Service {
  readonly command?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly hostname?: string;
  readonly read_only?: boolean;
  readonly security_opt?: readonly string[];
  /** As `docker-compose config` writes them: source:destination:mode. */
  readonly volumes: readonly string[];
}

interface Compose {
  readonly services: Readonly<Record<'jetway' | 'database' | 'caddy', Service>>;
  readonly networks: {
    readonly front: { readonly ipam: { readonly config: readonly { readonly subnet: string }[] } };
  };
}

describe('an engine of containers', { skip }, () => {
  let folder: string;
  let image: Image;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'jetway-compose-'));
    // The database's user goes through it to its files.
    chmodSync(folder, 0o755);
    image = unpack(folder);
  });
  after(() => rmSync(folder, { recursive: true }));

  /** A named volume: it begins with what the image has there, rights included. */
  const volumeOf = (name: string, destination: string): string => {
    const place = join(folder, `volume-${name}`);
    if (existsSync(place)) return place;
    const inImage = join(image.root, destination);
    if (existsSync(inImage)) execFileSync('cp', ['-a', inImage, place]);
    else mkdirSync(place);
    return place;
  };
  const mountOf = (text: string, site: string): Mount => {
    const [from = '', destination = '', mode] = text.split(':');
    const isPath = /^[./]/.test(from);
    const source = isPath
      ? join(from.startsWith('/') ? '' : site, from)
      : volumeOf(from, destination);
    return { source, destination, readOnly: mode === 'ro' };
  };
  const healthy = (container: Container): Promise<void> =>
    until(() => container.jetway('healthcheck').code === 0, container.log);

  test('the docker run of the handbook starts, and starts again', async () => {
    const page = readFileSync(join(root, 'docs/handbook/install.md'), 'utf8');
    const [line = ''] = /docker run .*$/m.exec(page) ?? [];
    const [, from = ''] = /docker cp jetway-site:(\S+) \.\/site$/m.exec(page) ?? [];
    cpSync(join(image.root, from), join(folder, 'site'), { recursive: true });
    const words = line.split(' ').slice(2);
    const mounts: Mount[] = [];
    let [hostname, readOnly, capabilities, port] = ['container', false, usualCapabilities, ''];
    for (let word = words.shift(); word?.startsWith('-'); word = words.shift()) {
      const [name = '', given] = word.split('=');
      const value = (): string => given ?? words.shift() ?? '';
      if (name === '-v') mounts.push(mountOf(value(), folder));
      else if (name === '-p') port = value().split(':')[1] ?? '';
      else if (name === '--hostname') hostname = value();
      else if (name === '--read-only') readOnly = true;
      else if (name === '--cap-drop') capabilities = value() === 'all' ? [] : capabilities;
      else assert.equal(name, '--rm');
    }
    const network = openNetwork(3);
    const options = { mounts, capabilities, readOnly, hostname, noNewPrivileges: false };
    try {
      for (const time of ['first', 'second']) {
        const container = image.run(time, { ...options, network: network.name });
        await healthy(container);
        const answer = await fetch(`http://${network.inside}:${port}/executive-club/login`);
        assert.equal(answer.status, 400);
        assert.equal(container.jetway('audit', 'verify').code, 0);
        const { code, seconds } = await container.stop();
        assert.equal(code, 0, container.log());
        assert.ok(seconds < 15, `${seconds} s`);
        assert.doesNotMatch(container.log(), /no_control_socket|last_version_not_kept|"error"/);
        await container.close();
      }
    } finally {
      network.close();
    }
  });

  test('the compose file: Caddy, Jetway and a database without a network', async () => {
    const site = join(folder, 'compose');
    cpSync(join(root, 'docs/cluster/compose'), site, { recursive: true });
    cpSync(join(root, 'programmes'), join(site, 'programmes'), { recursive: true });
    const page = readFileSync(join(root, 'docs/cluster.md'), 'utf8');
    const [lines = ''] = /^ *\[ -e master\.key \] .*\n *chown .*$/m.exec(page) ?? [];
    for (let time = 0; time < 2; time += 1) execFileSync('sh', ['-euc', lines], { cwd: site });
    const told = execFileSync('docker-compose', ['config'], {
      cwd: site,
      encoding: 'utf8',
      stdio: 'pipe',
    });
    const { services, networks } = parse(told) as Compose;
    const prefix = networks.front.ipam.config[0]?.subnet.replace(/\.0\/24$/, '') ?? '';
    const network = openNetwork(4, prefix);
    const ends: (() => Promise<void>)[] = [async () => network.close()];
    try {
      let database = await startDatabase(services.database);
      const jetway = image.run('compose-jetway', optionsOf(services.jetway, network));
      ends.push(
        () => database(),
        () => jetway.close(),
      );
      await healthy(jetway);
      const caddy = await startCaddy(services.caddy, network);
      ends.push(caddy.close);
      const ask = (path: string, ...more: readonly string[]): string =>
        execFileSync('curl', [
          ...`-sS --max-time 10 --resolve tokens.example.com:443:${network.inside}`.split(' '),
          '--cacert',
          caddy.authority,
          ...more,
          `https://tokens.example.com${path}`,
        ]).toString();
      const status = ['-o', '/dev/null', '-w', '%{http_code}'];
      assert.equal(ask('/executive-club/login', ...status), '400');
      const added = jetway.jetway(...`${addClient} --json`.split(' '));
      assert.equal(added.code, 0, added.text);
      const { client_id: id, client_secret: secret } = JSON.parse(added.text) as Readonly<
        Record<string, string>
      >;
      const asks = ['-u', `${id}:${secret}`, '-d', 'grant_type=client_credentials'];
      assert.match(ask('/executive-club/api/grant', ...asks), /"access_token":/);
      assert.match(jetway.jetway('store', 'verify').text, /sound/);
      assert.equal(
        jetway.jetway('store', 'backup', '/var/lib/jetway/backups', '--keep', '14').code,
        0,
      );
      const { code, seconds } = await jetway.stop();
      assert.equal(code, 0, jetway.log());
      assert.ok(seconds < 15, `${seconds} s`);
      assert.match(ask('/executive-club/api/grant', ...asks), /"error":"temporarily_unavailable"/);
      // The machine boots: nobody looks at `depends_on` then.
      await database();
      const booted = image.run('compose-booted', optionsOf(services.jetway, network));
      ends.push(() => booted.close());
      await until(() => booted.jetway('healthcheck', '--live').code === 0, booted.log);
      database = await startDatabase(services.database);
      await healthy(booted);
      assert.match(ask('/executive-club/api/grant', ...asks), /"access_token":/);
      assert.equal(booted.jetway('audit', 'verify').code, 0);
    } finally {
      for (const end of ends.toReversed()) await end();
    }
  });

  const optionsOf = (service: Service, network: Network): ContainerOptions => ({
    mounts: service.volumes.map((one) => mountOf(one, '')),
    capabilities: service.cap_drop?.includes('ALL') ? [] : usualCapabilities,
    readOnly: service.read_only === true,
    noNewPrivileges: service.security_opt?.includes('no-new-privileges:true') === true,
    hostname: service.hostname ?? 'random',
    network: network.name,
  });

  /**
   * PostgreSQL as its image starts it: a cluster that `initdb` made, the server as the user postgres with
   * the arguments of the compose file, database.sql once by the superuser at the socket.
   */
  const startDatabase = async (service: Service): Promise<() => Promise<void>> => {
    const { native } = install();
    const mounted = (destination: string): string =>
      service.volumes.map((one) => mountOf(one, '')).find((one) => one.destination === destination)
        ?.source ?? '';
    const socket = mounted('/var/run/postgresql');
    const data = mounted('/var/lib/postgresql');
    execFileSync('chown', ['postgres:postgres', socket, data]);
    execFileSync('chmod', ['3775', socket]);
    const asPostgres = ['--reuid=postgres', '--regid=postgres', '--clear-groups', '--no-new-privs'];
    const does = (...args: readonly string[]): string =>
      execFileSync('setpriv', [...asPostgres, '--', ...args], {
        cwd: '/',
        encoding: 'utf8',
        stdio: 'pipe',
      });
    const cluster = join(data, '18/docker');
    const isFirst = !existsSync(cluster);
    if (isFirst) {
      does('mkdir', '-p', cluster);
      does(join(native, 'bin/initdb'), '-D', cluster, '-U', 'postgres', '--no-sync');
    }
    // Paths are the container's; the machine has the same files elsewhere.
    const args = (service.command ?? [])
      .slice(1)
      .map((word) =>
        word.replace(
          /^(hba_file)=(.*)$/,
          (_whole, name: string, path: string) => `${name}=${mounted(path)}`,
        ),
      );
    const places = ['-D', cluster, '-c', `unix_socket_directories=${socket}`, '-c', 'port=5432'];
    const inside = ['--net', 'setpriv', ...asPostgres, '--', join(native, 'bin/postgres')];
    const server = spawn('unshare', [...inside, ...args, ...places], { cwd: '/', stdio: 'ignore' });
    await until(() => existsSync(join(socket, '.s.PGSQL.5432')));
    const script = mounted('/docker-entrypoint-initdb.d/database.sql');
    await until(() => {
      try {
        does('psql', '-h', socket, '-U', 'postgres', '-c', 'SELECT 1');
        return true;
      } catch {
        return false;
      }
    });
    if (isFirst)
      does('psql', '-h', socket, '-U', 'postgres', '-v', 'ON_ERROR_STOP=1', '-f', script);
    return () => ended(server, 'SIGINT');
  };

  /** Caddy as root with the capabilities that are left, and certificates of its own authority. */
  const startCaddy = async (
    service: Service,
    network: Network,
  ): Promise<{ readonly authority: string; readonly close: () => Promise<void> }> => {
    const names = `/etc/netns/${network.name}`;
    mkdirSync(names, { recursive: true });
    writeFileSync(join(names, 'hosts'), `127.0.0.1 localhost\n${network.inside} jetway\n`);
    const mounts = service.volumes.map((one) => mountOf(one, ''));
    const place = (destination: string): string =>
      mounts.find((one) => one.destination === destination)?.source ?? '';
    const text = readFileSync(place('/etc/caddy/Caddyfile'), 'utf8');
    const file = join(folder, 'Caddyfile');
    writeFileSync(
      file,
      filledIn(text, [['{\n\tlog {', '{\n\tlocal_certs\n\tskip_install_trust\n\tlog {']]),
    );
    assert.deepEqual(service.cap_drop, ['ALL']);
    const kept = (service.cap_add ?? []).map((name) => `,+${name.toLowerCase()}`).join('');
    const caddy = spawn(
      'ip',
      [
        ...`netns exec ${network.name} setpriv --bounding-set=-all${kept}`.split(' '),
        ...'--inh-caps=-all --no-new-privs -- caddy run --adapter caddyfile --config'.split(' '),
        file,
      ],
      {
        stdio: 'ignore',
        env: {
          PATH: process.env['PATH'],
          XDG_DATA_HOME: place('/data'),
          XDG_CONFIG_HOME: place('/config'),
        },
      },
    );
    const authority = join(place('/data'), 'caddy/pki/authorities/local/root.crt');
    const certificates = join(
      place('/data'),
      'caddy/certificates/local/tokens.example.com/tokens.example.com.crt',
    );
    await until(() => existsSync(authority) && existsSync(certificates));
    return {
      authority,
      close: async () => {
        await ended(caddy, 'SIGTERM');
        rmSync(names, { recursive: true });
      },
    };
  };

  const ended = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  };
});
