// Owns the verbs about a server and its programmes, and `version`.

import { check } from './check.ts';
import { dev } from './dev.ts';
import type { Verb } from './grammar.ts';
import { serve } from './serve.ts';
import { show } from './show.ts';
import { version } from './version.ts';

export const serverVerbs: readonly Verb[] = [
  {
    words: 'serve',
    summary: 'run the server',
    reads: 'store',
    options: [
      {
        flags: '--accept-clock',
        description: 'start though the store has recorded a later time: what was issued since ends',
      },
    ],
    example: 'jetway serve --config /etc/jetway/config.yaml',
    run: serve,
  },
  {
    words: 'dev',
    summary: 'try it: programmes with a demo client and member each, in memory, on loopback',
    options: [
      {
        flags: '--config <file>',
        description: 'show the programmes of this configuration, not the shipped ones',
      },
      {
        flags: '--listen <address>',
        description: 'loopback address to listen on',
        default: '127.0.0.1:8080',
      },
      {
        flags: '--commands <programme>',
        description:
          'print what can be pasted into bash for a programme of the dev that runs at --listen',
      },
    ],
    example: 'jetway dev',
    exits: { 3: 'invalid configuration or programme' },
    run: dev,
  },
  {
    words: 'check',
    summary: 'validate the configuration and all programmes, or programme files alone',
    argument: ['[files...]', 'programme files; without any, everything the configuration names'],
    reads: 'configuration',
    json: true,
    example: 'jetway check',
    exits: { 0: 'done; warnings alone are no failure', 3: 'a fault is an error' },
    run: check,
  },
  {
    words: 'show',
    summary: "print a programme's effective dialect, every default filled in, as YAML",
    argument: ['<programme>', "the programme's name: its file without .yaml"],
    reads: 'configuration',
    json: true,
    example: 'jetway show my-club',
    run: show,
  },
];

export const versionVerb: Verb = {
  words: 'version',
  summary: 'tell the version, and the commit it was built from',
  json: true,
  example: 'jetway version --json',
  run: version,
};
