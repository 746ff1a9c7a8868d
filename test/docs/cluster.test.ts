// Owns what the manifests and the compose file of docs/cluster say before anything runs: they fit the
// schemas of Kubernetes, of the Prometheus operator and of Compose, and one another.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { parse } from 'yaml';

import { blockNamed, filledIn } from '../gateways/page.ts';
import { root } from '../packages/made.ts';
import { built, type Manifest, manifests, type PodSpec } from '../packages/pod.ts';
import { scratchFolder } from '../support/scratch.ts';
import { without } from '../support/tools.ts';

const skip = without('kubectl');
const compose = join(root, 'docs/cluster/compose');

const objects = (): readonly Manifest[] => [
  ...built(manifests),
  ...built(join(manifests, 'monitoring')),
];

type Labels = Readonly<Record<string, string>>;

interface Deployment extends Manifest {
  readonly spec: {
    readonly selector: { readonly matchLabels: Labels };
    readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec };
  };
}

interface Service extends Manifest {
  readonly spec: {
    readonly selector: Labels;
    readonly ports: readonly { readonly name: string; readonly targetPort: string }[];
  };
}

interface Others extends Manifest {
  readonly spec: {
    readonly selector: { readonly matchLabels: Labels };
    readonly podSelector: { readonly matchLabels: Labels };
    readonly ingress: readonly { readonly ports: readonly { readonly port: string }[] }[];
    readonly endpoints: readonly { readonly port: string }[];
  };
}

const ofKind = <Kind extends Manifest>(all: readonly Manifest[], kind: string): readonly Kind[] =>
  all.filter((one): one is Kind => one.kind === kind);

const theOnly = <Kind extends Manifest>(all: readonly Manifest[], kind: string): Kind => {
  const [one, another] = ofKind<Kind>(all, kind);
  assert.ok(one !== undefined && another === undefined, kind);
  return one;
};

/** The module that describes a kind: types that know each key, and a validator that knows each form. */
const moduleOf = ({ apiVersion, kind }: Manifest): string => {
  const isOperators = apiVersion.startsWith('monitoring.coreos.com/');
  const from = isOperators ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models';
  return `${from}/${apiVersion}/${kind}`;
};

/** The faults that the types of the schemas find, each as the number of its object and the compiler's words. */
function typeFaults(folder: string, given: readonly Manifest[]): readonly string[] {
  const lines = given.map((one, number) => {
    const type = `import('${moduleOf(one)}').I${one.kind}`;
    return `export const object${number}: ${type} = ${JSON.stringify(one)};\n`;
  });
  const file = join(folder, 'manifests.ts');
  writeFileSync(file, lines.join(''));
  const options =
    '--ignoreConfig --noEmit --strict --target esnext --module nodenext --skipLibCheck';
  const { stdout } = spawnSync(
    join(root, 'node_modules/.bin/tsc'),
    [...options.split(' '), '--types', 'node', file],
    { encoding: 'utf8', cwd: root },
  );
  return [...stdout.matchAll(/manifests\.ts\((\d+),\d+\): error (.*)/g)].map(
    ([, line, words]) => `${Number(line) - 1}: ${words}`,
  );
}

test('each manifest fits the schema of its kind, and no key is unknown', { skip }, async (t) => {
  const given = objects();
  assert.ok(given.length >= 10, String(given.length));
  for (const one of given) {
    const kinds = (await import(moduleOf(one))) as Readonly<
      Record<string, new (data: object) => { readonly validate: () => void }>
    >;
    const Kind = kinds[one.kind];
    assert.ok(Kind, one.kind);
    new Kind(one).validate();
  }
  // Below the checkout: there the compiler finds the packages.
  const folder = scratchFolder(t, 'manifests', join(root, 'dist'));
  const planted = { ...theOnly<Deployment>(given, 'Deployment'), nonsense: 1 };
  const faults = typeFaults(folder, [...given, planted]);
  assert.equal(faults.length, 1, faults.join('\n'));
  assert.match(faults[0] ?? '', new RegExp(`^${given.length}: .*nonsense`));
});

test(
  'services, budget, policy and monitor select what they are for, by ports that exist',
  { skip },
  () => {
    const all = objects();
    const { spec } = theOnly<Deployment>(all, 'Deployment');
    const { labels } = spec.template.metadata;
    const selects = (selector: Labels, those: Labels = {}): boolean =>
      Object.entries(selector).every(([name, value]) => those[name] === value);
    const services = ofKind<Service>(all, 'Service');
    const [budget, policy, monitor] = (
      ['PodDisruptionBudget', 'NetworkPolicy', 'ServiceMonitor'] as const
    ).map((kind) => theOnly<Others>(all, kind).spec);
    assert.ok(budget && policy && monitor);
    for (const selector of [
      spec.selector.matchLabels,
      budget.selector.matchLabels,
      policy.podSelector.matchLabels,
      ...services.map((one) => one.spec.selector),
    ]) {
      assert.ok(selects(selector, labels), JSON.stringify(selector));
    }
    // The pods of the backup answer nothing.
    const backup = { 'app.kubernetes.io/name': 'jetway', 'app.kubernetes.io/component': 'backup' };
    assert.ok(!services.some((one) => selects(one.spec.selector, backup)));
    assert.ok(selects(policy.podSelector.matchLabels, backup));
    const names = spec.template.spec.containers.flatMap(({ ports }) =>
      (ports ?? []).map(({ name }) => name),
    );
    const asked = [
      ...services.flatMap((one) => one.spec.ports.map(({ targetPort }) => targetPort)),
      ...policy.ingress.flatMap(({ ports }) => ports.map(({ port }) => port)),
    ];
    assert.deepEqual([...new Set(asked)].toSorted(), names.toSorted());
    const monitored = services.filter(({ metadata }) =>
      selects(monitor.selector.matchLabels, metadata.labels),
    );
    assert.deepEqual(
      monitored.flatMap((one) => one.spec.ports.map(({ name }) => name)),
      monitor.endpoints.map(({ port }) => port),
    );
  },
);

test('the configuration listens where the pod says, and ends before it is killed', { skip }, () => {
  const { spec } = theOnly<Deployment>(objects(), 'Deployment').spec.template;
  const [container] = spec.containers;
  const config = parse(readFileSync(join(manifests, 'config.yaml'), 'utf8')) as Labels;
  const told = container?.ports?.map(({ name, containerPort }) => [
    name === 'http' ? 'listen' : name,
    `0.0.0.0:${containerPort}`,
  ]);
  assert.deepEqual(
    told,
    ['listen', 'gateway', 'admin'].map((key) => [key, config[key]]),
  );
  assert.equal(
    Number.parseInt(config['stop_delay'] ?? '', 10) + 15,
    spec.terminationGracePeriodSeconds,
  );
  assert.equal(container?.livenessProbe?.httpGet.path, '/livez');
  assert.equal(container?.readinessProbe?.httpGet.path, '/readyz');
});

test('the compose file fits the schema of Compose', { skip: without('docker-compose') }, (t) => {
  const config = (file: string): void =>
    void execFileSync('docker-compose', ['-f', file, 'config', '-q'], { stdio: 'pipe' });
  const file = join(compose, 'compose.yaml');
  config(file);
  const planted = join(scratchFolder(t, 'compose'), 'compose.yaml');
  writeFileSync(planted, readFileSync(file, 'utf8').replace('read_only', 'readonly'));
  assert.throws(() => config(planted), /readonly/);
});

test('the Caddyfile is the one of the handbook, with the name of the service', () => {
  const page = blockNamed('/etc/caddy/Caddyfile', 'handbook/tls.md');
  const told = filledIn(page, [['127.0.0.1:8080', 'jetway:8080']]);
  assert.equal(readFileSync(join(compose, 'Caddyfile'), 'utf8'), told);
});
