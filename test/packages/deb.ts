// Owns the life of the .deb on a machine: installed, run by systemd in its sandbox, upgraded, removed and
// purged. What a machine without systemd does of it, too.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { without } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { openMachine, type Machine } from './machine.ts';
import { architecture, formerDeb, root, theOne } from './made.ts';

test(
  'the unit is sound, and systemd finds less than 2.0 of exposure in its sandbox',
  { skip: without('systemd-nspawn') },
  () => {
    const unit = join(root, 'scripts/package/files/jetway.service');
    const analyze = (...args: readonly string[]): string =>
      execFileSync('systemd-analyze', [...args, unit], { encoding: 'utf8' });
    assert.match(
      analyze('security', '--offline=true', '--threshold=19'),
      /exposure level .* 1\.\d OK/,
    );
  },
);

describe('the .deb', { skip: without('systemd-nspawn') }, () => {
  let machine: Machine;
  let folder: string;
  let former: string;
  let deb: string;
  const version = (): string =>
    (JSON.parse(machine.does('jetway version --json')) as { version: string }).version;
  const asService = (line: string): string =>
    machine.does(`cd /etc/jetway && runuser -u jetway -- ${line}`);
  const pid = (): string => machine.does('systemctl show --value -p MainPID jetway').trim();
  const page = 'curl -sS -o /dev/null -w "%{http_code}" http://127.0.0.1:8080/executive-club/login';

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'jetway-debs-'));
    machine = openMachine();
    former = machine.take(formerDeb(folder));
    deb = machine.take(theOne(`*_${architecture}.deb`));
  });
  after(async () => {
    await machine.close();
    rmSync(folder, { recursive: true });
  });

  test('comes and goes without systemd', () => {
    machine.does(`dpkg -i ${former}`);
    assert.equal(version(), '0.0.1');
    assert.equal(machine.does('stat -c %U:%G:%a /var/lib/jetway'), 'jetway:jetway:700\n');
    assert.match(asService('jetway check'), /^3 programmes, 0 errors/m);
    machine.does('dpkg --verify jetway');
    machine.does('man --warnings jetway >/dev/null');
    machine.does('dpkg --purge jetway');
    assert.equal(
      machine
        .does('ls -d /etc/jetway* /var/lib/jetway* /usr/share/doc/jetway* || true')
        .match(/^\//m),
      null,
    );
  });

  test('does not start by itself, and runs in its sandbox once it is started', async () => {
    await machine.boot();
    machine.does(`dpkg -i ${former}`);
    machine.does(
      'systemd-analyze verify jetway.service jetway-backup.service jetway-backup.timer jetway.socket jetway-gateway.socket jetway-admin.socket',
    );
    assert.equal(machine.tries('systemctl is-active jetway').text, 'inactive\n');
    machine.does('systemctl enable --now jetway');
    assert.match(machine.does('systemctl show -p StatusText jetway'), /=3 of 3 programmes at http/);
    const status = machine.does(`cat /proc/${pid()}/status`);
    assert.match(status, /^CapBnd:\t0+$/m);
    assert.match(status, /^NoNewPrivs:\t1$/m);
    assert.match(status, /^Seccomp:\t2$/m);
    assert.equal(machine.does(`stat -c %U /proc/${pid()}`), 'jetway\n');
    assert.equal(machine.does(page), '400');
    asService(
      `jetway client add --programme executive-club --name Ann --client-id partnerapi-12345 --redirect-uri https://partner.example/callback --role partner`,
    );
  });

  test('reloads, and is started anew where it turns no more', async () => {
    machine.does('systemctl reload jetway');
    machine.does('mkdir /run/systemd/system/jetway.service.d');
    machine.does(
      "printf '[Service]\\nWatchdogSec=2\\n' >/run/systemd/system/jetway.service.d/a.conf",
    );
    machine.does('systemctl daemon-reload && systemctl restart jetway');
    const stuck = pid();
    machine.does(`kill -STOP ${stuck}`);
    await until(() => pid() !== stuck && machine.tries('systemctl is-active jetway').code === 0);
    machine.does('rm -r /run/systemd/system/jetway.service.d && systemctl daemon-reload');
  });

  test('an upgrade leaves a server alone that would not start again', () => {
    machine.does('sed -i s/127.0.0.1:8090/127.0.0.1:8091/ /etc/jetway/config.yaml');
    machine.does('echo "nonsense: 1" >>/etc/jetway/programmes/third-club.yaml');
    const running = pid();
    const told = machine.does(`dpkg -i --force-confold ${deb}`);
    assert.match(told, /third-club\.yaml:\d+:1: error/);
    assert.match(told, /^jetway: the old version still runs/m);
    assert.equal(pid(), running);
    assert.match(asService('jetway status'), /jetway 0\.0\.1 /);
    machine.does('sed -i /^nonsense/d /etc/jetway/programmes/third-club.yaml');
  });

  test('an upgrade starts the server anew, and keeps what it has and how it was set', () => {
    const old = pid();
    machine.does(`dpkg -i --force-confold ${deb}`);
    assert.notEqual(pid(), old);
    const status = asService('jetway status');
    assert.match(status, /127\.0\.0\.1:8091/);
    assert.ok(status.includes(`jetway ${version()} `), status);
    assert.notEqual(version(), '0.0.1');
    assert.match(asService('jetway client list'), /partnerapi-12345/);
    assert.match(machine.does('cat /etc/jetway/config.yaml.dpkg-dist'), /127\.0\.0\.1:8090/);
    assert.match(machine.does('cat /etc/jetway/config.yaml'), /^# As it was\./);
  });

  test('with its sockets no connection is refused while it starts anew', () => {
    const sockets = 'jetway.socket jetway-gateway.socket jetway-admin.socket';
    machine.does(`systemctl stop jetway && systemctl enable --now ${sockets}`);
    machine.does('systemctl start jetway');
    const old = pid();
    const told = machine.does(`systemctl --no-block restart jetway
      while [ "$(systemctl show --value -p MainPID jetway)" = ${old} ] || ! systemctl is-active -q jetway
      do ${page}; done`);
    assert.match(told, /^(?:400)+$/);
  });

  test('a night makes a backup, as often as it comes, within the sandbox', () => {
    machine.does('systemctl enable --now jetway-backup.timer');
    assert.match(machine.does('systemctl list-timers --no-pager'), /jetway-backup\.timer/);
    for (let night = 0; night < 3; night += 1) machine.does('systemctl start jetway-backup');
    const names = machine.does('ls /var/lib/jetway/backups').trim().split('\n');
    assert.equal(names.length, 3);
    assert.match(asService(`jetway store verify /var/lib/jetway/backups/${names[2]}`), /is sound/);
    const metrics = machine.does('curl -sS http://127.0.0.1:9090/metrics');
    assert.match(metrics, /^jetway_newest_backup_timestamp_seconds [1-9]/m);
  });

  test('a process list has it by its name, and a reload tells of a bad file', () => {
    assert.equal(machine.does('pgrep -x jetway').trim(), pid());
    machine.does('echo "nonsense: 1" >>/etc/jetway/programmes/third-club.yaml');
    assert.notEqual(machine.tries('systemctl reload jetway').code, 0);
    machine.does('sed -i /^nonsense/d /etc/jetway/programmes/third-club.yaml');
    machine.does('systemctl reload jetway');
  });

  test('a credential that root alone can read is the master key', () => {
    const drop = '/run/systemd/system/jetway.service.d';
    const lines =
      '[Service]\\nLoadCredential=master.key:/root/master.key\\nEnvironment=JETWAY_MASTER_KEY_FILE=%d/master.key\\n';
    machine.does(`mkdir ${drop} && install -m 600 /var/lib/jetway/master.key /root/master.key`);
    machine.does('mv /var/lib/jetway/master.key /root/away.key');
    machine.does(`printf %b '${lines}' >${drop}/secrets.conf`);
    machine.does('systemctl daemon-reload && systemctl restart jetway');
    const command = 'env JETWAY_MASTER_KEY_FILE=/run/credentials/jetway.service/master.key jetway';
    assert.match(asService(`${command} client list`), /partnerapi-12345/);
    machine.does(`mv /root/away.key /var/lib/jetway/master.key && rm -r ${drop}`);
    machine.does('systemctl daemon-reload && systemctl restart jetway');
  });

  test('FAULTS 39: a database that is away is waited for, longer than a start may take', async () => {
    const drop = '/run/systemd/system/jetway.service.d';
    const store = 'postgres://jetway@127.0.0.1:1/jetway?sslmode=disable';
    const show = (name: string): string =>
      machine.does(`systemctl show --value -p ${name} jetway`).trim();
    machine.does('systemctl stop jetway && cp /etc/jetway/config.yaml /root/config.yaml');
    machine.does(`sed -i 's|^store: .*|store: ${store}|' /etc/jetway/config.yaml`);
    machine.does(`mkdir ${drop} && printf '[Service]\\nTimeoutStartSec=3\\n' >${drop}/short.conf`);
    machine.does('systemctl daemon-reload && systemctl --no-block start jetway && sleep 8');
    assert.deepEqual([show('ActiveState'), show('NRestarts')], ['activating', '0']);
    assert.match(show('StatusText'), /^the store does not answer: waiting for it$/);
    const ready = 'curl -sS -o /dev/null -w "%{http_code}" http://127.0.0.1:9090/readyz';
    assert.equal(machine.does(ready), '503');
    machine.does(`systemctl stop jetway && rm -r ${drop}`);
    assert.deepEqual([show('ActiveState'), show('Result')], ['inactive', 'success']);
    machine.does('mv /root/config.yaml /etc/jetway/config.yaml');
    machine.does('systemctl daemon-reload && systemctl start jetway');
  });

  test('removed, it leaves its data and configuration; purged, its data', () => {
    machine.does('dpkg --remove jetway');
    assert.notEqual(machine.tries('systemctl is-active jetway jetway.socket').code, 0);
    const left =
      'find /usr /etc/systemd /lib/systemd -path "*jetway*" -not -path "*/node_modules/*" || true';
    assert.equal(machine.does(left), '');
    machine.does('ls /etc/jetway/config.yaml /var/lib/jetway/jetway.db /var/lib/jetway/master.key');
    machine.does(`dpkg -i --force-confold ${deb} && systemctl start jetway`);
    assert.match(asService('jetway client list'), /partnerapi-12345/);
    const told = machine.does('dpkg --purge jetway');
    assert.match(told, /^jetway: \/var\/lib\/jetway stays as it is; remove it yourself /m);
    assert.equal(machine.does('find /etc -name "jetway*"'), '');
    const kept = 'jetway.db master.key audit.jsonl backups/*';
    machine.does(`cd /var/lib/jetway && ls ${kept}`);
    // Installed again, it goes on with them.
    machine.does(`dpkg -i ${deb} && systemctl start jetway`);
    assert.match(asService('jetway client list'), /partnerapi-12345/);
  });
});
