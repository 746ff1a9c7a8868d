// Owns the Jetway process of the bench: the shipped programme on one store, one client, one member.
// Codes are written directly into the store, so that no login is measured.

import { join } from 'node:path';

import { usualLog } from '../../src/config/log_keys.ts';
import type { Authorization } from '../../src/engine/authorization.ts';
import { issue as issueFor } from '../../src/engine/issue.ts';
import type { Service } from '../../src/engine/service.ts';
import { listen } from '../../src/http/server.ts';
import { after, milliseconds, systemClock } from '../../src/lib/clock.ts';
import { digest } from '../../src/lib/digest.ts';
import { formatFault } from '../../src/lib/fault.ts';
import { present } from '../../src/lib/present.ts';
import { randomKey } from '../../src/lib/random.ts';
import type { ClientId, ProgrammeId } from '../../src/oauth/client.ts';
import { codeKey } from '../../src/oauth/grant.ts';
import type { Subject } from '../../src/oauth/member.ts';
import { RequestRecord } from '../../src/oauth/request_record.ts';
import { compileProgramme, type Programme } from '../../src/programme/programme.ts';
import { loadProgramme } from '../../src/rules/load.ts';
import { openServerAudit, type ServerAudit } from '../../src/server/audit/server_audit.ts';
import { openLog } from '../../src/server/log_writer.ts';
import { watchProcess } from '../../src/server/metrics/process.ts';
import { requestMetrics } from '../../src/server/metrics/requests.ts';
import { Observing } from '../../src/server/observing.ts';
import { serveAll } from '../../src/server/programmes/serving.ts';
import type { Store } from '../../src/store/contract.ts';
import { readPostgresLocation } from '../../src/store/postgres/location.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { openFileStore, openMemoryStore, serverReserve } from '../../src/store/sqlite/store.ts';
import { createKeyring } from '../../src/token/keyring.ts';
import { clientRecord, programmeOver } from '../timing/site.ts';
import { answerParent } from './child.ts';
import { clientId, type Format, redirectUri } from './plan.ts';
import { type Address, type Order, type ServerCommands, usageCommands } from './server.ts';
import { countStatements } from './statements.ts';

/** Codes or tokens that are made at once: a store limits the number of waiting verbs. */
const atOnce = 1000;
const member = { subject: 'subject-of-ann' as Subject };

/** The throttle counts as usual and never refuses. */
const throttle = 'throttle: { limit: 1000000, window: 1s }';
const overlays: Readonly<Record<Format, string>> = {
  opaque: throttle,
  ES256: `${throttle}
base_path: /jwt
programme_identifier: ExecutiveClubJwt
tokens: { access: { format: jwt, algorithm: ES256 } }`,
};

/** The shipped programme with YAML laid over it, under a name of its own. */
function programmeOf(name: string, overlay: string): Programme {
  const text = programmeOver(overlay);
  const { loaded, faults } = loadProgramme(`${name}.yaml`, text);
  if (loaded === undefined) throw new Error(faults.map(formatFault).join('\n'));
  return compileProgramme(loaded.id, loaded.definition, 'http://127.0.0.1');
}

/** `place` is a folder, or where the database is. */
const [, , kind, place = ''] = process.argv;
const fileStore =
  kind === 'file' || kind === 'observed'
    ? openFileStore({
        path: join(place, kind === 'observed' ? 'observed.db' : 'jetway.db'),
        environment: 'staging',
        reserve: serverReserve,
      })
    : undefined;
const statements = kind === 'postgres' ? countStatements() : undefined;
const store = fileStore ?? (statements ? await openShared() : openMemoryStore());
const keyring = createKeyring(new Uint8Array(32).fill(7));
const clock = systemClock();
const log = openLog();

const { serving } = await serveAll(
  Object.entries(overlays).map(([format, overlay]) => ({
    programme: programmeOf(format.toLowerCase(), overlay),
  })),
  { store, clock, keyring, log, environment: 'staging' },
);
for (const programme of serving.served.keys()) await register(programme);
const audit = kind === 'observed' ? openAudit() : undefined;
if (audit !== undefined) {
  watchProcess();
  log.follow({ ...usualLog, file: join(place, 'jetway.log') });
}
const observing = present({
  observer: audit && new Observing(requestMetrics, log.observer, audit.observer(serving)),
});
const server = await listen({ host: '127.0.0.1', port: 0 }, serving.app, observing);

function openShared(): Promise<Store> {
  const location = readPostgresLocation(place, (path) => path);
  return openPostgresStore({ location, environment: 'staging' });
}

/** The audit stream beside the store. */
function openAudit(): ServerAudit | undefined {
  const settings = { file: join(place, 'audit.jsonl'), onFailure: 'refuse' } as const;
  const config = {
    audit: { ...settings, tellsVerification: false },
    environment: 'staging',
  } as const;
  return openServerAudit(config, keyring, log, {});
}

async function register(programme: ProgrammeId): Promise<void> {
  const createdAt = clock.now();
  const common = { programme, status: 'active', createdAt } as const;
  await store.add('client', [clientRecord(programme, keyring, createdAt)]);
  // Nobody logs in: no password matches the hash.
  await store.add('member', [
    { ...common, ...member, username: 'ann', passwordHash: '$argon2id$none' },
  ]);
}

function serviceOf(format: Format): Service {
  const service = serving.served.get(format.toLowerCase() as ProgrammeId)?.site.service;
  if (service === undefined) throw new Error(`${format} is not in service`);
  return service;
}

async function mint({ format, count }: Order): Promise<readonly string[]> {
  const { programme } = serviceOf(format);
  const issuedAt = clock.now();
  const expiresAt = after(issuedAt, programme.code.lifetime);
  // As after a login without a scope.
  const scope = programme.scope.ofLogin(undefined, undefined);
  const codes = Array.from({ length: count }, () => programme.code.generate());
  for (let from = 0; from < count; from += atOnce) {
    await Promise.all(
      codes.slice(from, from + atOnce).map((code) =>
        store.issueCode({
          programme: programme.id,
          key: codeKey(code),
          transaction: randomKey(12),
          client: clientId as ClientId,
          redirectUri: digest(redirectUri),
          member,
          ...(scope === undefined ? {} : { scope }),
          issuedAt,
          expiresAt,
          forgetAt: after(expiresAt, milliseconds(600_000)),
        }),
      ),
    );
  }
  return codes;
}

/** Made by the issuer itself, as in a login without a code. */
async function issue({ format, count }: Order): Promise<readonly string[]> {
  const service = serviceOf(format);
  const { programme } = service;
  const client = await store.find('client', programme.id, clientId as ClientId);
  if (client === undefined) throw new Error('the client is gone');
  const now = clock.now();
  const scope = programme.scope.ofLogin(undefined, undefined);
  const era = await store.era();
  const inputs: ReadonlyMap<string, string> = new Map();
  const hangUp = (): AbortSignal => new AbortController().signal;
  const record = new RequestRecord('POST');
  const grant = 'password';
  const request = { service, client, grant, inputs, scope, now, era, hangUp, record } as const;
  const tokens: string[] = [];
  while (tokens.length < count) {
    const length = Math.min(atOnce, count - tokens.length);
    const begun = Array.from({ length }, async () => {
      const login: Authorization = { kind: 'login', member, asked: scope, scope, loggedInAt: now };
      return (await issueFor(request, login))?.accessToken ?? '';
    });
    tokens.push(...(await Promise.all(begun)));
  }
  return tokens;
}

function address(format: Format): Address {
  const { programme } = serviceOf(format);
  return {
    port: Number(new URL(server.url).port),
    path: programme.tokenEndpoints[0]?.path ?? '',
    verifyPath: `${programme.ownPath}/verify/member`,
  };
}

answerParent<ServerCommands>(
  {
    ...usageCommands(fileStore?.commits ?? statements?.commits, statements?.rounds),
    address,
    mint,
    issue,
  },
  // Pending work is dropped; the store closes cleanly.
  () => store.close(),
);
