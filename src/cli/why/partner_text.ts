// Owns what a partner may be told of a refusal: nothing of other clients, of what exists, or of the house.

import { loginReasons } from '../../oauth/login_reasons.ts';
import { type Advice, reasons } from '../../oauth/reasons.ts';
import type { Explanation } from '../../server/why/explain.ts';

/** What the partner may read of a refusal. */
export type PartnerView = Pick<Explanation, 'request_id' | 'time' | 'method' | 'path' | 'status'> &
  Advice &
  Readonly<Record<'error' | 'expected' | 'came', string | null>>;

/** Of pages that a member saw; the partner has no part in them but the link. */
const pageAdvice: Readonly<Record<string, Advice>> = {
  expired: {
    cause: 'The login took too long, or had ended already.',
    remedy: 'Let the member start again at your site.',
  },
  damaged: {
    cause: 'The address of the login page was damaged on its way.',
    remedy: 'Pass the `Location` of the login request on as it is, and let the member start again.',
  },
  other_browser: {
    cause: 'The login went on in another browser than the one it began in, or without cookies.',
    remedy: 'Let one browser follow all redirects, and let the member start again.',
  },
  finished: {
    cause: 'The member came back to a login that was finished, as after Back.',
    remedy: 'There is nothing to do: the page links to your site.',
  },
  forged: {
    cause: 'The form did not come from the login page.',
    remedy: 'Let members use the login page itself.',
  },
  not_found: {
    cause: 'There is nothing at this address.',
    remedy: 'Compare the address with the one you were given.',
  },
  too_many_attempts: {
    cause: 'There were too many failed logins from the network of the member.',
    remedy: 'Let the member try again later.',
  },
};

const memberAdvice: Advice = {
  cause: 'The member was asked again by the login page.',
  remedy: 'There is nothing that you can do: the page tells the member.',
};

export function partnerView(explanation: Explanation): PartnerView {
  const { request_id, time, method, path, status, error = null, own } = explanation;
  const { expected = null, came = null, parameter } = explanation;
  const { cause, remedy } = adviceFor(explanation);
  // A fault of the partner's own request has a remedy for that request.
  const ownRemedy = own === true ? explanation.remedy : undefined;
  const names = parameter === undefined ? 'see below' : `\`${parameter}\``;
  return {
    request_id,
    time,
    method,
    path,
    status,
    error,
    cause: cause.replace('{names}', () => names),
    expected: own === true ? expected : null,
    came: own === true ? came : null,
    remedy: ownRemedy ?? remedy,
  };
}

function adviceFor({ endpoint: kind, reason }: Explanation): Advice {
  const isLogin = kind === 'login_request' || kind === 'login_page';
  const ofRequests: Readonly<Record<string, Advice>> = isLogin ? loginReasons : reasons;
  const all: Readonly<Record<string, Advice>> = { ...reasons, ...pageAdvice, ...ofRequests };
  return all[reason] ?? memberAdvice;
}

export function partnerText(view: PartnerView): string {
  const { request_id, time, method, path, status, error, cause, expected, came, remedy } = view;
  const code = error === null ? '' : ` (${error})`;
  const asked = path === '' ? method : `${method} ${path}`;
  return [
    `Your request ${request_id} of ${time}, ${asked}, was answered with ${status}${code}.`,
    '',
    cause,
    ...(expected === null ? [] : [`Expected: ${expected}`]),
    ...(came === null ? [] : [`Sent: ${came}`]),
    '',
    remedy,
  ].join('\n');
}
