// The sandbox of every dialect, shipped and foreign: each failure that there is, forced wherever a request
// can ask for it, is answered as the real one, whole.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';

import {
  isPublicOnly,
  type SampleClient,
  type SampleValues,
} from '../../src/contract/samples/proof.ts';
import { sampleLoginRequest, type SampleRequest } from '../../src/contract/samples/requests.ts';
import { renderFailure, type ReportedFailure } from '../../src/engine/failure.ts';
import { deadEnds } from '../../src/engine/login/outcome.ts';
import type { Service } from '../../src/engine/service.ts';
import { refuseVerification } from '../../src/engine/verification.ts';
import { sendSample } from '../../src/http/demo/demo.ts';
import { createLoginPages } from '../../src/http/login_pages.ts';
import { milliseconds } from '../../src/lib/clock.ts';
import type { FailureFacts } from '../../src/oauth/failure.ts';
import type { LoginFailureReason } from '../../src/oauth/login_reasons.ts';
import { programmePaths } from '../../src/oauth/own_paths.ts';
import { type FailureReason, failureReasons } from '../../src/oauth/reasons.ts';
import type { Reply } from '../../src/oauth/reply.ts';
import type { LoginPageName } from '../../src/programme/login/texts.ts';
import { withPathValues } from '../../src/programme/path_index.ts';
import { inputsOf, logsIn } from '../../src/programme/programme.ts';
import { comparedProperties } from '../../src/programme/requests/client_values.ts';
import type { Sandbox } from '../../src/programme/sandbox.ts';
import { type LoadedProgramme, loadProgramme } from '../../src/rules/load.ts';
import { registered, signingFor, testKey } from '../support/assertions.ts';
import { jsonHeaders, redirected } from '../support/club.ts';
import { type FailingStore, failingStore } from '../support/failing_store.ts';
import { type ClientOptions, type Jetway, startJetway } from '../support/jetway.ts';
import { follow, openLogin, submitLogin } from '../support/login.ts';
import { sealedSecrets, signingBy } from '../support/signing.ts';
import { type Answer, ask } from '../support/wire.ts';
import { provokedFailures } from './provoked_failures.ts';

const key = testKey();
const header = 'X-Sandbox-Failure';
const parameter = 'sandbox_failure';

const dialects = globSync(['programmes/*.yaml', 'test/dialects/*.yaml'])
  .toSorted()
  .map((path) => {
    const text = readFileSync(path, 'utf8').replace(/^sandbox:.*\n/m, '');
    const sandbox = `sandbox: { header: ${header}, parameter: ${parameter} }\n`;
    return { name: basename(path, '.yaml'), yaml: text + sandbox };
  });

/** A dialect in service, with a partner. */
interface Scene {
  readonly jetway: Jetway;
  readonly service: Service;
  readonly sandbox: Sandbox;
  readonly definition: LoadedProgramme['definition'];
  readonly by: SampleClient & Required<Pick<SampleClient, 'apiKey'>>;
  /** A partner without any role, and with two redirect URIs. */
  readonly other: SampleClient;
  readonly failing: FailingStore;
  /** Those of a good login request. */
  readonly values: SampleValues;
}

async function openScene(
  jetway: Jetway,
  failing: FailingStore,
  name: string,
  yaml: string,
): Promise<Scene> {
  const definition = loadProgramme(`${name}.yaml`, yaml).loaded?.definition;
  const service = jetway.services.get(name);
  assert.ok(definition !== undefined && service?.sandbox !== undefined, name);
  const { programme } = service;
  const addClient = async (options: ClientOptions): Promise<Scene['by']> => {
    const id = programme.clients.newIdentifier();
    // Of its own: a secret alone names its client.
    const [secret, apiKey] = [`a-secret-of-${id}`, `api-key-of-the-partner-${id}`];
    const digest = jetway.keyring.secretDigest(apiKey);
    const more = {
      businessContext: 'PartnerContext',
      partnerId: 'Partner000001',
      properties: Object.fromEntries([
        ...(programme.clients.assertions?.properties ?? []).map((one) => [one, `of-${id}`]),
        ...comparedProperties(inputsOf(programme)).map(({ name: compared }) => [compared, 'demo']),
      ]) as Record<string, string>,
      apiKeys: [{ digest, createdAt: jetway.clock.now() }],
      signingSecrets: sealedSecrets(
        jetway.keyring,
        { programme: name, id },
        [`a-signing-secret-of-${id}`],
        jetway.clock.now(),
      ),
      assertionKeys: { keys: registered(key) },
      ...(isPublicOnly(programme.clients.authentication) && { isPublic: true as const }),
    };
    await jetway.addClient({ programme: name, secret, ...options, id, more });
    const client = await jetway.store.find('client', programme.id, id);
    assert.ok(client !== undefined);
    const sign = signingBy(`a-signing-secret-of-${id}`);
    return { client, secret, apiKey, sign, assertion: signingFor(service, client, key) };
  };
  const by = await addClient({});
  const redirectUris = ['https://other.example/1', 'https://other.example/2'];
  const other = await addClient({ roles: [], redirectUris });
  const challenge = { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' };
  const proof = definition.authorize.pkce === 'off' ? {} : challenge;
  const values = { redirect_uri: by.client.redirectUris[0], state: 'abc', ...proof };
  return { jetway, failing, service, sandbox: service.sandbox, definition, by, other, values };
}

/** Without what differs from answer to answer. */
function masked({ status, headers, body }: Answer): Answer {
  const differing = /^(?:date|connection|keep-alive|content-length|x-request-id)$/;
  const lasting = Object.entries(headers).filter(([name]) => !differing.test(name));
  return {
    status,
    headers: Object.fromEntries(lasting),
    body: body
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
      .replace(/(?<=<strong translate="no">)[^<]+/, 'REFERENCE')
      // Of cookie-session: what the body says is repeated only where it was read. A forced page ends no
      // login: it has no partner to link to.
      .replace(/"txId":"PartnerContext",|<ul[^>]*>\s*<li><a [^>]*>Partner<[^]*?<\/ul>/, ''),
  };
}

function answerOf({ status, headers, body }: Reply): Answer {
  const lower = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  return masked({ status, headers: Object.fromEntries(lower), body });
}

/** What a name gets that the sandbox does not know there. */
function unknownAnswer(known: Iterable<string>): Answer {
  const text = 'this request asks the sandbox for a failure that this endpoint does not have';
  const body = { error: 'unknown_sandbox_failure', error_description: text, failures: [...known] };
  return { status: 400, headers: jsonHeaders, body: JSON.stringify(body) };
}

const unknownNames = ['unheard_of', '', 'constructor', 'server_error, server_error'];

/** The forced answer, asked for by header or by the query. */
async function force(
  { url }: Jetway,
  [method, path]: Place,
  name: string,
  by: 'header' | 'query' = 'header',
): Promise<Answer> {
  const asked =
    by === 'header'
      ? { headers: [[header, name] as const], query: [] }
      : { headers: [], query: [['a', 'b'] as const, [parameter, name] as const] };
  return masked(await sendSample(url, { method, path, ...asked }));
}

type Place = readonly [method: string, path: string];

/** The facts of an example with what the clock has to do with it. */
function inTime(
  { programme, clock }: Service,
  reason: FailureReason,
  example: FailureFacts,
): FailureFacts {
  const facts = { ...example, at: clock.now() };
  if (reason === 'temporarily_unavailable') return { ...facts, retryAfter: 5 };
  if (reason !== 'throttled') return facts;
  const { throttle: limit, clients } = programme;
  const window = limit?.window ?? clients.failureLimit?.window ?? 60_000;
  const resetAfter = milliseconds(window);
  const budget = limit && { limit, remaining: 0, at: clock.now(), resetAfter };
  return { ...facts, retryAfter: window / 1000, ...(budget && { budget }) };
}

async function assertAnswers(
  { jetway, service }: Scene,
  place: Place,
  failures: ReadonlyMap<FailureReason, FailureFacts>,
  render: (service: Service, failure: ReportedFailure) => Reply,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const whole = (answer: Answer): Answer => ({
    ...answer,
    headers: { ...answer.headers, ...more },
  });
  for (const [reason, facts] of failures) {
    const failure = { reason, facts: inTime(service, reason, facts) };
    const real = whole(answerOf(render(service, failure)));
    assert.deepEqual(await force(jetway, place, reason), real, `${place[1]}: ${reason}`);
  }
  const impossible = failureReasons.find((reason) => !failures.has(reason));
  assert.ok(impossible !== undefined);
  for (const name of [...unknownNames, impossible, 'server_error']) {
    const byQuery = await force(jetway, place, name, 'query');
    assert.deepEqual(await force(jetway, place, name), byQuery);
    if (name !== 'server_error') assert.deepEqual(byQuery, whole(unknownAnswer(failures.keys())));
  }
}

/** The same request, which asks for a failure. */
function asking(request: SampleRequest, name: string): SampleRequest {
  return { ...request, query: [...request.query, [parameter, name]] };
}

/** A page that says why a login ends. */
async function pageOf(
  { programme }: Service,
  page: LoginPageName,
  status: number,
  retryAfter?: number,
): Promise<Answer> {
  const texts = programme.login.languages.texts(undefined);
  const answer = answerOf(
    await createLoginPages(programme).message(page, texts, status, { reference: 'X' }),
  );
  if (retryAfter === undefined) return answer;
  return { ...answer, headers: { ...answer.headers, 'retry-after': String(retryAfter) } };
}

/** The answer to a failure of a login request: a page, or a redirect with the error. */
async function loginAnswer(
  { service, by, values }: Scene,
  reason: LoginFailureReason,
  { parameter: at }: FailureFacts,
): Promise<Answer> {
  const { login } = service.programme;
  const failure = login.failure(reason);
  if ('page' in failure) {
    const wait = reason === 'temporarily_unavailable' ? 5 : undefined;
    return pageOf(service, reason, failure.page.status, wait);
  }
  const [redirectUri, state] = [values['redirect_uri'] ?? '', values['state'] ?? undefined];
  const address = { client: by.client, redirectUri, state };
  const way = login.redirect.failure(address, reason, failure, at);
  if ('location' in way) return redirected(way.location);
  const texts = login.languages.texts(undefined);
  return answerOf(await createLoginPages(service.programme).post(way, by.client.name, texts));
}

async function assertLogins(scene: Scene): Promise<void> {
  const { jetway, service, sandbox, by, values } = scene;
  const { loginFailures } = sandbox;
  const good = sampleLoginRequest(service.programme, by.client, values);
  const forced = async (name: string): Promise<Answer> =>
    masked(await sendSample(jetway.url, asking(good, name)));
  const known = unknownAnswer([...loginFailures.keys(), ...Object.keys(deadEnds)]);
  for (const [reason, facts] of loginFailures) {
    assert.deepEqual(await forced(reason), await loginAnswer(scene, reason, facts), reason);
  }
  for (const name of unknownNames) assert.deepEqual(await forced(name), known, name);
  const { addressLimit } = service.programme.login;
  const waits: Readonly<Record<string, number | undefined>> = {
    difficulties: 5,
    too_many_attempts: addressLimit && addressLimit.window / 1000,
  };
  for (const [page, status] of Object.entries(deadEnds)) {
    const expected = await pageOf(service, page as LoginPageName, status, waits[page]);
    assert.deepEqual(await forced(page), expected, page);
  }
}

/** Real failures beside forced ones: nobody could tell one from the other. */
async function assertProvoked(scene: Scene): Promise<readonly string[]> {
  const { jetway, service, failing, by, values } = scene;
  const { path: loginPath } = sampleLoginRequest(service.programme, by.client, values);
  const reasons: string[] = [];
  for (const { reason, request, what, first } of provokedFailures({ ...scene, ...service })) {
    const { path, method } = request;
    const bare = { method: method === 'PUT' ? 'POST' : method, path, query: [], headers: [] };
    const sample = asking(path === loginPath ? request : bare, reason);
    const forced = await sendSample(jetway.url, sample);
    first?.();
    const real = await sendSample(jetway.url, request);
    failing.heal();
    assert.deepEqual(masked(forced), masked(real), `${reason}: ${what}`);
    reasons.push(reason);
  }
  return reasons;
}

/** The pages on which a login can end that has begun. */
async function assertDeadEnds({ jetway, service, by, values }: Scene): Promise<void> {
  const { url } = jetway;
  const good = sampleLoginRequest(service.programme, by.client, values);
  const { pagePath } = service.programme.login;
  const target = `${good.path}?${new URLSearchParams(good.query.map(([name, value]) => [name, value])).toString()}`;
  const login = await openLogin(url, target, good.method);
  const forged = { ...login, hidden: { ...login.hidden, csrf: 'x' } };
  const real = {
    expired: await ask(url, pagePath),
    damaged: await ask(url, `${pagePath}?transaction=x`),
    other_browser: await follow(url, login.bound),
    forged: await submitLogin(url, forged, { username: 'x', password: 'x' }),
  };
  for (const [page, answer] of Object.entries(real)) {
    const forced = await sendSample(url, asking(good, page));
    assert.deepEqual(masked(forced), masked(answer), page);
  }
}

test('the sandbox of', async (t) => {
  const programmes = Object.fromEntries(dialects.map(({ name, yaml }) => [name, yaml]));
  const failing = failingStore();
  const jetway = await startJetway(t, { programmes, store: failing.store });
  for (const { name, yaml } of dialects) {
    await t.test(`${name} answers every failure as the real one is answered`, async () => {
      const scene = await openScene(jetway, failing, name, yaml);
      const { sandbox, service } = scene;
      const { ownPath, tokenEndpoints } = service.programme;
      const methods = new Map(tokenEndpoints.map((one) => [one.path, [...one.methods][0]]));
      // HOSTILE 11: for pages the answers of these endpoints depend on the origin.
      const more = service.programme.isCrossOrigin ? { vary: 'Origin' } : {};
      for (const [path, failures] of sandbox.failuresAt) {
        const whole = withPathValues(path, () => 'any');
        const place = [methods.get(path) ?? 'POST', whole] as const;
        await assertAnswers(scene, place, failures, renderFailure, more);
      }
      const verify = `${ownPath}${programmePaths.verify}member`;
      const { verificationFailures } = sandbox;
      await assertAnswers(scene, ['GET', verify], verificationFailures, refuseVerification);
      if (logsIn(service.programme)) {
        await assertLogins(scene);
        await assertDeadEnds(scene);
      }
      const provoked = await assertProvoked(scene);
      assert.ok(provoked.length >= 15, `only ${provoked.length} are provoked`);
    });
  }
});
