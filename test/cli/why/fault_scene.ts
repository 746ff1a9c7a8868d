// Owns faults of proofs as an operator meets them: a request over HTTP, then what `why` prints of its id.

import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';

import { type ProofFault, proofFaults } from '../../../src/oauth/proofs/proof_faults.ts';
import type { Explanation } from '../../../src/server/why/explain.ts';
import type { TlsClient } from '../../support/wire.ts';
import { jetway, jetwayJson } from '../command.ts';

/** An answer whose request can be asked about. */
export interface Told {
  readonly id: string;
  readonly status: number;
  readonly body: string;
}

/** A form, with headers as they are given; a list sends the header so often. */
export function postForm(
  url: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string | readonly string[]>> = {},
  tls?: TlsClient,
): Promise<Told> {
  return send(url, 'POST', new URLSearchParams(fields).toString(), headers, tls);
}

export function get(url: string): Promise<Told> {
  return send(url, 'GET', '', {});
}

function send(
  url: string,
  method: string,
  body: string,
  headers: Readonly<Record<string, string | readonly string[]>>,
  tls?: TlsClient,
): Promise<Told> {
  const request = tls === undefined ? httpRequest : httpsRequest;
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return new Promise((resolve, reject) => {
    const options = { method, agent: false, headers: { ...type, ...headers }, ...tls };
    const sent = request(url, options as object, (answer) => {
      const id = String(answer.headers['x-request-id']);
      const status = answer.statusCode ?? 0;
      text(answer).then((all) => resolve({ id, status, body: all }), reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

export type FaultCase = readonly [fault: ProofFault, send: () => Promise<Told>];

/** What only operators have: commands and keys. */
const operatorWords =
  /jetway|client (?:set|show|rotate-secret)|client\.authentication|_file|\.yaml/;

/**
 * Asks for the reason of each case. The words are those of the table, the partner's hold nothing of the
 * operator's, and nothing repeats a secret. Resolves to the answers by status: their bodies are alike.
 */
export async function tellFaults(
  folder: string,
  cases: readonly FaultCase[],
  secrets: readonly string[],
): Promise<Readonly<Record<number, ReadonlySet<string>>>> {
  const bodies: Record<number, Set<string>> = {};
  for (const [fault, asked] of cases) {
    const { id, status, body } = await asked();
    (bodies[status] ??= new Set()).add(body);
    const found = (await jetwayJson(folder, ['why', id])) as Explanation;
    const { came, likely, remedy } = proofFaults[fault];
    const told = [found.fault, found.likely, found.remedy];
    assert.deepEqual(told, [fault, likely, remedy], `${fault}: ${JSON.stringify(found)}`);
    assert.notEqual(found.came ?? '', '', fault);
    if (came !== undefined) assert.equal(found.came, came);
    const printed = (await jetway(folder, ['why', id])).stdout;
    const all = printed.split('\n').map((line) => line.trim().replace(/ {2,}/, ': '));
    const lines = new Set(all);
    for (const line of [`likely: ${likely}`, `remedy: ${remedy}`]) {
      assert.ok(lines.has(line), `${line}\n${printed}`);
    }
    const partner = (await jetway(folder, ['why', id, '--partner'])).stdout;
    assert.equal(partner.includes(remedy), found.own === true, partner);
    assert.doesNotMatch(partner, operatorWords);
    const everything = JSON.stringify(found) + printed + partner;
    for (const secret of secrets)
      assert.ok(!everything.includes(secret), `${fault} repeats a secret`);
  }
  return bodies;
}

/** The rows of the table that cases have played: none is left out. */
export function assertAllPlayed(
  cases: readonly FaultCase[],
  isOurs: (fault: string) => boolean,
): void {
  const played = new Set(cases.map(([fault]) => fault));
  const known = Object.keys(proofFaults).filter(isOurs);
  assert.deepEqual([...played].toSorted(), known.toSorted());
}
