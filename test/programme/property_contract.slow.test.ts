// Any two programme files: where the answers that the one's words come to differ from the other's, or
// a request is read otherwise, the contract's changes tell it; where an answer is the same, they do not.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type ContractChange, contractChanges } from '../../src/contract/diff/changes.ts';
import { sampleTime } from '../../src/contract/samples/answers.ts';
import { stringifyYaml } from '../../src/lib/yaml/yaml.ts';
import { type GrantType, grantTypes } from '../../src/oauth/grant.ts';
import { type FailureReason, failureReasons } from '../../src/oauth/reasons.ts';
import { compileProgramme, type Programme } from '../../src/programme/programme.ts';
import { type LoadedProgramme, loadProgramme } from '../../src/rules/load.ts';
import { fc, runs } from '../support/property.ts';
import type { Known } from './property/answers.ts';
import { effective, isMap, mapAt, type PlainMap, textAt } from './property/dialect.ts';
import { type Facts, refusal, success } from './property/oracle.ts';
import { overlays } from './property/overlays.ts';
import { isReadOtherwise } from './property/readings.ts';

const serviceUrl = 'https://jetway.example';
const tries = runs * 4;

/** Two files that differ in one key, at the root or below it. */
const mixedPairs = fc
  .tuple(overlays, overlays, fc.array(fc.nat(), { minLength: 1, maxLength: 5 }))
  .filter(([one, other]) => one['variant'] === other['variant'])
  .map(
    ([one, other, choices]) => [one, mixed(one, other, choices)] as readonly [PlainMap, PlainMap],
  );

/** The first map with one key of the second, as deep as there are choices and maps. */
function mixed(one: PlainMap, other: PlainMap, [choice = 0, ...choices]: number[]): PlainMap {
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  const key = keys[choice % keys.length] ?? '';
  const { [key]: own, ...rest } = one;
  const { [key]: others } = other;
  if (choices.length > 0 && isMap(own) && isMap(others)) {
    return { ...one, [key]: mixed(own, others, choices) };
  }
  return others === undefined ? rest : { ...one, [key]: others };
}

const edit = fc.oneof(
  fc.record({ unknown: fc.constantFrom('ignore', 'refuse') }),
  fc.record({ repeated: fc.constantFrom('refuse', 'first', 'last') }),
  fc.record({ methods: fc.constantFrom(['POST'], ['POST', 'GET']) }),
  fc.record({ read: fc.constantFrom('form', 'json', ['form', 'query']) }),
  fc
    .tuple(
      fc.constantFrom('grant_type', 'code', 'refresh_token', 'scope', 'client_id', 'channel'),
      fc.oneof(
        fc.constantFrom<PlainMap>({ name: 'other' }, { in: 'header', name: 'X-Other' }),
        fc.constantFrom<PlainMap>({ required: true }, { when_missing: 'invalid_code' }),
        fc.constantFrom<PlainMap>({ length: '1..3' }, { must_equal: 'client.id' }),
      ),
    )
    .map(([role, input]) => ({ inputs: { [role]: input } })),
);

/** A file, and the same with one thing changed about how one of its endpoints reads. */
const editedPairs = fc.tuple(overlays, edit, fc.nat()).map(([one, change, choice]) => {
  const endpoints = mapAt(one, 'token_endpoints');
  const names = Object.keys(endpoints);
  const name = names[choice % names.length] ?? '';
  const endpoint = mapAt(endpoints, name);
  const inputs = Object.entries(mapAt(change as PlainMap, 'inputs')).map(([role, more]) => [
    role,
    { ...mapAt(endpoint, 'inputs', role), ...(more as PlainMap) },
  ]);
  const edited = {
    ...endpoint,
    ...change,
    inputs: { ...mapAt(endpoint, 'inputs'), ...(Object.fromEntries(inputs) as PlainMap) },
  };
  const other = { ...one, token_endpoints: { ...endpoints, [name]: edited } };
  return [one, other] as readonly [PlainMap, PlainMap];
});

const pairs = fc.oneof(mixedPairs, editedPairs);

interface Version {
  readonly loaded: LoadedProgramme;
  readonly programme: Programme;
  readonly dialect: PlainMap;
}

function versionOf(overlay: PlainMap): Version | undefined {
  const { loaded } = loadProgramme('any.yaml', stringifyYaml(overlay));
  if (loaded === undefined) return undefined;
  const programme = compileProgramme(loaded.id, loaded.definition, serviceUrl);
  return { loaded, programme, dialect: effective(overlay) };
}

test('the changes tell each answer that differs, and no other', () => {
  let [compared, different, unread] = [0, 0, 0];
  const property = fc.property(pairs, ([one, other]) => {
    const [before, after] = [versionOf(one), versionOf(other)];
    if (before === undefined || after === undefined) return;
    compared += 1;
    const changes = contractChanges(before.programme, after.programme);
    if (changes.length > 0) different += 1;
    assert.deepEqual(contractChanges(before.programme, before.programme), []);
    assertFailures(before, after, changes);
    assertSuccesses(before, after, changes);
    if (isReadOtherwise(before.loaded.definition, before.programme, after.programme)) {
      unread += 1;
      const places = /^(?:token endpoint|client authentication|tokens|failed requests)/;
      assert.ok(changes.some(({ endpoint }) => places.test(endpoint)));
    }
  });
  fc.assert(property, { numRuns: tries });
  const told = `${compared} of ${tries} pairs load, ${different} differ, ${unread} read otherwise`;
  assert.ok(compared >= tries / 5 && different >= compared / 4 && unread >= compared / 20, told);
});

/** Only these are left out where their grant, or what a request could name, is: they cannot be met. */
const sometimes: ReadonlySet<string> = new Set<FailureReason>([
  'invalid_code',
  'invalid_refresh_token',
  'invalid_member_credentials',
  'invalid_assertion',
  'invalid_target',
]);

function assertFailures(before: Version, after: Version, changes: readonly ContractChange[]): void {
  for (const reason of failureReasons) {
    const told = changes.filter(
      ({ item }) => item === reason || item.startsWith(`${reason}, without`),
    );
    const differ = factsOf(reason).some(
      (facts) =>
        textOf(refusal(before.dialect, reason, facts)) !==
        textOf(refusal(after.dialect, reason, facts)),
    );
    if (differ && !sometimes.has(reason)) assert.ok(told.length > 0, `${reason} is not told`);
    // Names of headers differ in their case alone, which HTTP does not.
    const real = told.filter(
      (change) => change.before?.toLowerCase() !== change.after?.toLowerCase(),
    );
    if (!differ && !sometimes.has(reason)) assert.deepEqual(real, [], `${reason} is told`);
  }
}

function factsOf(reason: FailureReason): readonly Facts[] {
  const fixed = {
    at: sampleTime,
    ...(reason === 'throttled' || reason === 'temporarily_unavailable' ? { retryAfter: 5 } : {}),
  };
  const scopes = reason === 'invalid_scope' ? [{}, { scope: 'SCOPE' }] : [{}];
  return scopes.flatMap((scope) => [
    { ...fixed, ...scope },
    { ...fixed, ...scope, parameter: 'sample-parameter' },
  ]);
}

function textOf(answer: object): string {
  return JSON.stringify(answer);
}

function assertSuccesses(
  before: Version,
  after: Version,
  changes: readonly ContractChange[],
): void {
  for (const grant of grantTypes) {
    const [was, is] = [before.loaded.definition, after.loaded.definition];
    if (was.grants[grant] === undefined || is.grants[grant] === undefined) continue;
    const differ = [{}, least].some(
      (some) =>
        textOf(success(before.dialect, { ...knownOf(before, grant), ...some })) !==
        textOf(success(after.dialect, { ...knownOf(after, grant), ...some })),
    );
    const told = changes.some(({ item }) => item.startsWith(`answer to ${grant}`));
    if (differ) assert.ok(told, `the answer to ${grant} is not told`);
  }
}

/** What some members and clients have not. */
const least: Known = {
  level: undefined,
  membership_number: undefined,
  business_context: undefined,
  partner_id: undefined,
  'client.instance_url': undefined,
};

function knownOf({ dialect, programme }: Version, grant: GrantType): Known {
  const isClient = grant === 'client_credentials';
  const hasRefresh = !isClient && programme.grants.has('refresh_token');
  return {
    access_token: 'A',
    token_id: '7',
    token_id_form: textAt(dialect, 'tokens', 'access', 'token_id'),
    grant,
    kind: isClient ? 'client' : 'member',
    subject: isClient ? `client:1` : '2',
    scope: 'S',
    access_lifetime: 1_800_000,
    issued_at: sampleTime,
    access_expires_at: sampleTime + 1_800_000,
    ...(hasRefresh
      ? {
          refresh_token: 'R',
          refresh_lifetime: 86_400_000,
          refresh_expires_at: sampleTime + 86_400_000,
        }
      : {}),
    ...(isClient ? {} : { level: 'L', membership_number: '3' }),
    client_id: '1',
    client_name: 'N',
    business_context: '4',
    partner_id: '5',
    'client.instance_url': '6',
    programme_identifier: programme.identifier,
    issuer: programme.issuer,
    audience: programme.audience,
  };
}
