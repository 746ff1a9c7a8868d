// Owns calls of the loyalty API through a gateway, and what the API learns of who makes them.

import assert from 'node:assert/strict';

import { shown, verify } from '../support/gateway.ts';
import { naming } from '../support/partner_club.ts';
import type { Answer } from '../support/wire.ts';
import type { Arrived, EchoApi } from './api.ts';
import { type Callers, secondCallers, type Site } from './site.ts';
import { askThrough, type Door } from './through.ts';

/** A call of the API, and the statuses it is answered with, caller by caller. */
export type Call = readonly [method: string, target: string, statuses: readonly number[]];

/** Asserts the statuses, and that what passed, and nothing else, reached the API as it was sent. */
export async function holdsFor(
  { door, api }: { readonly door: Door; readonly api: EchoApi },
  callers: Callers,
  calls: readonly Call[],
): Promise<void> {
  const seen: Call[] = [];
  for (const [method, target] of calls) {
    const statuses: number[] = [];
    for (const caller of Object.values(callers)) {
      const before = api.arrived.length;
      const { status } = await askThrough(door, target, { method, headers: shown(caller) });
      const reached = api.arrived.slice(before).map((one) => [one.method, one.target]);
      assert.deepEqual(reached, status === 200 ? [[method, target]] : [], `${method} ${target}`);
      statuses.push(status);
    }
    seen.push([method, target, statuses]);
  }
  assert.deepEqual(seen, calls);
}

/** The headers that name programme and partner as some framework would read them. */
export function own(arrived: Arrived | undefined): Readonly<Record<string, string>> {
  const named = (arrived?.headers ?? [])
    .map(([name, value]) => [name.replaceAll(/[^0-9a-z]/g, '-'), value] as const)
    .filter(([name, value]) => /^(?:programme|business)-/.test(name) && value !== '');
  return Object.fromEntries(named);
}

/**
 * Asserts that a member's call of the second club reaches the API with the names that Jetway knows,
 * whatever the caller spelled otherwise, and not at all with wrong ones: Jetway's answer then reaches
 * the caller.
 */
export async function namesProgrammeAndPartner(
  site: Site & { readonly door: Door },
): Promise<void> {
  const { door, api, jetway } = site;
  const { member } = await secondCallers(site);
  const call = (headers: Readonly<Record<string, string>>): Promise<Answer> =>
    askThrough(door, '/second-club/membership', { headers: shown({ ...member, headers }) });
  for (const headers of [
    {},
    naming('SecondClub'),
    { Programme_Identifier: 'Forged', 'business.context.identifier': 'Forged' },
    { 'Programme-Identifier': 'SecondClub', 'Business~Context-Identifier': 'Forged' },
  ]) {
    assert.equal((await call(headers)).status, 200, JSON.stringify(headers));
    assert.deepEqual(own(api.arrived.at(-1)), naming('SecondClub'));
  }
  api.arrived.length = 0;
  for (const [headers, status] of [
    [naming('ThirdClub'), 400],
    [naming('SecondClub', 'Forged'), 401],
    [{ 'programme-identifier': 'Second Club' }, 400],
  ] as const) {
    const direct = await verify(jetway, 'second-club', 'member', { ...member, headers });
    assert.equal(direct.status, status);
    assert.deepEqual(await call(headers), direct);
  }
  assert.deepEqual(api.arrived, []);
}

/** The headers of a request that tell the API who calls; those that nothing is known for are away. */
export function known({ headers }: Arrived): Readonly<Record<string, string>> {
  return Object.fromEntries(headers.filter(([name]) => /^x.auth/.test(name)));
}
