// Owns a folder where a service is set up and run by hand: every command's output is kept, and every
// secret that goes in or out.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import { randomKey } from '../../src/lib/random.ts';
import {
  configText,
  jetway,
  jetwayEach,
  programmeText,
  type Ran,
  workFolder,
} from '../cli/command.ts';
import { shippedLogos, shippedProgramme } from '../support/jetway.ts';
import { scratchFolder } from '../support/scratch.ts';
import { Hoard } from './hoard.ts';

const jwt = `tokens: { access: { format: jwt } }
base_path: /signed-club
id_token: { algorithm: RS256 }
token_response: { fields: { id_token: id_token } }
`;

/** A minute for retries: how much of it a machine takes for itself is not what is tested. */
const grace = 'tokens: { refresh: { grace: 60s } }\n';

/** Asks for the API key in a header. */
const keyedClub = programmeText(
  'Keyed',
  'token_endpoints: { grant: { inputs: { app_key: { in: header, name: X-App-Key, required: true, must_equal: client.api_key } } } }\n',
);

/** Characters that every encoding turns into something else. */
export const awkward = '+/ %:&<"é';

/** A site where everything printed is kept, and every secret that goes in or out. */
export class Scene {
  readonly hoard: Hoard = new Hoard();
  readonly folder: string;
  /** The operator's own files, which hold secrets as they should. */
  readonly desk: string;
  readonly printed: Map<string, string> = new Map();

  constructor(t: TestContext) {
    this.folder = workFolder(t, {
      'config.yaml': `${configText}admin: 127.0.0.1:0\nstop_delay: 0s\nlog: { verify: all }\n`,
      ...shippedLogos(),
      'programmes/club.yaml': programmeText('Club'),
      'programmes/keyed.yaml': keyedClub,
      'programmes/signed-club.yaml': shippedProgramme('executive-club', jwt, grace),
      ...Object.fromEntries(
        ['executive-club', 'second-club'].map((name) => [
          `programmes/${name}.yaml`,
          shippedProgramme(name, grace),
        ]),
      ),
    });
    this.desk = scratchFolder(t, 'desk');
  }

  /** A secret of somebody's own making. */
  invent(what: string): string {
    return this.hoard.keep(what, `${randomKey(9)}${awkward}${randomKey(9)}`);
  }

  /** The same where the secret must fit a header: no letter beyond ASCII, no space. */
  inventPlain(what: string): string {
    return this.hoard.keep(what, `${randomKey(9)}%2B"+/=${randomKey(9)}`);
  }

  /** Runs a command that may show no secret. */
  async run(args: readonly string[], input = ''): Promise<Ran> {
    const ran = await jetway(this.folder, args, input);
    this.#note(args, ran);
    return ran;
  }

  /** Runs a command that shows the secret it was given, once, on standard output alone. */
  async give(args: readonly string[], secret: string): Promise<void> {
    const { stdout, ...rest } = await jetway(this.folder, args, secret);
    assert.ok(stdout.includes(secret));
    this.#note(args, { ...rest, stdout: '' });
  }

  /** Runs several that may show none in one process; without input. */
  async runEach(lines: readonly (readonly string[])[]): Promise<void> {
    const all = await jetwayEach(this.folder, lines);
    for (const [index, ran] of all.entries()) this.#note(lines[index] ?? [], ran);
  }

  /** Runs commands that show what they make, once, as JSON; what they show is kept. */
  async make(lines: readonly (readonly string[])[]): Promise<readonly Shown[]> {
    const all = await jetwayEach(
      this.folder,
      lines.map((line) => [...line, '--json']),
    );
    return all.map(({ code, stdout, stderr }, index) => {
      const args = lines[index] ?? [];
      assert.equal(code, 0, stderr);
      this.#note(args, { code, stdout: '', stderr });
      const shown = JSON.parse(stdout) as Shown;
      for (const name of ['client_secret', 'api_key'] as const) {
        if (shown[name] !== undefined) this.hoard.keep(`${name} of ${args.join(' ')}`, shown[name]);
      }
      return shown;
    });
  }

  #note(args: readonly string[], { stdout, stderr, code }: Ran): void {
    const name = `jetway ${args.join(' ')} (${this.printed.size}, exit ${code})`;
    this.printed.set(name, stdout + stderr);
  }
}

export interface Shown {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly api_key?: string;
}
