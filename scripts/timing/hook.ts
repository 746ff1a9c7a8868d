// Owns the reference server of docs/ as a process, with the members of the site.

import { scryptSync } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';

import { answerParent, listenAnywhere } from '../load/child.ts';
import { namesOf, password } from '../load/login.ts';

export interface HookOrder {
  readonly secret: string;
  readonly members: number;
}

export interface HookCommands {
  /** Begins to listen; resolves to its address. */
  readonly start: (order: HookOrder) => Promise<string>;
}

interface ReferenceServer {
  readonly memberDirectory: (options: {
    readonly secrets: readonly string[];
    readonly members: readonly object[];
  }) => RequestListener;
}

const path = '../../docs/member-directory-server.mjs';
const { memberDirectory } = (await import(path)) as ReferenceServer;

const hashed = `0a0b:${scryptSync(password, Buffer.from('0a0b', 'hex'), 32).toString('hex')}`;

answerParent<HookCommands>({
  start: async ({ secret, members }) => {
    const known = (['known', 'disabled', 'locked'] as const).flatMap((kind) =>
      namesOf(kind, members).map((username) => ({
        username,
        password: hashed,
        subject: `subject-of-${username}`,
        active: kind !== 'disabled',
      })),
    );
    const server = createServer(memberDirectory({ secrets: [secret], members: known }));
    return `http://127.0.0.1:${await listenAnywhere(server)}`;
  },
});
