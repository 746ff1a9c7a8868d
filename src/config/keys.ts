// Owns the list of the configuration's keys. The type of the configuration, `config.example.yaml`,
// `jetway help key`, and what a reload takes up are made of these rows.

import { availableParallelism } from 'node:os';

import * as v from 'valibot';

import { type Milliseconds, milliseconds } from '../lib/clock.ts';
import { key } from '../schema/notes.ts';
import { durationSchema } from '../schema/scalars.ts';
import { locationFault } from '../store/open.ts';
import {
  addressSchema,
  type AdminPlace,
  adminSchema,
  networksSchema,
  publicUrlSchema,
} from './address.ts';
import {
  auditSchema,
  auditSettings,
  logSchema,
  logSettings,
  tracingSchema,
  tracingSettings,
} from './log_keys.ts';
import { asPath, row, type Row } from './rows.ts';
import { certifiedSchema, localFiles, tlsSchema } from './tls_keys.ts';

const storeSchema = v.pipe(
  v.string(),
  v.check(
    (text) => locationFault(text) === undefined,
    ({ input }) => locationFault(input) ?? '',
  ),
);

/** More would wait for each other on any machine that is sold today. */
const mostWorkers = 64;

const workersSchema = v.union(
  [
    v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(mostWorkers)),
    v.pipe(
      v.literal('cores'),
      v.transform(() => Math.min(availableParallelism(), mostWorkers)),
    ),
  ],
  `expected a number of processes from 1 to ${mostWorkers}, or cores for as many as there are`,
);

const stopDelaySchema = v.pipe(
  durationSchema,
  v.check((delay) => delay <= 60_000, 'expected at most 60s'),
);

/** Time for a load balancer that looks every other second; without `admin` none can look. */
function usualStopDelay(admin: AdminPlace | undefined): Milliseconds {
  return milliseconds(admin === undefined ? 0 : 5000);
}

const contactSchema = v.pipe(
  v.string(),
  v.check(
    (text) => /^[^\p{Cc}\s](?:[^\p{Cc}]{0,198}[^\p{Cc}\s])?$/u.test(text),
    'expected one line of 1 to 200 characters, such as partners@example.com',
  ),
);

/** In the order of `config.example.yaml`. */
export const rows = {
  environment: row(v.picklist(['staging', 'live']), {
    text: 'Which of the two worlds this is. Clients, secrets and API keys belong to one of them: a store that was made in one does not open in the other.',
    example: 'staging',
    isSet: true,
  }),
  listen: row(v.optional(addressSchema, '127.0.0.1:8080'), {
    text: 'The address and port of this machine where requests are answered. Behind a proxy, keep it on 127.0.0.1. 0.0.0.0 is every address of the machine. If systemd hands down a socket, that socket is used instead.',
    example: '127.0.0.1:8080',
    isSet: true,
  }),
  public_url: row(publicUrlSchema, {
    text: 'The address under which clients reach the service: scheme, host and perhaps a path, without a slash at the end. Login redirects and the issuer of tokens are made of it, never of what a request says. If the environment is live, it must begin with https, unless its host is loopback. If it has a path, all paths that are served begin with that path.',
    example: 'http://127.0.0.1:8080',
    isSet: true,
  }),
  programmes: row(
    v.optional(v.string(), './programmes'),
    {
      text: "The folder of programmes. Each *.yaml file in it is one programme. The file's name is the programme's name in commands: my-club.yaml is my-club.",
      example: './programmes',
      isSet: true,
    },
    asPath,
  ),
  store: row(
    storeSchema,
    {
      text: 'Where clients, members, codes and tokens are kept. file: and a path name one SQLite file, which is made at its first use. Keep it on a local disk, and back it up with its master key. memory forgets everything when the server stops, and commands cannot add clients to it. Several machines share a PostgreSQL database, such as postgres://jetway@db1.example:5432,db2.example:5432/jetway. Its hosts are tried in turn. TLS verifies them; ?sslrootcert= names the file with their authority. All of these machines need the same environment, master key and programmes.',
      example: 'file:./data/jetway.db',
      isSet: true,
    },
    (_text, { store }) => store,
  ),
  store_password_file: row(
    v.exactOptional(v.string()),
    {
      text: 'The file with the password of a PostgreSQL store: one line, which its owner alone may read. It is read at each connect, so that it can be replaced. JETWAY_STORE_PASSWORD_FILE in the environment overrides it.',
      example: './data/store.password',
      otherwise: 'the store asks for no password',
    },
    asPath,
  ),
  admin: row(
    v.exactOptional(adminSchema),
    {
      text: "Where monitoring asks how the service is: livez, readyz and metrics. It is an address of this machine, or a unix socket for the server's user and group, such as unix:/run/jetway/admin.sock. Keep it off the public network.",
      example: '127.0.0.1:9090',
      otherwise: 'nothing listens for monitoring',
      isSet: true,
    },
    (place, { local }) => place && ('path' in place ? { path: local(place.path) } : place),
  ),
  gateway: row(v.exactOptional(addressSchema), {
    text: "Where the API's gateway asks whether a request may pass: verify and introspection.",
    example: '127.0.0.1:8090',
    otherwise: 'they are answered at `listen`, beside everything else',
    isSet: true,
    // A new listener would open with the TLS of before: in plain text if there was none.
    taken: { unless: 'gateway_tls' },
  }),
  tls: row(
    v.exactOptional(tlsSchema),
    {
      text: 'TLS 1.2 and later at `listen`, without a proxy in front. public_url then begins with https.',
      example: '{ certificate_file: ./tls/certificate.pem, key_file: ./tls/key.pem }',
      otherwise: 'plain HTTP is answered',
      // Whether there is TLS at all is a matter of the listener; other files are taken up.
      taken: { unless: 'tls' },
    },
    (files, { local }) => files && localFiles(files, local),
  ),
  gateway_tls: row(
    v.exactOptional(certifiedSchema),
    {
      text: 'The same for `gateway`, which asks nobody for a certificate.',
      example: '{ certificate_file: ./tls/gateway.pem, key_file: ./tls/gateway.key }',
      otherwise: 'plain HTTP is answered',
      taken: { unless: 'gateway_tls' },
    },
    (files, { local }) => files && localFiles(files, local),
  ),
  trusted_proxies: row(networksSchema, {
    text: 'The networks of the proxies in front of the service. X-Forwarded-For is believed from these alone, so that limits count the real caller.',
    example: '[10.0.0.0/8]',
    taken: 'reload',
  }),
  jwks_networks: row(networksSchema, {
    text: 'The private networks from which key sets of clients may be fetched (client add --jwks https://...). Key sets may be fetched from public addresses in any case, always by https. A partner says where its keys are, so leave this empty unless partners are inside.',
    example: '[10.0.0.0/8]',
  }),
  jwks_authorities_file: row(
    v.exactOptional(v.string()),
    {
      text: 'Certificates (PEM) of authorities that may vouch for the servers of these key sets, besides the public authorities that come with Jetway: for key sets inside a company. They count for nothing else. A running server takes up a changed file by itself.',
      example: './tls/partners.pem',
      otherwise: 'the public authorities alone',
      taken: 'reload',
    },
    asPath,
  ),
  proxy_protocol: row(v.exactOptional(v.picklist(['v2'])), {
    text: 'Whether the trusted proxies begin each connection to `listen` with a PROXY header (version 2), as proxies of TCP do. The header names the real caller; it comes before TLS. No other connection is taken then.',
    example: 'v2',
    otherwise: 'connections have no such header',
  }),
  workers: row(v.optional(workersSchema, 1), {
    text: 'How many processes of this machine answer requests: a number from 1 to 64, or cores for as many as the machine has. Together they are one server to clients, commands and monitoring. Only a postgres: store gains by more than one.',
    example: '4',
  }),
  master_key_file: row(
    v.exactOptional(v.string()),
    {
      text: 'The file with the master key. It encrypts the signing keys and the signing secrets in the store; without it a stolen store is useless. It is made at the first start, and its owner alone may read it. Keep a copy apart from the backups of the store. For a PostgreSQL store it is not made, since all machines need the same key. JETWAY_MASTER_KEY_FILE in the environment overrides it.',
      example: './data/master.key',
      otherwise: 'beside the store, if that is a file',
      isSet: true,
    },
    asPath,
  ),
  control: row(
    v.exactOptional(v.string()),
    {
      text: 'The socket by which commands such as reload and status ask a running server. Its owner alone may use it.',
      example: './data/jetway.db.control',
      otherwise: 'beside a store of one file, else beside this file',
      isSet: true,
    },
    (name, { local, store }) => {
      if (name !== undefined) return local(name);
      return store.kind === 'file' ? `${store.path}.control` : local('jetway.control');
    },
  ),
  watch_programmes: row(v.optional(v.boolean(), true), {
    text: 'Whether a running server takes up changed files of programmes by itself, within two seconds. If not, it waits for jetway reload or SIGHUP.',
    example: 'true',
    isSet: true,
    taken: 'reload',
  }),
  log: row(
    v.exactOptional(logSchema),
    {
      text: 'Which lines the log has: one for each request, login, command and event.',
      example: '{ level: error }',
      otherwise: 'each key below has its default',
      taken: 'reload',
    },
    (log, { local }) => logSettings(log, local),
  ),
  tracing: row(
    v.exactOptional(tracingSchema),
    {
      text: "Traces of requests, for a collector that takes OpenTelemetry's OTLP over HTTP as JSON.",
      example: '{ endpoint: http://127.0.0.1:4318/v1/traces }',
      otherwise: 'no traces are sent',
      taken: 'reload',
    },
    (tracing, { local }) => tracing && tracingSettings(tracing, local),
  ),
  stop_delay: row(
    v.exactOptional(stopDelaySchema),
    {
      text: 'How long a server that gets SIGTERM goes on answering while its readyz says 503, so that a load balancer has looked before connections are refused: 0s to 60s. Ctrl-C does not wait for it.',
      example: '5s',
      otherwise: '5s with `admin`, else 0s',
      isSet: true,
      taken: 'reload',
    },
    (delay, { admin }) => delay ?? usualStopDelay(admin),
  ),
  audit: row(
    v.exactOptional(auditSchema),
    {
      text: 'The audit stream tells who onboarded, disabled or logged in whom, what was issued, refused and revoked, and every change of configuration. Each is a line, in a chain that shows changed and missing lines (jetway audit verify). audit: off ends the stream. If the store is memory, there is none.',
      example: '{ file: ./data/audit.jsonl, on_failure: refuse, verification: false }',
      otherwise: 'a stream as in the example',
      isSet: true,
    },
    (audit, { local, store }) => auditSettings(audit, store, local),
  ),
  partners: row(
    v.exactOptional(
      v.strictObject({
        contact: key(contactSchema, {
          text: 'Whom partners ask for help: one line, such as an address, a telephone number or both.',
          example: 'partners@example.com',
        }),
      }),
    ),
    {
      text: 'What the pages for partners say besides what the programme says (jetway show --for partner, jetway client add --partner-page).',
      example: '{ contact: partners@example.com }',
      otherwise: 'the pages name nobody',
      // Commands alone read it.
      taken: 'reload',
    },
  ),
} as const satisfies Readonly<Record<string, Row>>;
