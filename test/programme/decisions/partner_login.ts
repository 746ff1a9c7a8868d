// The decisions of RULES.md that show in a login of the partner-login variant (P-2 to P-4, P-12).

import {
  addPartner,
  askLogin,
  codeFor,
  context,
  loginTarget,
  type PartnerClub,
  redeem,
  returnFrom,
} from '../../support/partner_club.ts';
import { ask } from '../../support/wire.ts';
import type { Decision } from './decision.ts';

const elsewhere = { 'business-context-identifier': 'SomebodyElse' };

async function sentTo(club: PartnerClub, more: Parameters<typeof askLogin>[1]): Promise<string> {
  const { status, headers } = await askLogin(club, more);
  const query = new URL(headers['location'] ?? 'https://nowhere.example').search;
  return `${status} ${query.replace(/transaction=.*/, 'transaction')}`;
}

export const partnerLoginDecisions: readonly Decision<PartnerClub>[] = [
  {
    decides: 'P-1: shape of a client identifier',
    over: 'client: { identifier: { length: 8 } }',
    see: async (club) => {
      const client = await addPartner(club, { id: 'Partner23' });
      return [(await askLogin(club)).status, (await askLogin({ ...club, client })).status];
    },
    shipped: [303, 303],
    changed: [303, 400],
  },
  {
    decides: 'P-2: a code lives for 2 minutes',
    over: 'code: { lifetime: 5m }',
    see: async (club) => {
      const code = await codeFor(club);
      club.clock.advance(150);
      return (await redeem(club, code)).status;
    },
    shipped: 400,
    changed: 200,
  },
  {
    decides: 'P-3: a checked request is answered 303 to the login page',
    over: 'authorize: { redirect_status: 302 }',
    see: async (club) => (await askLogin(club)).status,
    shipped: 303,
    changed: 302,
  },
  {
    decides: 'P-3: a login begins with POST',
    over: 'authorize: { endpoint: { methods: [GET, POST] } }',
    see: async (club) => (await ask(club.url, loginTarget(club))).status,
    shipped: 405,
    changed: 303,
  },
  {
    decides: 'P-3: success is told with code and state',
    over: 'authorize: { answer: { code: auth_code, state: echo } }',
    see: async (club) => [...(await returnFrom(club, { state: 's' })).searchParams.keys()],
    shipped: ['code', 'state'],
    changed: ['auth_code', 'echo'],
  },
  {
    decides: 'P-4: the context of a login request is not looked at',
    over: 'authorize: { endpoint: { inputs: { context: { must_equal: client.business_context } } } }',
    see: async (club) => [
      await sentTo(club, elsewhere),
      await sentTo(club, { 'business-context-identifier': context }),
    ],
    shipped: ['303 ?transaction', '303 ?transaction'],
    changed: ['302 ?error=access_denied', '303 ?transaction'],
  },
  {
    decides: 'P-4: the context of a login request is required',
    over: 'authorize: { endpoint: { inputs: { context: { required: false } } } }',
    see: (club) => sentTo(club, { 'business-context-identifier': undefined }),
    shipped: '302 ?error=invalid_request',
    changed: '303 ?transaction',
  },
  {
    decides: 'P-4: the page for another programme’s name',
    over: 'authorize: { failures: { programme_mismatch: { page: { status: 404, title: Lost } } } }',
    see: async (club) => {
      const { status, body } = await askLogin(club, { 'programme-identifier': 'ThirdClub' });
      return [status, /<title>(.*)<\/title>/.exec(body)?.[1]];
    },
    shipped: [400, 'This login cannot start'],
    changed: [404, 'Lost'],
  },
  {
    decides: 'P-12: which error a fault goes back with',
    over: 'authorize: { failures: { invalid_scope: { redirect: invalid_request } } }',
    see: (club) => sentTo(club, { scope: 'x', state: 's' }),
    shipped: '302 ?error=invalid_scope&state=s',
    changed: '302 ?error=invalid_request&state=s',
  },
];
