// Owns a folder with a programme, a partner and a member, whose store is moved between a file and
// PostgreSQL, as an operator has it.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

import { logIn } from '../../support/login.ts';
import { scratchSchema } from '../../support/postgres.ts';
import { type Answer, post } from '../../support/wire.ts';
import { configText, jetway, jetwayJson, type Ran, workFolder } from '../command.ts';
import { type ServerOptions, type ServerProcess, startServer } from '../server.ts';

const id = 'partnerapi-00001';
const password = 'correct horse battery staple';

export interface PostgresSite {
  readonly folder: string;
  /** Of the store in PostgreSQL, as messages name it. */
  readonly name: string;
  /** Runs a statement in the store's schema. */
  readonly query: (text: string) => Promise<readonly object[]>;
  /** Runs a command with the configuration of that name. */
  readonly run: (config: string, ...args: readonly string[]) => Promise<Ran>;
  readonly start: (config: string, options?: ServerOptions) => Promise<ServerProcess>;
  /** Registers the partner and the member in the store of a configuration. */
  readonly register: (config: string) => Promise<void>;
  readonly code: (server: ServerProcess) => Promise<string>;
  readonly grant: (
    server: ServerProcess,
    fields: Readonly<Record<string, string>>,
  ) => Promise<Answer>;
  /** The refresh token that an answer brings, which must be one. */
  readonly refreshTokenIn: (answer: Answer) => string;
}

/** Configurations `file` and `postgres` of one folder, with one master key. */
export async function postgresSite(t: TestContext, more = ''): Promise<PostgresSite> {
  const { url, query } = await scratchSchema(t);
  const rest = `stop_delay: 0s\nmaster_key_file: ./data/master.key\ncontrol: ./jetway.control\n${more}`;
  const configured = (store: string): string =>
    configText.replace(/^store: .*\n/m, `store: ${store}\n${rest}`);
  const folder = workFolder(t, {
    'file.yaml': configured('file:./data/jetway.db'),
    'back.yaml': configured('file:./data/back.db'),
    'postgres.yaml': configured(url),
  });
  // The first start of a file store makes the key, which all of them share.
  assert.equal((await jetway(folder, ['client', 'list', '--config', 'file.yaml'])).code, 0);
  let secret = '';
  const grant: PostgresSite['grant'] = ({ url: at }, fields) => {
    const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
    return post(at, '/club/api/grant', fields, { authorization });
  };
  return {
    folder,
    name: url.replace('&sslmode=disable', ''),
    query,
    run: (config, ...args) => jetway(folder, [...args, '--config', `${config}.yaml`]),
    start: (config, options = {}) =>
      startServer(t, folder, { ...options, args: ['--config', `${config}.yaml`] }),
    register: async (config) => {
      const at = ['--config', `${config}.yaml`];
      const add = `client add --programme club --name Blue --client-id ${id} --role member
        --redirect-uri https://blue.example/cb`.split(/\s+/);
      const added = (await jetwayJson(folder, [...add, ...at])) as { client_secret: string };
      secret = added.client_secret;
      const member = 'member add --programme club --username ann --password-stdin'.split(' ');
      await jetwayJson(folder, [...member, ...at], password);
    },
    code: ({ url: at }) => {
      const target = `/club/auth/login?client_id=${id}&response_type=code`;
      return logIn(at, target, { username: 'ann', password });
    },
    grant,
    refreshTokenIn: ({ status, body }) => {
      assert.equal(status, 200, body);
      return (JSON.parse(body) as { refresh_token: string }).refresh_token;
    },
  };
}

export const storePath = (folder: string, name: string): string => join(folder, 'data', name);
