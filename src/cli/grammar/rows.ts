// Owns the options of verbs, as rows; those of the fields of clients and members are made from the fields.

import { eventNames } from '../../audit/event.ts';
import { variantNames } from '../../language/variants.ts';
import { milliseconds } from '../../lib/clock.ts';
import { formatDuration } from '../../lib/duration.ts';
import { signingAlgorithms } from '../../oauth/signing_key.ts';
import { shownKinds } from '../../server/keys/lines.ts';
import { shortestWait } from '../../token/key_rules.ts';
import { count, duration, option, pastTime, streamLine } from './options.ts';

export const reloadOptions = [
  option('--dry-run', 'change nothing; tell what a reload would do'),
  option('--prune', 'end programmes whose file is gone'),
] as const;

export const healthcheckOptions = [
  option('--live', 'ask only whether it is alive: a server that is not ready is not restarted'),
] as const;

export const whyOptions = [
  option('--partner', 'print what the partner may be sent'),
  option('--log <file>', 'look for it in lines of a log; - is standard input'),
] as const;

export const devOptions = [
  option('--config <file>', 'show the programmes of this configuration, not the shipped ones'),
  option('--listen <address>', 'loopback address to listen on', { default: '127.0.0.1:8080' }),
  option(
    '--commands <programme>',
    'print what can be pasted into bash for a programme of the dev that runs at --listen',
  ),
] as const;

const oneDocument = '--for, --openapi and --departures exclude each other';

export const showOptions = [
  option('--for <reader>', 'the page for partners: how to get, use and refresh tokens', {
    choices: ['partner'],
    excludes: [['openapi', 'departures'], oneDocument],
  }),
  option('--format <format>', 'format of that page (default: markdown)', {
    choices: ['markdown', 'html'],
    needs: [['for'], '--format is for --for partner'],
  }),
  option('--openapi', 'an OpenAPI 3.1 document, as JSON', {
    excludes: [['departures'], oneDocument],
  }),
  option(
    '--departures',
    'where it departs from the RFCs: the line, the risk and why it is accepted',
  ),
  option('--client <id>', 'fill in what is registered of this client', {
    needs: [['for', 'openapi'], '--client is for --for partner and --openapi'],
  }),
] as const;

export const diffOptions = [option('--exit-code', 'exit with 1 if there are changes')] as const;

export const maintenanceOptions = [
  option('--retry-after <duration>', 'what callers are told to wait (default: 1m)', {
    value: duration(
      { least: milliseconds(1000), most: milliseconds(86_400_000) },
      'a duration from 1s to 24h',
    ),
  }),
] as const;

// The text of a store's location is read by the verbs that take one: its reader brings the store along, which
// help and other verbs do without.
export const initOptions = [
  option('--store <url>', 'for a PostgreSQL store; its master key is made too'),
] as const;

export const newProgrammeOptions = [
  option('--variant <variant>', 'the dialect that it builds on', {
    required: true,
    choices: variantNames(),
  }),
] as const;

const bothOfMember = '--username and --password-stdin go together';

export const directoryTestOptions = [
  option('--programme <name>', 'programme whose file has members.directory: http', {
    required: true,
  }),
  option('--username <name>', 'a member that there is, to test a match with', {
    needs: [['passwordStdin'], bothOfMember],
  }),
  option('--password-stdin', "read that member's password from standard input", {
    needs: [['username'], bothOfMember],
  }),
] as const;

const oneProgramme = option(
  '--programme <name>',
  'in this programme alone; all of them without it',
);

const oneKind = option(
  '--kind <kind>',
  'signing for keys of JWTs, identity for those of identity tokens alone, token for keys of opaque tokens; all without it',
  { choices: shownKinds },
);

export const keyOptions = [oneProgramme, oneKind] as const;

export const rotateKeysOptions = [
  oneProgramme,
  {
    ...oneKind,
    excludes: [['algorithm'], '--algorithm is for keys of JWTs: leave out --kind token', 'token'],
  },
  option(
    '--wait <duration>',
    'how long verifiers have the new key before it signs (default: 10m)',
    {
      value: duration(
        { least: shortestWait, most: milliseconds(366 * 86_400_000) },
        `a duration from ${formatDuration(shortestWait)}, twice as long as verifiers keep a key set, to 366d`,
        '; --now is for emergencies',
      ),
    },
  ),
  option(
    '--now',
    'let the new key sign at once, a token key in 5 s: verifiers that keep key sets refuse its first JWTs',
    { excludes: [['wait'], '--now and --wait do not go together'] },
  ),
  option(
    '--algorithm <name>',
    'algorithm of the new key, before tokens.access.algorithm is changed to it; with --kind identity id_token.algorithm',
    {
      choices: signingAlgorithms,
    },
  ),
] as const;

export const retireKeysOptions = [
  oneProgramme,
  oneKind,
  option('--kid <kid>', 'this key and no other'),
  option('--force', 'whatever it has signed, such as a key that was stolen; needs --kid', {
    needs: [['kid'], '--force needs --kid: it is for one key'],
  }),
] as const;

export const oneOwner = 'name one of --client, --member and --username';

export const revokeTokensOptions = [
  oneProgramme,
  option('--client <client-id>', 'those issued to this client', {
    excludes: [['member', 'username'], oneOwner],
  }),
  option('--member <subject>', 'those issued at logins of the member with this subject', {
    excludes: [['username'], oneOwner],
  }),
  option('--username <name>', 'the same, of the member with this username'),
] as const;

export const keepsDated = '--keep names a folder, in which no backup replaces another';

export const backupOptions = [
  option('--force', 'replace the file if it is there', { excludes: [['keep'], keepsDated] }),
  option('--keep <number>', 'make a dated backup in a folder, and keep so many of them', {
    value: count(4, 'a number from 1 to 9999'),
  }),
] as const;

export const oneSource = 'name the file of a backup, or --in-place';

export const restoreOptions = [
  option('--in-place', 'void all codes and tokens in a PostgreSQL store as it is', {
    excludes: [['file'], oneSource],
  }),
  option('--keep-granted', 'with --in-place: nothing is lost, a standby was promoted', {
    needs: [['inPlace'], '--keep-granted goes with --in-place'],
  }),
  option('--yes', 'yes: what came into the store since the backup is put aside or replaced'),
] as const;

export const copyOptions = [
  option('--from <store>', 'file: and a path, or postgres://; the configured store without it'),
  option('--to <store>', 'where to, in the same form; the configured store without it'),
] as const;

export const findOptions = [
  option('--event <name>', 'only events of this name', { choices: eventNames }),
  option('--programme <name>', 'only those of this programme'),
  option('--client <client-id>', 'only those about this client'),
  option('--member <name>', 'only those about the member of this subject or username'),
  option('--address <address>', 'only those of callers at this address'),
  option('--request-id <id>', 'only those of this request'),
  option('--command <words>', "only those of a command, such as 'client disable'"),
  option('--since <time>', 'only those since a date or time, or since so long ago: 2h, 7d', {
    value: pastTime,
  }),
  option('--until <time>', 'only those before a date or time, or before so long ago', {
    value: pastTime,
  }),
] as const;

export const verifyOptions = [
  option(
    '--expect <line>',
    'a line that must be there: what an earlier audit verify named as the newest',
    { value: streamLine },
  ),
] as const;

/** The options of a list. */
export const listOptions = [
  option('--programme <name>', 'only those of this programme'),
  option('--status <status>', 'only those of this status', { choices: ['active', 'disabled'] }),
  option('--limit <number>', 'no more than so many, the oldest first', {
    value: count(9, 'a number from 1'),
  }),
  option('--count', 'print how many there are, and nothing of them'),
] as const;

const shortSecret = option(
  '--insecure-short-secret',
  'INSECURE: take a secret that can be guessed, though it alone names the client',
);

export const incomplete = option(
  '--incomplete',
  "allow a client that lacks what the programme's dialect needs of it",
);

export const addClientOptions = [
  option('--public', 'an app that cannot keep a secret: it gets none (RFC 6749 2.1)', {
    excludes: [
      ['secretStdin'],
      '--public and --secret-stdin do not go together: a public client has no secret',
    ],
  }),
  option('--secret-stdin', 'read a secret it has already from standard input'),
  shortSecret,
  option(
    '--partner-page',
    'print the page for this partner too, which has no secret (show --for partner)',
  ),
  option(
    '--api-key-of <client>',
    "share the API key of another client of this partner; PROGRAMME/CLIENT where it is another programme's",
  ),
] as const;

/** With a longer overlap, operators would forget to end the old secret. */
const longestOverlap = milliseconds(366 * 86_400_000);

/** @param usual the overlap without the option */
function overlapOption<const Usual extends string>(usual: Usual) {
  return option('--overlap <duration>', 'how long the old one stays valid; 0s ends it at once', {
    default: usual,
    value: duration({ most: longestOverlap }, 'a duration of at most 366d, such as 30d'),
  });
}

export const rotateSecretOptions = [
  overlapOption('30d'),
  option('--secret-stdin', 'read the new secret from standard input'),
  shortSecret,
] as const;

export const rotateGatewaySecretOptions = [overlapOption('1d')] as const;

export const rotateApiKeyOptions = [
  overlapOption('30d'),
  option('--alone', 'give it a key of its own; those that shared the old one keep that'),
] as const;

export const dryRun = option('--dry-run', 'check everything and add nothing');

export const importClientsOptions = [
  option('--incomplete', "take clients that lack what the programme's dialect needs of them"),
  option('--shared-api-keys', 'let clients of one partner have the same API key'),
] as const;
