// Owns the transcript of a programme: what it answers to a fixed course of requests, built from its
// own file, with everything masked that is random or is the programme's name.

import type { TestContext } from 'node:test';

import { decodeJwt, decodeProtectedHeader } from 'jose';

import type { SampleClient, SampleValues } from '../../../src/contract/samples/proof.ts';
import { sampleLoginRequest, sampleTokenRequest } from '../../../src/contract/samples/requests.ts';
import type { ClientId } from '../../../src/oauth/client.ts';
import { type GrantType, grantTypes } from '../../../src/oauth/grant.ts';
import { compileProgramme, type Programme } from '../../../src/programme/programme.ts';
import type { LoadedProgramme } from '../../../src/rules/load.ts';
import { draftOf, sendDraft, targetOf } from '../../programme/property/requests.ts';
import { type Jetway, publicUrl, startJetway } from '../../support/jetway.ts';
import { openLogin, submitLogin } from '../../support/login.ts';
import { type Answer, ask } from '../../support/wire.ts';

/** What a programme is called, wherever a file or an answer says so. */
export interface Names {
  readonly id: string;
  readonly name: string;
  readonly identifier: string;
  readonly base: string;
}

interface Stage extends Jetway {
  readonly loaded: LoadedProgramme;
  readonly programme: Programme;
  readonly by: SampleClient;
  readonly member: { readonly username: string; readonly password: string };
}

type Line = readonly [request: string, answer: Answer];

/** The whole course; programmes that differ in nothing but their names have the same one. */
export async function transcriptOf(
  t: TestContext,
  loaded: LoadedProgramme,
  text: string,
  names: Names,
): Promise<readonly string[]> {
  const jetway = await startJetway(t, { programmes: { [names.id]: text } });
  const stage = await openStage(jetway, loaded);
  const lines = [
    ...(await loginLines(stage)),
    ...(await pathLines(stage)),
    ...(await grantLines(stage)),
  ];
  return lines.map(([request, answer]) => masked(`${request} ${show(answer)}`, names, stage));
}

async function openStage(jetway: Jetway, loaded: LoadedProgramme): Promise<Stage> {
  const { id, definition } = loaded;
  const programme = compileProgramme(id, definition, publicUrl);
  const more = { businessContext: 'PartnerContext', partnerId: 'Partner000001' };
  const added = await jetway.addClient({ id: programme.clients.newIdentifier(), more });
  const client = await jetway.store.find('client', id, added.id as ClientId);
  if (client === undefined) throw new Error('the partner was not added');
  return {
    ...jetway,
    loaded,
    programme,
    by: { client, secret: added.secret },
    member: await jetway.addMember(),
  };
}

function loginDraft({ programme, by }: Stage, values: SampleValues = {}) {
  return draftOf(sampleLoginRequest(programme, by.client, { state: 's', ...values }));
}

async function loginLines(stage: Stage): Promise<readonly Line[]> {
  const { url, member } = stage;
  const faults: readonly SampleValues[] = [
    { client_id: 'Nobody' },
    { client_id: '' },
    { response_type: 'token' },
    { response_type: '' },
    { redirect_uri: 'https://elsewhere.example' },
    { programme: 'Another' },
    { context: 'Another' },
    { scope: 'unheard-of' },
    { state: '<s>' },
  ];
  const lines: Line[] = [];
  for (const fault of faults) {
    const answer = await sendDraft(url, loginDraft(stage, fault));
    lines.push([`login ${JSON.stringify(fault)}`, answer]);
  }
  const draft = loginDraft(stage);
  const login = await openLogin(url, targetOf(draft), draft.method);
  const attempts = [{ username: '', password: '' }, { ...member, password: 'wrong' }, member];
  for (const attempt of attempts) {
    lines.push([`attempt ${attempt.password}`, await submitLogin(url, login, attempt)]);
  }
  return [['login', login.begin], ['page', login.page], ...lines];
}

/** Each path of the programme, by methods that it knows and does not know. */
async function pathLines({ url, loaded }: Stage): Promise<readonly Line[]> {
  const { base_path: base, authorize, token_endpoints: endpoints } = loaded.definition;
  const documented = [authorize.endpoint, ...Object.values(endpoints)].map(({ path }) => path);
  const lines: Line[] = [];
  for (const path of [...documented, '/login', '/.well-known/jwks.json', '/secure', '']) {
    for (const method of ['GET', 'POST', 'PUT']) {
      lines.push([`${method} ${path}`, await ask(url, base + path, { method })]);
    }
  }
  return lines;
}

async function grantLines(stage: Stage): Promise<readonly Line[]> {
  const lines: Line[] = [];
  for (const grant of grantTypes) {
    if (stage.loaded.definition.grants[grant] === undefined) continue;
    const presented = await valuesFor(stage, grant);
    const faults: readonly (readonly [SampleValues, SampleClient])[] = [
      [{ ...presented, grant_type: 'unheard-of' }, stage.by],
      [{ ...presented, scope: 'unheard-of' }, stage.by],
      [{ ...presented, client_id: 'Another' }, stage.by],
      [presented, { ...stage.by, secret: 'wrong' }],
      [{ code: '', refresh_token: '', grant_type: '' }, stage.by],
      [{ code: 'x', refresh_token: 'x' }, stage.by],
      [{ ...presented, programme: 'Another' }, stage.by],
      [{ ...presented, context: 'Another' }, stage.by],
      [presented, stage.by],
      // A code's second use, a refresh token's retry.
      [presented, stage.by],
    ];
    for (const [values, by] of faults) {
      lines.push([
        `${grant} ${Object.keys(values).join()}`,
        await askTokens(stage, grant, values, by),
      ]);
    }
  }
  return lines;
}

function askTokens(
  { url, programme, by }: Stage,
  grant: GrantType,
  values: SampleValues,
  client: SampleClient = by,
): Promise<Answer> {
  return sendDraft(url, draftOf(sampleTokenRequest(programme, grant, client, values)));
}

/** What a grant needs that only a member's login gives. */
async function valuesFor(stage: Stage, grant: GrantType): Promise<SampleValues> {
  if (grant === 'client_credentials') return {};
  const draft = loginDraft(stage);
  const login = await openLogin(stage.url, targetOf(draft), draft.method);
  const back = await submitLogin(stage.url, login, stage.member);
  const code = new URL(back.headers['location'] ?? '').searchParams.get('code') ?? '';
  if (grant === 'authorization_code') return { code };
  const { body } = await askTokens(stage, 'authorization_code', { code });
  return { refresh_token: /"refresh_token":"([^"]*)"/.exec(body)?.[1] ?? '' };
}

function show({ status, headers, body }: Answer): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [status, ...fields.toSorted(), body].join('\n');
}

/** Opens JWTs, so that what they say is compared too; then takes out names and random values. */
function masked(text: string, names: Names, { by }: Stage): string {
  const opened = text.replaceAll(/[\w-]+\.[\w-]+\.[\w-]{86}/g, (token) =>
    JSON.stringify([decodeProtectedHeader(token), decodeJwt(token)]),
  );
  return [names.base, names.id, names.identifier, names.name, by.client.id]
    .reduce((line, name, index) => line.replaceAll(name, `{${index}}`), opened)
    .replaceAll(/(?<="(?:kid|x|y|family|jti|rt)":"?)[\w.-]+/g, '{random}')
    .replaceAll(
      /(?<=transaction=|code=|jetway_login_|jetway_device_\{1\}=|csrf" value="|transaction" value="|translate="no">)[\w=-]+/g,
      '{random}',
    )
    .replaceAll(/\b(?:r[\w-]{60}|[mc][\w-]{54,})(?![\w-])/g, '{token}');
}
