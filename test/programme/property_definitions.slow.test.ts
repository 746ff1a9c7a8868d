// Any programme file: what `check` accepts compiles, serves and answers as the file says, each failure
// reason and each grant; what it refuses, it refuses with a fault at a place in the file.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { stringifyYaml } from '../../src/lib/yaml/yaml.ts';
import { type FailureFacts, Refusal } from '../../src/oauth/failure.ts';
import { type GrantType, grantTypes } from '../../src/oauth/grant.ts';
import { failureReasons } from '../../src/oauth/reasons.ts';
import { endpointsOf } from '../../src/programme/requests/grant_places.ts';
import { loadProgramme, type LoadedProgramme } from '../../src/rules/load.ts';
import { fc, runs } from '../support/property.ts';
import { Bindings } from '../support/transcript/bindings.ts';
import type { Answer } from '../support/wire.ts';
import { effective, type PlainMap } from './property/dialect.ts';
import { refusal, success } from './property/oracle.ts';
import { overlays } from './property/overlays.ts';
import { assertPlaced } from './property/placed.ts';
import { provocations } from './property/provocations.ts';
import { sendDraft } from './property/requests.ts';
import { serveDialect, type Served, withCode } from './property/served.ts';
import { spoiledOverlays } from './property/spoils.ts';

const file = 'any.yaml';

test('what loads, answers as the file says', { timeout: 3_600_000 }, async (t) => {
  let accepted = 0;
  const property = fc.asyncProperty(overlays, async (overlay) => {
    const yaml = stringifyYaml(overlay);
    const { loaded } = loadProgramme(file, yaml);
    if (loaded === undefined) return;
    accepted += 1;
    await assertServes(t, loaded, yaml, overlay);
  });
  await fc.assert(property, { numRuns: runs });
  assert.ok(accepted >= runs / 4, `only ${accepted} of ${runs} files load: nothing much was tried`);
});

test('what does not load has a fault at its place in the file', () => {
  let refused = 0;
  const property = fc.property(spoiledOverlays, (overlay) => {
    const yaml = stringifyYaml(overlay);
    const { loaded, faults } = loadProgramme(file, yaml);
    assertPlaced(faults, { file, text: yaml });
    const errors = faults.filter(({ severity }) => severity === 'error');
    assert.equal(errors.length === 0, loaded !== undefined);
    if (loaded === undefined) refused += 1;
  });
  fc.assert(property, { numRuns: runs * 8 });
  assert.ok(
    refused >= runs * 2,
    `only ${refused} of ${runs * 8} files are refused: nothing much was tried`,
  );
});

async function assertServes(
  t: TestContext,
  loaded: LoadedProgramme,
  yaml: string,
  overlay: PlainMap,
): Promise<void> {
  const served = await serveDialect(t, loaded, yaml, effective(overlay));
  try {
    await assertEveryReason(served);
    const grants = grantTypes.filter((type) => served.definition.grants[type] !== undefined);
    for (const grant of grants) await assertProvocations(served, grant);
    await assertSuccesses(served, grants);
  } finally {
    await served.jetway.stop();
  }
}

/** One request at each endpoint, refused in the store for each reason there is. */
async function assertEveryReason({ jetway, faults, dialect, definition, request }: Served) {
  const sampled = new Map(
    grantTypes.flatMap((type) =>
      endpointsOf(definition, type).map(([name]) => [name, type] as const),
    ),
  );
  const now = { at: jetway.clock.now() };
  for (const [name, grant] of sampled) {
    const good = request(grant, { code: 'x', refresh_token: 'x' }, name);
    const allow = definition.token_endpoints[name]?.methods.join(', ') ?? '';
    const wrongMethod = await sendDraft(jetway.url, { ...good, method: 'PUT' });
    const notAllowed = refusal(dialect, 'method_not_allowed', now);
    assert.deepEqual(wrongMethod, { ...notAllowed, headers: { ...notAllowed.headers, allow } });
    for (const reason of failureReasons) {
      const facts: Omit<FailureFacts, 'at'> = {
        parameter: 'x-Any.Name_1',
        ...(reason === 'invalid_scope' ? { scope: 'some scope' } : {}),
        ...(reason === 'throttled' ? { retryAfter: 12.3 } : {}),
      };
      faults.fail('find client', new Refusal(reason, facts));
      const answer = await sendDraft(jetway.url, good);
      assert.deepEqual(
        answer,
        refusal(dialect, reason, { ...facts, ...now }),
        `${name}: ${reason}`,
      );
    }
    faults.heal();
  }
}

async function assertProvocations(served: Served, grant: GrantType): Promise<void> {
  const { jetway, dialect } = served;
  for (const { draft, raw, reason, facts } of provocations(served, grant)) {
    const answer = await sendDraft(jetway.url, draft, raw);
    const told = { ...facts, at: jetway.clock.now() };
    assert.deepEqual(answer, refusal(dialect, reason, told), `${grant}: ${reason}`);
  }
}

/** Each grant as its partner would use it; codes come of whole logins. */
async function assertSuccesses(served: Served, grants: readonly GrantType[]): Promise<void> {
  const { jetway, definition, request } = served;
  if (grants.includes('client_credentials')) {
    const answer = await sendDraft(jetway.url, request('client_credentials'));
    assertSuccess(served, 'client_credentials', answer);
  }
  if (!grants.includes('authorization_code')) return;
  const values = withCode(await served.code(), definition);
  const answer = await sendDraft(jetway.url, request('authorization_code', values));
  const token = assertSuccess(served, 'authorization_code', answer);
  if (!grants.includes('refresh_token') || token === undefined) return;
  let latest: string | undefined = token;
  for (const [name] of endpointsOf(definition, 'refresh_token')) {
    if (latest === undefined) break;
    const draft = request('refresh_token', { refresh_token: latest }, name);
    latest = assertSuccess(served, 'refresh_token', await sendDraft(jetway.url, draft));
  }
}

/** The refresh token that came, where the dialect tells it. */
function assertSuccess(
  { dialect, known }: Served,
  grant: GrantType,
  answer: Answer,
): string | undefined {
  const expected = success(dialect, known(grant));
  const bindings = new Bindings({});
  const body = bindings.match(expected.body, answer.body);
  assert.deepEqual(answer, { ...expected, body }, grant);
  return expected.body.includes('{refresh_token}') ? bindings.fill('{refresh_token}') : undefined;
}
