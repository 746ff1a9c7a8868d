// Owns the verbs about a server and its programmes, and `version`.

import { variantNames } from '../../language/variants.ts';
import { lazy, type Verb, verbOf } from './grammar.ts';
import { option } from './options.ts';
import {
  devOptions,
  diffOptions,
  healthcheckOptions,
  initOptions,
  maintenanceOptions,
  newProgrammeOptions,
  reloadOptions,
  showOptions,
  whyOptions,
} from './rows.ts';

const itsName = ['<programme>', "the programme's name: its file without .yaml"] as const;

export const serverVerbs: readonly Verb[] = [
  verbOf({
    words: 'serve',
    summary: 'run the server',
    reads: 'store',
    options: [
      option(
        '--accept-clock',
        'start although the store has recorded a later time: codes and tokens without a login that were issued later than now end',
      ),
    ],
    example: 'jetway serve --config /etc/jetway/config.yaml',
    json: false,
    run: lazy(() => import('../../server/serve.ts'), 'serve'),
  }),
  verbOf({
    words: 'reload',
    summary: 'have the running server take up changed files, each programme by itself',
    reads: 'configuration',
    options: reloadOptions,
    example: 'jetway reload',
    exits: { 3: 'something was not taken up: what was served before is still served' },
    run: lazy(() => import('../remote.ts'), 'reload'),
  }),
  verbOf({
    words: 'status',
    summary: 'tell what the running server serves, since when, and how it is',
    reads: 'configuration',
    example: 'jetway status',
    run: lazy(() => import('../remote.ts'), 'status'),
  }),
  verbOf({
    words: 'healthcheck',
    summary: 'tell whether the server of this configuration takes requests, part by part',
    details:
      "Asks its operators' listener (admin), or its control socket where there is none. For containers and scripts.",
    reads: 'configuration',
    options: healthcheckOptions,
    example: 'jetway healthcheck',
    exits: { 0: 'it takes requests, perhaps degraded', 1: 'it does not, or does not answer' },
    run: lazy(() => import('../remote.ts'), 'healthcheck'),
  }),
  verbOf({
    words: 'why',
    summary:
      'tell why a request was refused: the step, the line of YAML, what was expected and what came',
    details:
      'The id stands in the X-Request-Id header of every answer, unless the programme names another header, and on the pages that end a login. The running server is asked; for older requests, its log.',
    operands: [['<id>', 'the request id that the partner or member quotes']],
    reads: 'configuration',
    options: whyOptions,
    example: 'jetway why 7Q2M0ZK4T9XB',
    exits: { 1: 'not found, or failed' },
    run: lazy(() => import('../why/why.ts'), 'why'),
  }),
  verbOf({
    words: 'dev',
    summary: 'try it: programmes with a demo client and member each, in memory, on loopback',
    details:
      'Without --config it shows the shipped programmes, in any folder. Why it refused a request stands in its log: jetway dev 2>dev.log, then jetway why ID --log dev.log.',
    options: devOptions,
    example: 'jetway dev --config config.yaml',
    exits: { 3: 'invalid configuration or programme' },
    json: false,
    run: lazy(() => import('../dev/dev.ts'), 'dev'),
  }),
  verbOf({
    words: 'check',
    summary: 'validate the configuration and all programmes, or programme files alone',
    operands: [['[files...]', 'programme files; without any, everything the configuration names']],
    reads: 'configuration',
    example: 'jetway check',
    exits: { 0: 'done; there may be warnings', 3: 'there are errors' },
    run: lazy(() => import('../programmes/check.ts'), 'check'),
  }),
  verbOf({
    words: 'show',
    summary:
      "print a programme's effective dialect as YAML, what its partners are told, or its departures",
    details:
      'Without an option it prints every key of the programme with every default filled in. The page and the OpenAPI document are made from the same.',
    operands: [itsName],
    reads: 'store',
    options: showOptions,
    example: 'jetway show my-club --for partner',
    run: lazy(() => import('../programmes/show.ts'), 'show'),
  }),
  verbOf({
    words: 'diff',
    summary: 'tell what would change on the wire between two versions of a programme file',
    operands: [
      ['<old>', 'the programme file as it was'],
      [
        '<new>',
        'the programme file as it would be; its name is the programme, whatever old is called',
      ],
    ],
    options: diffOptions,
    example: 'jetway diff old/my-club.yaml programmes/my-club.yaml',
    exits: {
      1: 'failed; with --exit-code, there are changes',
      3: 'one of the files is no valid programme',
    },
    run: lazy(() => import('../programmes/show.ts'), 'diff'),
  }),
];

export const maintenanceVerbs: readonly Verb[] = [
  verbOf({
    words: 'maintenance on',
    summary: "answer temporarily_unavailable, in the programme's dialect, from now on",
    details:
      'Servers that run do so at once; it outlasts restarts. No code, token or attempt is spent.',
    operands: [itsName],
    reads: 'store',
    options: maintenanceOptions,
    example: 'jetway maintenance on my-club --retry-after 10m',
    run: lazy(() => import('../programmes/maintenance.ts'), 'maintenanceOn'),
  }),
  verbOf({
    words: 'maintenance off',
    summary: 'answer requests to a programme again',
    operands: [itsName],
    reads: 'store',
    example: 'jetway maintenance off my-club',
    run: lazy(() => import('../programmes/maintenance.ts'), 'maintenanceOff'),
  }),
];

export const startingVerbs: readonly Verb[] = [
  verbOf({
    words: 'init',
    summary: 'write a commented configuration and the shipped programmes into a folder',
    operands: [['[folder]', 'made if it does not exist; the current folder if left out']],
    options: initOptions,
    example: 'jetway init staging',
    exits: { 1: 'failed; a file that would be written is there already' },
    run: lazy(() => import('../programmes/init.ts'), 'init'),
  }),
  verbOf({
    words: 'new',
    summary: 'write a programme file to start from, with what editors need to complete its keys',
    operands: [
      ['<name>', 'name of the programme and of its file: lower-case letters, digits and "-"'],
    ],
    reads: 'configuration',
    options: newProgrammeOptions,
    example: `jetway new another-club --variant ${variantNames().at(-1) ?? ''}`,
    exits: { 1: 'failed; there is a file of that name already' },
    run: lazy(() => import('../programmes/init.ts'), 'newProgramme'),
  }),
  verbOf({
    words: 'schema',
    summary: 'print the JSON Schema of programme files, for editors',
    example: 'jetway schema > programme.schema.json',
    json: false,
    run: lazy(() => import('../programmes/init.ts'), 'schema'),
  }),
];

export const versionVerb: Verb = verbOf({
  words: 'version',
  summary: 'tell the version, and the commit it was built from',
  example: 'jetway version --json',
  run: lazy(() => import('../version.ts'), 'printVersion'),
});
