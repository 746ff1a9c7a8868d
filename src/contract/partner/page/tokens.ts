// Owns the sections on grants of a partner's page: requests, answers, and what the answers hold.

import { besideNames } from '../../../language/vocabularies.ts';
import { grantRows, type GrantType, grantTypes } from '../../../oauth/grant.ts';
import { tokenPlace } from '../../../programme/answers/token_place.ts';
import type { TokenEndpoint } from '../../../programme/requests/token_endpoint.ts';
import { answerTo, grantsOf, refreshForm, type ServedGrant } from '../../answers.ts';
import type { SampleRequest } from '../../samples/requests.ts';
import { below, type Guide, isToldOf, tokenRequests } from '../guide.ts';
import {
  type Block,
  answerBlock,
  answerValues,
  example,
  inCode,
  inputTable,
  inputText,
  paragraphs,
  spanText,
  table,
} from '../words.ts';
import { waysToProve } from './given.ts';

interface Place {
  readonly endpoint: TokenEndpoint;
  readonly served: ServedGrant;
  readonly request: SampleRequest;
}

/** In the order in which a partner meets them: first those that begin a login. */
const inOrder = grantTypes.toSorted(
  (one, other) =>
    Number(grantRows[other].isRefreshed ?? 0) - Number(grantRows[one].isRefreshed ?? 0),
);

export function tokenSections(guide: Guide): Block {
  const told = inOrder.flatMap((grant) => {
    const [first, ...others] = placesOf(guide, grant);
    if (first === undefined || !isToldOf(guide, first.served.role)) return [];
    return [{ grant, first, others }];
  });
  return told.flatMap(({ grant, first, others }, index) => [
    `## ${grantRows[grant].heading}`,
    grantRows[grant].text + refreshText(guide, grant),
    firstRequest(guide, first),
    ...others.flatMap((place) => furtherRequest(guide, place)),
    answer(guide, first),
    index === 0 && paragraphs(guide.programme, 'token_response'),
    grant === 'refresh_token' && refreshNotes(guide),
  ]);
}

/** The endpoints of a grant in the file's order; clients are told of the first. */
function placesOf(guide: Guide, grant: GrantType): readonly Place[] {
  const { tokenEndpoints } = guide.programme;
  return tokenRequests(guide, grant).flatMap(({ name, request }) => {
    const endpoint = tokenEndpoints.find((one) => one.name === name);
    const served = endpoint && grantsOf(endpoint).find((one) => one.grant === grant);
    return endpoint === undefined || served === undefined ? [] : [{ endpoint, served, request }];
  });
}

function firstRequest(guide: Guide, place: Place): Block {
  const { endpoint, served, request } = place;
  const { grant, grantType } = served;
  const inputs = endpoint.reading.inputs.filter(({ readBy }) => readBy.includes(grant));
  const rows = inputs.map((input) => {
    const isNeeded = input.neededBy.includes(grant);
    return input.role === 'grant_type' && grantType !== undefined
      ? ([input, isNeeded, `always ${inCode(grantType)}`] as const)
      : ([input, isNeeded, inputText(input, guide.programme, grant)] as const);
  });
  return [
    addressLine(guide, place),
    proofText(guide, place),
    example(guide.base, request, headerOf(guide, grant)),
    rows.length !== 0 && inputTable(guide, rows),
  ];
}

function furtherRequest(guide: Guide, place: Place): Block {
  const { served, request } = place;
  return [
    'The same request is answered at another address:',
    addressLine(guide, place),
    proofText(guide, place),
    example(guide.base, request, headerOf(guide, served.grant)),
  ];
}

/** How clients prove themselves at an address that does not take all of their ways. */
function proofText({ programme, by }: Guide, { endpoint }: Place): string | false {
  const { methods } = endpoint.authentication;
  const isUsual = methods.length === programme.clients.authentication.methods.length;
  const ways = waysToProve(programme, endpoint.authentication);
  if (isUsual || by.client.isPublic === true) return false;
  return ways.length === 0
    ? 'The token alone proves who you are here: send no other credentials.'
    : `At this address you prove who you are by ${ways.join(', or by ')}, and by nothing else.`;
}

/** With the names of values that stand in the path: the examples have the values. */
function addressLine(guide: Guide, { endpoint, request }: Place): string {
  return `**${request.method}** ${inCode(guide.base + below(guide, endpoint.path))}`;
}

/** The header of the answer that holds the token, if the body does not. */
function headerOf({ programme, by }: Guide, grant: GrantType): string | undefined {
  return tokenPlace(programme, by.client, grant, 'accessToken')?.header;
}

function answer({ programme, by }: Guide, { served: { grant } }: Place): Block {
  const told = answerTo(programme, grant);
  const { layouts, access, refreshing } = programme;
  const layout = layouts.tokens;
  const isRefreshed = grant === 'refresh_token' || refreshing.has(grant);
  const hasBeside = access.beside.grants.has(grant) && access.beside.isFor(by.client);
  const values = answerValues(layout, grant).filter(
    ({ value }) =>
      (isRefreshed || !/^refresh_(?:token|lifetime|expires_at)$/.test(value)) &&
      (grant === 'token_exchange' || value !== 'issued_token_type') &&
      (hasBeside || !besideNames.includes(value)),
  );
  return [
    'The answer:',
    answerBlock(told.render(new Set(hasBeside ? [] : besideNames), 'fitting')),
    access.live === 'one' &&
      `**The access token ends the one before it**: your last one of the same ${grant === 'client_credentials' ? 'kind' : 'member'} is good no more.`,
    ...(layout.encoding === 'text' || values.length === 0
      ? []
      : [
          table(
            ['Member', 'Holds'],
            values.map(({ path, value, text }) => [
              inCode(path),
              text + (told.mayHold.includes(value) ? '; not in every answer' : ''),
            ]),
          ),
        ]),
  ];
}

/** Whether a client's own token comes with a refresh token. */
function refreshText({ programme }: Guide, grant: GrantType): string {
  if (grant !== 'client_credentials') return '';
  return programme.refreshing.has(grant)
    ? ' The refresh token beside it brings one, too.'
    : ' There is no refresh token.';
}

/** Each ES256 signature is drawn by chance. */
const signedAnew =
  ': you get the same refresh token under a new signature, so its text differs; either text is good, once';

function refreshNotes({ programme }: Guide): Block {
  const { refresh, grants } = programme;
  if (!grants.has('refresh_token')) return [];
  const told = paragraphs(programme, 'tokens.refresh');
  if (refresh.rotation === 'off') return told;
  const again =
    refresh.grace === 0
      ? 'Never send a refresh token twice: its second use is taken for theft and ends the login.'
      : `If an answer is lost on the way, send the same request again within ${spanText(refresh.grace)}${programme.access.algorithm === 'ES256' && refreshForm(programme) === 'jwt' ? signedAnew : ': you get the same refresh token'}. After that, and once the new refresh token was used, a second use of the old one is taken for theft and ends the login.`;
  return [
    `**A refresh token is good once${refresh.rotation === 'on' ? '' : ' if its login had a PKCE challenge'}.** Every answer brings a new one: store it in place of the old one, before you use the new tokens. ${again}`,
    'Refresh one login by one request at a time. If several of your servers share logins, let one of them refresh, or lock the login while you do. Do not put a copy of an old database into service beside the present one: its old refresh tokens would end the logins.',
    told,
  ];
}
