// Owns the promise of docs/cluster/kubernetes: its pods run as a cluster would run them, from the image, on
// a PostgreSQL with TLS; probes tell what a kubelet is to do, also while the database is away; backups.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chownSync,
  cpSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';

import { parseAllDocuments } from 'yaml';

import { Cluster } from '../../scripts/postgres/cluster.ts';
import { runner } from '../../scripts/postgres/install.ts';
import { createAuthority } from '../support/certificates.ts';
import { without } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { type Container, type Image, unpack } from './container.ts';
import { root } from './made.ts';
import { type Network, openNetwork } from './network.ts';
import {
  built,
  type Held,
  type Manifest,
  manifests,
  podContainer,
  type PodSpec,
  writeVolume,
} from './pod.ts';

const skip = without('skopeo', 'umoci', 'runc', 'kubectl', 'jq', 'ip', 'postgres', 'openssl');

interface ConfigMap {
  readonly data: Readonly<Record<string, string>>;
}
interface Deployment {
  readonly spec: { readonly template: { readonly spec: PodSpec } };
}
interface CronJob {
  readonly spec: { readonly jobTemplate: { readonly spec: Deployment['spec'] } };
}

/** The blocks of commands of the page that need kubectl. */
const blocks = (): readonly string[] =>
  [...readFileSync(join(root, 'docs/cluster.md'), 'utf8').matchAll(/^ *```sh\n([^]*?)^ *```$/gm)]
    .map(([, text = '']) => text)
    .filter((text) => /kubectl create /.test(text));

/**
 * Runs a block of the page in a folder, with the kubectl that is here. What it would send to a cluster comes
 * back as objects; what it would ask of one is answered from the manifests.
 */
function applied(folder: string, block: string): readonly Manifest[] {
  const shim = `set -eu
kubectl() {
  case "$*" in
    'apply -f -') echo ---; cat ;;
    apply*|config*|scale*) ;;
    *--from=cronjob*) cat job.json ;;
    *) command kubectl "$@" ;;
  esac
}
`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', shim + block], {
    cwd: folder,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return parseAllDocuments(stdout).map((one) => one.toJS() as Manifest);
}

interface WithData extends Manifest {
  readonly data?: Readonly<Record<string, string>>;
}

/** What a namespace holds once these objects, and the configuration, are applied. */
function heldBy(objects: readonly WithData[], config: Readonly<Record<string, string>>): Held {
  const ofKind = (kind: string, text: (data: string) => string): Held['secrets'] =>
    Object.fromEntries(
      objects
        .filter((one) => one.kind === kind)
        .map(({ metadata, data = {} }) => [
          metadata.name,
          Object.fromEntries(Object.entries(data).map(([name, one]) => [name, text(one)])),
        ]),
    );
  return {
    secrets: ofKind('Secret', (data) => Buffer.from(data, 'base64').toString()),
    configMaps: { ...ofKind('ConfigMap', (data) => data), 'jetway-config': config },
  };
}

describe('a pod', { skip }, () => {
  let folder: string;
  let image: Image;
  let database: Cluster;
  let held: Held;
  const networks: Network[] = [];
  const running = new Set<Container>();
  const objects = skip === false ? built(manifests) : [];
  const object = (kind: string): unknown => objects.find((one) => one.kind === kind);
  const server = (): PodSpec => (object('Deployment') as Deployment).spec.template.spec;
  const backup = (): PodSpec => (object('CronJob') as CronJob).spec.jobTemplate.spec.template.spec;

  /** Starts the container of a pod at one of the networks. */
  const run = (name: string, spec: PodSpec, network: Network) => {
    const volumes = join(folder, `volumes-${name}`);
    const container = podContainer(spec, volumes, held);
    const hosts = join(folder, `hosts-${name}`);
    writeFileSync(hosts, `127.0.0.1 localhost\n${network.outside} postgres.example\n`);
    const mounts = [
      ...container.mounts.map((one) =>
        // The claim outlives its pods.
        one.destination === '/backups' ? { ...one, source: join(folder, 'backups') } : one,
      ),
      { source: hosts, destination: '/etc/hosts', readOnly: true },
    ];
    const started = image.run(name, {
      ...container,
      mounts,
      hostname: name,
      network: network.name,
    });
    running.add(started);
    return { ...started, volumes };
  };
  /** What a kubelet gets for a probe of the server's container. */
  const probe = async (
    name: 'startupProbe' | 'livenessProbe' | 'readinessProbe',
    { inside }: Network,
  ): Promise<number> => {
    const [container] = server().containers;
    const found = container?.[name];
    const { path, port: named } = found?.httpGet ?? { path: '', port: '' };
    const port = container?.ports?.find((one) => one.name === named)?.containerPort;
    const signal = AbortSignal.timeout((found?.timeoutSeconds ?? 1) * 1000);
    try {
      const answer = await fetch(`http://${inside}:${port}${path}`, { signal });
      await answer.arrayBuffer();
      return answer.status;
    } catch {
      return 0;
    }
  };
  const ready = (container: Container, network: Network): Promise<void> => {
    let hasEnded = false;
    void container.ended.then(() => (hasEnded = true));
    return until(async () => {
      assert.ok(!hasEnded, container.log());
      return (await probe('readinessProbe', network)) === 200;
    }, container.log);
  };
  const page = ({ inside }: Network): string => `http://${inside}:8080/executive-club/login`;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'jetway-cluster-'));
    image = unpack(folder);
    networks.push(openNetwork(1), openNetwork(2));
    const authority = createAuthority('Databases of tests');
    database = await Cluster.make();
    const put = (name: string, text: string): string => {
      const path = join(database.folder, name);
      writeFileSync(path, text, { mode: 0o600 });
      chownSync(path, runner.uid ?? 0, runner.gid ?? 0);
      return path;
    };
    const { certificate, key } = authority.issue('DNS:postgres.example');
    database.configure({
      listen_addresses: '*',
      ssl: 'on',
      ssl_cert_file: put('server.pem', certificate),
      ssl_key_file: put('server.key', key),
      hba_file: put(
        'hba.conf',
        'local all all trust\nhostssl jetway jetway all scram-sha-256\nhost all all all reject\n',
      ),
    });
    await database.start();
    const client = await database.client('postgres');
    await client.query("ALTER ROLE jetway PASSWORD 'of the pods'");
    await client.end();
    await database.stop();
    const config = (object('ConfigMap') as ConfigMap).data['config.yaml'] ?? '';
    assert.match(config, /postgres\.example:5432/);
    const site = join(folder, 'site');
    cpSync(manifests, site, { recursive: true });
    cpSync(join(root, 'programmes'), join(site, 'programmes'), { recursive: true });
    writeFileSync(join(site, 'store.password'), 'of the pods\n');
    writeFileSync(join(site, 'db-ca.pem'), authority.certificate);
    // Run twice, as pages are: the key stays the same.
    const [first, again] = ['first', 'again'].map(() => applied(site, blocks()[0] ?? ''));
    assert.deepEqual(first, again);
    held = heldBy(first ?? [], { 'config.yaml': config.replace(':5432', `:${database.port}`) });
    execFileSync('install', ['-d', '-m', '2775', '-g', '65532', join(folder, 'backups')]);
  });
  afterEach(async () => {
    for (const one of running) await one.close();
    running.clear();
  });
  after(async () => {
    for (const network of networks) network.close();
    await database.remove();
    rmSync(folder, { recursive: true });
  });

  test('FAULTS 39: lives, and is not ready, while its database is away: at the start, and later', async () => {
    const [network] = networks as [Network];
    const pod = run('early', server(), network);
    await until(async () => (await probe('startupProbe', network)) === 200, pod.log);
    assert.equal(await probe('livenessProbe', network), 200);
    assert.equal(await probe('readinessProbe', network), 503);
    assert.equal(pod.jetway('healthcheck', '--live').code, 0);
    assert.notEqual(pod.jetway('healthcheck').code, 0);
    await database.start();
    await ready(pod, network);
    assert.deepEqual(pod.jetway('healthcheck').code, 0);
    assert.equal((await fetch(page(network))).status, 400);
    const added = pod.jetway(
      ...'client add --programme executive-club --name Ann --role partner --redirect-uri https://partner.example/callback'.split(
        ' ',
      ),
    );
    assert.equal(added.code, 0, added.text);
    await database.stop();
    await until(async () => (await probe('readinessProbe', network)) === 503, pod.log);
    assert.equal(await probe('livenessProbe', network), 200);
    await database.start();
    await ready(pod, network);
    assert.doesNotMatch(pod.log(), /no_control_socket|last_version_not_kept/);
  });

  test('takes up a changed ConfigMap, and keeps the last good version of a faulty one', async () => {
    const [network] = networks as [Network];
    const pod = run('changed', server(), network);
    await ready(pod, network);
    const programmes = held.configMaps['jetway-programmes'] ?? {};
    const file = 'third-club.yaml';
    const change = (text: string): void =>
      writeVolume(
        join(pod.volumes, 'programmes'),
        { ...programmes, [file]: text },
        { mode: 0o644, group: 65_532 },
      );
    const status = (): string => pod.jetway('status').text;
    change(`${programmes[file]}nonsense: 1\n`);
    await until(() => status().includes('not all taken up'), status);
    assert.equal((await fetch(`http://${network.inside}:8080/third-club/login`)).status, 400);
    assert.equal(await probe('readinessProbe', network), 200);
    change(`${programmes[file]}# As it was.\n`);
    await until(() => !status().includes('not all taken up'), status);
  });

  test('goes on for stop_delay once it is to end, while another one is ready, and ends in its time', async () => {
    const [network, other] = networks as [Network, Network];
    const [old, young] = [run('old', server(), network), run('young', server(), other)];
    await ready(old, network);
    await ready(young, other);
    const stopped = old.stop();
    await until(async () => (await probe('readinessProbe', network)) === 503, old.log);
    // Requests that the cluster still sends here are served.
    assert.equal((await fetch(page(network))).status, 400);
    assert.equal((await fetch(page(other))).status, 400);
    const { code, seconds } = await stopped;
    assert.equal(code, 0, old.log());
    assert.ok(seconds >= 14, `${seconds} s`);
    assert.ok(seconds < (server().terminationGracePeriodSeconds ?? 0) - 5, `${seconds} s`);
    assert.equal(await probe('readinessProbe', other), 200);
  });

  test('shows its metrics to those who are let in, the newest backup among them', async () => {
    const [network, other] = networks as [Network, Network];
    const pod = run('metered', server(), network);
    await ready(pod, network);
    for (const night of ['night-1', 'night-2']) {
      const job = run(night, backup(), other);
      assert.equal(await job.ended, 0, job.log());
    }
    const files = globSync(join(folder, 'backups/jetway-*.db')).toSorted();
    assert.equal(files.length, 2);
    const name = basename(files[1] ?? '');
    writeFileSync(
      join(folder, 'job.json'),
      JSON.stringify((object('CronJob') as CronJob).spec.jobTemplate),
    );
    const [verify, restore] = applied(
      folder,
      (blocks().find((text) => text.startsWith('job()')) ?? '').replaceAll('NAME', name),
    ).map((one) => (one as unknown as Deployment).spec.template.spec);
    assert.ok(verify && restore);
    const verified = run('verified', verify, other);
    assert.equal(await verified.ended, 0, verified.log());
    await until(async () => {
      const metrics = await (await fetch(`http://${network.inside}:9090/metrics`)).text();
      return /^jetway_newest_backup_timestamp_seconds [1-9]/m.test(metrics);
    });
    // Restored with the servers stopped, twice.
    await pod.close();
    for (const time of ['restored-1', 'restored-2']) {
      const job = run(time, restore, other);
      assert.equal(await job.ended, 0, job.log());
    }
    const again = run('again', server(), network);
    await ready(again, network);
    assert.match(again.jetway('client', 'list').text, /Ann/);
  });
});
