// Owns the sections on the use of tokens of a partner's page: calls, lifetimes, retries and limits.

import { budgetRows } from '../../../language/service_schemas.ts';
import { milliseconds } from '../../../lib/clock.ts';
import { grantRows } from '../../../oauth/grant.ts';
import type { FailureReason } from '../../../oauth/reasons.ts';
import { type Programme, logsIn } from '../../../programme/programme.ts';
import {
  refreshLifetime,
  accessForm,
  accessLifetime,
  refreshForm,
  type TokenForm,
} from '../../answers.ts';
import { failureAnswer } from '../../failures.ts';
import { callRequest, type Guide } from '../guide.ts';
import {
  type Block,
  example,
  inCode,
  inputTable,
  paragraphs,
  shapeText,
  shortAnswer,
  spanText,
  table,
} from '../words.ts';

export function callSection(guide: Guide): Block {
  const { programme } = guide;
  const { apiKeyHeader, comparedHeaders } = programme.verification;
  return [
    '## Call the API',
    `Send the access token as \`Authorization: Bearer\`. ${
      guide.by.apiKey === undefined
        ? 'Calls that take an API key instead are for partners with servers.'
        : `A call that needs no login (joining, for example) takes your API key in ${inCode(apiKeyHeader)} instead; you may always send both, if both are yours.`
    } The examples read the address of the call from \`API_URL\`.`,
    example('', callRequest(guide)),
    comparedHeaders.length !== 0 && [
      'These headers name you and the programme. They must be right where they are sent:',
      inputTable(
        guide,
        comparedHeaders.map((input) => [input, input.neededBy.length > 0]),
      ),
    ],
    `Treat tokens as texts of up to 16 KB whose form may change${hasForms(programme) ? ', but for those of a form below' : ''}. When a call is answered with ${answerTo(programme, 'invalid_token')}, the token has ended: ${!programme.grants.has('refresh_token') ? 'get a new one' : 'refresh it once and repeat the call; if the refresh is refused too, log the member in again'}.`,
  ];
}

/** Whether the file says what some tokens look like; what JWTs look like follows from what they are. */
function hasForms(programme: Programme): boolean {
  const { grants } = programme;
  const forms = [...grants].map((grant) => accessForm(programme, grant));
  if (grants.has('refresh_token')) forms.push(refreshForm(programme));
  return forms.some((form) => typeof form === 'object');
}

function formText(form: TokenForm): string {
  if (form === 'jwt') return 'JWT';
  if (form === undefined) return 'may change';
  const { begins_with: value, characters = 'alphanumeric' } = form;
  const rest = shapeText({ ...form, characters });
  return value === undefined ? rest : `a value of the member, if there is one, and ${rest}`;
}

export function lifetimeSection(guide: Guide): Block {
  const { programme } = guide;
  const { grants, refresh, code } = programme;
  const isFormed = hasForms(programme);
  const refreshes = grants.has('refresh_token');
  const known = [...grants].map((grant) => ({
    name: grantRows[grant].named,
    cells: [
      spanText(accessLifetime(programme, grant)),
      isFormed && formText(accessForm(programme, grant)),
    ],
  }));
  const [first] = known;
  const isOne = new Set(known.map(({ cells }) => cells.join('\n'))).size === 1;
  const access = isOne && first !== undefined ? [{ ...first, name: 'Access token' }] : known;
  return [
    '## Lifetimes',
    table(
      ['What', 'Good for', isFormed && 'Form'],
      [
        logsIn(programme) && [
          'Code',
          `${spanText(code.lifetime)}, one exchange`,
          isFormed && 'may change',
        ],
        ...access.map(({ name, cells }) => [name, ...cells]),
        refreshes && [
          'Refresh token',
          `${spanText(refreshLifetime(programme))}, ${useWords[refresh.rotation]}`,
          isFormed && formText(refreshForm(programme)),
        ],
        refreshes && [
          'All tokens of a login',
          `${spanText(refresh.longest)} from the login at most`,
          isFormed && '',
        ],
      ],
    ),
    refreshes &&
      'A login lives on as long as you refresh it in time, up to the last line of the table.',
    paragraphs(programme, 'tokens.access'),
    'Rely on the lifetimes in the answers where they tell them: those above can change.',
  ];
}

const useWords = {
  on: 'one use',
  off: 'from its last use',
  with_pkce: 'one use after a login with PKCE, else from its last use',
} as const;

function answerTo(programme: Programme, reason: FailureReason): string {
  return shortAnswer(failureAnswer(programme, reason));
}

export function retrySection(guide: Guide): Block {
  const { programme } = guide;
  const { refresh, grants } = programme;
  const lost =
    !grants.has('refresh_token') || refresh.grace === 0 || refresh.rotation === 'off'
      ? 'A refused request uses nothing up.'
      : `A refused request uses nothing up, and a refresh whose answer was lost can be repeated within ${spanText(refresh.grace)}.`;
  return [
    '## Retries and outages',
    `${lost} If the answer is ${answerTo(programme, 'temporarily_unavailable')} or ${answerTo(programme, 'server_error')}, or there is none at all, wait and send the same request again: after the seconds in \`Retry-After\` if the answer has it, else after one second, then two, then four. Give up after a minute, keep your tokens, and try again later: an outage is never told as a bad token.`,
    logsIn(programme) &&
      'A code is the exception. If the answer to its exchange was lost, do not send it again: a second use ends the tokens of the first. Log the member in again.',
  ];
}

export function limitSection(guide: Guide): Block {
  const { programme, by } = guide;
  const limit = by.client.throttle ?? programme.throttle;
  const { failureLimit } = programme.clients;
  const { headers = {} } = programme.throttle ?? {};
  const refused = answerTo(programme, 'throttled');
  const told = Object.entries(headers).map(([name, value]) => [inCode(name), budgetRows[value]]);
  return [
    '## Limits',
    limit === undefined
      ? 'There is no limit on token requests.'
      : `You may make ${limit.limit} token requests in ${spanText(milliseconds(limit.window))}. One more is answered with ${refused} and \`Retry-After\`, and uses nothing up.`,
    told.length !== 0 && [
      'Answers to token requests tell what is left:',
      table(['Header', 'Tells'], told),
    ],
    paragraphs(programme),
    failureLimit !== undefined &&
      `After ${failureLimit.limit} wrong secrets in ${spanText(milliseconds(failureLimit.window))} from one address, further wrong ones are answered with ${limit === undefined ? refused : 'that'} as well; the right one is not.`,
  ];
}
