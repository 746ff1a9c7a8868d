// Owns an audit stream in a folder of a test's own: its writer, its files and its verdict.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

import type { Entry } from '../../src/audit/chain.ts';
import { eventText } from '../../src/audit/event.ts';
import { Trail } from '../../src/audit/trail.ts';
import { type Verdict, verifyStream } from '../../src/audit/verify.ts';
import { scratchFolder } from '../support/scratch.ts';

export const key: Uint8Array = new Uint8Array(32).fill(7);
const patience = 5000;

export interface Scene {
  readonly folder: string;
  readonly path: string;
  /** A writer that ends with the test. */
  readonly open: () => Trail;
  /** Appends events of these clients, by a writer of its own. */
  readonly append: (...clients: readonly string[]) => void;
  readonly lines: (name?: string) => readonly string[];
  readonly put: (lines: readonly string[], name?: string) => void;
  /** @param known what the store knows of, if anything */
  readonly verify: (known?: Entry) => Promise<Verdict>;
}

/** An event that needs no request. */
export function eventOf(client: string): string {
  return eventText('token_issued', { programme: 'club', client }, '2026-11-23T00:00:00.000Z');
}

export function scene(t: TestContext): Scene {
  const folder = scratchFolder(t, 'audit');
  const path = join(folder, 'audit.jsonl');
  const pathOf = (name: string): string => join(folder, name);
  const open = (): Trail => new Trail({ path, key, patience });
  return {
    folder,
    path,
    open: () => {
      const trail = open();
      t.after(() => trail.close());
      return trail;
    },
    append: (...clients) => {
      const trail = open();
      trail.append(clients.map(eventOf));
      trail.close();
    },
    lines: (name = 'audit.jsonl') => readFileSync(pathOf(name), 'utf8').split('\n').slice(0, -1),
    put: (lines, name = 'audit.jsonl') =>
      writeFileSync(pathOf(name), lines.map((line) => `${line}\n`).join('')),
    verify: (known) => verifyStream(path, key, { known }),
  };
}

/** What a verdict finds wrong, a line each: `audit.jsonl:3 …`, without folders. */
export function breaksIn({ breaks }: Verdict): readonly string[] {
  return breaks.map(({ file, line, what }) => `${file.split('/').at(-1)}:${line ?? ''} ${what}`);
}

/** The events of a stream's lines, in order. */
export function eventsIn(lines: readonly string[]): readonly string[] {
  return lines.map((line) => {
    const { event, client } = JSON.parse(line) as { event: string; client?: string };
    return client ?? event;
  });
}
