// HOSTILE 74, by property: in any sequence of logins, refreshes, retries, exchanges and reloads no token that
// was ended or refused once is ever good again, and `live: one` leaves one that was told. HOSTILE 95: a client's
// token beside a member's ends with that one.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Grant, GrantRequest } from '../../src/engine/authorization.ts';
import { authorizeByRefreshToken } from '../../src/engine/grants/refresh_token.ts';
import { authorizeByExchange } from '../../src/engine/grants/token_exchange.ts';
import { issueBy } from '../../src/engine/issue.ts';
import { openService } from '../../src/engine/open_service.ts';
import { findStandingToken } from '../../src/engine/presented/access_token.ts';
import type { Service } from '../../src/engine/service.ts';
import { formatFault } from '../../src/lib/fault.ts';
import { readFileInside } from '../../src/lib/read_file.ts';
import { Refusal } from '../../src/oauth/failure.ts';
import type { GrantType } from '../../src/oauth/grant.ts';
import type { Subject } from '../../src/oauth/member.ts';
import { RequestRecord } from '../../src/oauth/request_record.ts';
import type { TokenSet } from '../../src/oauth/token_set.ts';
import { compileProgramme, type Programme } from '../../src/programme/programme.ts';
import { loadProgramme, withLogos } from '../../src/rules/load.ts';
import type { Store } from '../../src/store/contract.ts';
import { openMemoryStore } from '../../src/store/sqlite/store.ts';
import { createKeyring } from '../../src/token/keyring.ts';
import { openScratchStore } from '../store/file_directory.ts';
import { aClient, aMember, club, partner } from '../store/fixtures.ts';
import { testClock } from '../support/clock.ts';
import { shippedProgramme } from '../support/jetway.ts';
import { fc, runs } from '../support/property.ts';

interface Settings {
  readonly live: 'one' | 'any';
  readonly format: 'opaque' | 'jwt';
  readonly lifetime: number;
  readonly ofRefresh: number;
  readonly grace: number;
  readonly refresh: number;
  readonly longest: number;
  readonly rotation: 'on' | 'off';
  readonly form: boolean;
  readonly beside: 'jwt' | 'opaque' | 'none';
}

const settings: fc.Arbitrary<Settings> = fc.record({
  live: fc.constantFrom('one', 'one', 'any'),
  format: fc.constantFrom('opaque', 'jwt'),
  lifetime: fc.constantFrom(30, 600),
  ofRefresh: fc.constantFrom(20, 900),
  grace: fc.constantFrom(10, 200),
  refresh: fc.constantFrom(60, 2000),
  longest: fc.constantFrom(300, 5000),
  rotation: fc.constantFrom('on', 'on', 'off'),
  form: fc.boolean(),
  beside: fc.constantFrom('jwt', 'opaque', 'opaque', 'none'),
});

type Command =
  | { readonly verb: 'login'; readonly who: 'ann' | 'bob' | 'client' }
  | { readonly verb: 'refresh' | 'retry' | 'exchange'; readonly which: number }
  | { readonly verb: 'reload'; readonly to: Settings }
  | { readonly verb: 'wait'; readonly seconds: number }
  | { readonly verb: 'sweep' };

const which = fc.nat(20);
const commands: fc.Arbitrary<readonly Command[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        verb: fc.constant('login' as const),
        who: fc.constantFrom('ann', 'ann', 'bob', 'client'),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        verb: fc.constantFrom('refresh', 'retry', 'retry', 'exchange'),
        which,
      }),
    },
    { weight: 3, arbitrary: fc.record({ verb: fc.constant('reload' as const), to: settings }) },
    {
      weight: 2,
      arbitrary: fc.record({
        verb: fc.constant('wait' as const),
        seconds: fc.constantFrom(1, 15, 65, 400),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ verb: 'sweep' as const }) },
  ),
  { minLength: 5, maxLength: 40 },
);

const compiled = new Map<string, Programme>();

function programmeOf(to: Settings): Programme {
  const name = JSON.stringify(to);
  const known = compiled.get(name);
  if (known !== undefined) return known;
  const form =
    to.form && to.format === 'opaque' ? ', form: { characters: base64url, length: 40 }' : '';
  const grace = to.rotation === 'on' ? `grace: ${to.grace}s, ` : '';
  const over = `
tokens:
  access: { live: ${to.live}, format: ${to.format}, lifetime: ${to.lifetime}s${form} }
  refresh: { ${grace}rotation: ${to.rotation}, lifetime: ${Math.min(to.refresh, to.longest)}s, longest: ${to.longest}s }
${to.beside === 'none' ? '' : 'token_response: { fields: { own: client_token } }'}
grants: { refresh_token: { access_lifetime: ${to.ofRefresh}s }, client_credentials: { access_format: ${to.beside === 'none' ? to.format : to.beside} }, token_exchange: { endpoint: grant, role: partner } }
token_endpoints: { grant: { inputs: { subject_token: {}, subject_token_type: { allowed: ["urn:ietf:params:oauth:token-type:access_token"] } } } }
`;
  const written = loadProgramme(`${club}.yaml`, shippedProgramme(club, over));
  const { loaded, faults } = withLogos(written, (logo, most) =>
    readFileInside('programmes', logo, most),
  );
  if (loaded === undefined) throw new Error(faults.map(formatFault).join('\n'));
  const made = compileProgramme(club, loaded.definition, 'https://tokens.example', loaded.logos);
  compiled.set(name, made);
  return made;
}

/** A token as it was told. */
interface Told {
  readonly owner: string;
  readonly tokens: TokenSet;
  /** The refresh token that was presented for it. */
  readonly presented?: string;
  isEnded: boolean;
}

class Scene {
  readonly #store: Store;
  readonly #clock = testClock();
  readonly #told: Told[] = [];
  /** Refresh tokens that were refused. */
  readonly #refused = new Set<string>();
  #service: Service | undefined;
  #live: Settings['live'] = 'any';

  constructor(store: Store) {
    this.#store = store;
  }

  async begin(): Promise<void> {
    await this.#store.add('client', [aClient()]);
    const members = ['ann', 'bob'].map((name) =>
      aMember({ subject: name as Subject, username: name }),
    );
    await this.#store.add('member', members);
    await this.#reload({
      live: 'any',
      format: 'opaque',
      lifetime: 600,
      ofRefresh: 900,
      grace: 200,
      refresh: 2000,
      longest: 5000,
      rotation: 'on',
      form: false,
      beside: 'opaque',
    });
  }

  async run(command: Command): Promise<void> {
    // Two tokens of one millisecond and login can be one token.
    this.#clock.advance(0.001);
    if (command.verb === 'wait') this.#clock.advance(command.seconds);
    else if (command.verb === 'reload') await this.#reload(command.to);
    else if (command.verb === 'sweep') {
      for (let calls = 0; calls < 12; calls += 1) await this.#store.sweep(this.#clock.now(), 50);
    } else if (command.verb === 'login') await this.#logIn(command.who);
    else await this.#goOn(command.verb, command.which);
    await this.#verifyAll(command);
  }

  async #reload(to: Settings): Promise<void> {
    // A JWT tells whole seconds: by them a file is not older than what was issued under the one before.
    this.#clock.advance(1);
    const log = { error: (): void => undefined };
    const keyring = createKeyring(new Uint8Array(32).fill(7));
    const foundation = {
      store: this.#store,
      clock: this.#clock,
      keyring,
      log,
      environment: 'staging',
    } as const;
    this.#service = await openService(programmeOf(to), foundation);
    this.#live = to.live;
  }

  async #request(
    grant: GrantType,
    inputs: Readonly<Record<string, string>>,
  ): Promise<GrantRequest> {
    const [service, store] = [this.#service, this.#store];
    const client = await store.find('client', club, partner);
    assert.ok(service && client);
    return {
      client,
      service,
      grant,
      inputs: new Map(Object.entries(inputs)),
      refuseMissing: () => assert.fail('nothing is missing'),
      refuseOther: () => assert.fail('nothing is another'),
      drawn: [],
      scope: undefined,
      lifetime: service.programme.access.lifetimes[grant],
      now: this.#clock.now(),
      era: await store.era(),
      hangUp: () => new AbortController().signal,
      record: new RequestRecord('POST'),
    };
  }

  async #logIn(who: 'ann' | 'bob' | 'client'): Promise<void> {
    const now = this.#clock.now();
    const grant: Grant = async () =>
      who === 'client'
        ? { kind: 'own', scope: undefined, resource: undefined }
        : {
            kind: 'login',
            member: { subject: who as Subject },
            asked: undefined,
            scope: undefined,
            resource: undefined,
            loggedInAt: now,
          };
    const type = who === 'client' ? 'client_credentials' : 'authorization_code';
    this.#note(who, await issueBy(grant, await this.#request(type, {})));
  }

  /** A token of a login: a new one, the last one once more, or one for another. */
  async #goOn(verb: 'refresh' | 'retry' | 'exchange', place: number): Promise<void> {
    const told = this.#told[place % Math.max(1, this.#told.length)];
    if (told === undefined) return;
    if (verb === 'exchange') {
      const inputs = { subject_token: told.tokens.accessToken };
      const tokens = await this.#ask('token_exchange', authorizeByExchange, inputs);
      if (typeof tokens !== 'string') this.#note(told.owner, tokens.tokens);
      return;
    }
    const presented = verb === 'retry' ? told.presented : told.tokens.refreshToken;
    if (presented === undefined) return;
    const inputs = { refresh_token: presented };
    const answer = await this.#ask('refresh_token', authorizeByRefreshToken, inputs);
    if (answer === 'refused') this.#refused.add(presented);
    else {
      assert.ok(!this.#refused.has(presented), 'a refused refresh token came back');
      this.#note(told.owner, answer.tokens, presented, answer.isRetry);
    }
  }

  async #ask(
    type: GrantType,
    grant: Grant,
    inputs: Readonly<Record<string, string>>,
  ): Promise<{ readonly tokens: TokenSet; readonly isRetry: boolean } | 'refused'> {
    const request = await this.#request(type, inputs);
    try {
      const tokens = await issueBy(grant, request);
      return { tokens, isRetry: request.record.isRetry };
    } catch (error) {
      if (error instanceof Refusal) return 'refused';
      throw error;
    }
  }

  #note(owner: string, tokens: TokenSet, presented?: string, isRetry = false): void {
    const known = this.#told.find((one) => one.tokens.accessToken === tokens.accessToken);
    if (this.#live === 'one' && !isRetry) {
      for (const one of this.#told) if (one !== known && one.owner === owner) one.isEnded = true;
    }
    if (known === undefined) {
      this.#told.push({
        owner,
        tokens,
        isEnded: false,
        ...(presented === undefined ? {} : { presented }),
      });
    }
  }

  async #verifyAll(command: Command): Promise<void> {
    const service = this.#service;
    assert.ok(service);
    const now = this.#clock.now();
    const good: Told[] = [];
    for (const one of this.#told) {
      const found = await findStandingToken(service, one.tokens.accessToken, now);
      const isGood = typeof found !== 'string';
      if (isGood) good.push(one);
      assert.ok(!(isGood && one.isEnded), `an ended token of ${one.owner} came back`);
      // A file without a form does not know a token of it; with the form it does again.
      one.isEnded ||= !isGood && found !== 'unproven';
      const { beside } = one.tokens;
      if (beside === undefined) continue;
      const own = await findStandingToken(service, beside.accessToken, now);
      assert.ok(typeof own === 'string' || (own.kind === 'client' && !one.isEnded), one.owner);
      if (isGood && typeof own === 'string') assert.equal(own, 'unproven');
    }
    if (command.verb !== 'login') return;
    const ofOwner = good.filter(({ owner }) => owner === command.who);
    assert.equal(ofOwner.at(-1), this.#told.at(-1), 'a new token is good');
    if (this.#live === 'one') assert.equal(ofOwner.length, 1);
  }
}

async function hold(store: Store, sequence: readonly Command[]): Promise<void> {
  const scene = new Scene(store);
  await scene.begin();
  for (const command of sequence) await scene.run(command);
}

test('HOSTILE 74: no token that has ended comes back, in memory', async () => {
  const property = fc.asyncProperty(commands, async (sequence) =>
    hold(openMemoryStore(), sequence),
  );
  await fc.assert(property, { numRuns: runs * 20 });
});

test('HOSTILE 74: no token that has ended comes back, in a file', async () => {
  const property = fc.asyncProperty(commands, async (sequence) => {
    const { store, close } = await openScratchStore();
    try {
      await hold(store, sequence);
    } finally {
      await close();
    }
  });
  await fc.assert(property, { numRuns: runs });
});
