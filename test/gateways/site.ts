// Owns what stands behind a gateway in tests: Jetway on a file store with the shipped clubs, the
// loyalty API, and callers with every kind of credential.

import { join } from 'node:path';
import type { TestContext } from 'node:test';

import type { Store } from '../../src/store/contract.ts';
import { openFileStore } from '../../src/store/sqlite/store.ts';
import { testClock } from '../support/clock.ts';
import { type Club, askTokens, programme, tokensIn, tokensOfLogin } from '../support/club.ts';
import { giveApiKey, type Shown } from '../support/gateway.ts';
import { type Jetway, shippedProgramme, startJetway } from '../support/jetway.ts';
import {
  codeFor,
  joinClub,
  type PartnerClub,
  redeem,
  secondClub,
  tokensIn as partnerTokensIn,
} from '../support/partner_club.ts';
import { scratchFolder } from '../support/scratch.ts';
import { type EchoApi, startApi } from './api.ts';

export interface Site {
  readonly jetway: Jetway;
  readonly executive: Club;
  readonly second: PartnerClub;
  readonly api: EchoApi;
  /** `host:port` where Jetway is asked. */
  readonly address: string;
}

/** Starts Jetway and the API; both end with the test. */
export async function startBehind(
  t: TestContext,
  given?: Store,
  /** YAML laid over the executive club. */
  over = '',
): Promise<Site> {
  const clock = testClock();
  const jetway = await startJetway(t, {
    clock,
    store: given ?? openScratchStore(t, clock.now()),
    programmes: {
      'executive-club': shippedProgramme('executive-club', over),
      'second-club': shippedProgramme('second-club'),
    },
  });
  const client = await jetway.addClient();
  const member = await jetway.addMember({ membershipNumber: '1234567890123456' });
  return {
    jetway,
    executive: { ...jetway, client, member },
    second: await joinClub(jetway, secondClub),
    api: await startApi(t),
    address: new URL(jetway.url).host,
  };
}

function openScratchStore(t: TestContext, now: ReturnType<Jetway['clock']['now']>): Store {
  const path = join(scratchFolder(t, 'site'), 'jetway.db');
  return openFileStore({ path, environment: 'staging', now });
}

/** Credentials by what they are; `nothing` is none. */
export type Callers = Readonly<Record<string, Shown>>;

export async function executiveCallers({ executive }: Site): Promise<Callers> {
  const middle = await executive.addMember({ username: 'bea', level: 'AUTHN-LEVEL-12' });
  const own = await askTokens(executive, { grant_type: 'client_credentials' });
  return {
    nothing: {},
    apiKey: { apiKey: await giveApiKey(executive, programme, executive.client.id) },
    client: { token: tokensIn(own).access_token },
    member10: { token: (await tokensOfLogin(executive)).access_token },
    member12: { token: (await tokensOfLogin({ ...executive, member: middle })).access_token },
  };
}

export async function secondCallers({ second }: Site): Promise<Callers> {
  const tokenFor = async (scope?: string): Promise<string> =>
    partnerTokensIn(await redeem(second, await codeFor(second, { scope }))).access_token;
  return {
    nothing: {},
    apiKey: { apiKey: await giveApiKey(second, second.programme, second.client.id) },
    member: { token: await tokenFor() },
    reset: { token: await tokenFor('reset_password') },
    retrieve: { token: await tokenFor('retrieve_username') },
  };
}
