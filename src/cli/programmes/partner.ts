// Owns what `show` prints for partners: the page and the OpenAPI document.

import type { Config } from '../../config/config.ts';
import { type Guide, makeGuide } from '../../contract/partner/guide.ts';
import { partnerHtml } from '../../contract/partner/html.ts';
import { partnerPage } from '../../contract/partner/page/page.ts';
import { systemClock } from '../../lib/clock.ts';
import { quote } from '../../lib/fault.ts';
import { present } from '../../lib/present.ts';
import type { Client, ClientId, ProgrammeId } from '../../oauth/client.ts';
import type { Programme } from '../../programme/programme.ts';
import { failed } from '../../server/exit.ts';
import { withStore } from '../open_store.ts';
import { compileNamed } from '../programmes.ts';

export type PageFormat = 'markdown' | 'html';

/** What a programme's partners are told; of one of its clients, if one is named. */
export async function guideFor(
  config: Config,
  name: string,
  clientId: string | undefined,
): Promise<Guide> {
  const programme = compileNamed(config, name);
  const client =
    clientId === undefined ? undefined : await findClient(config, programme.id, clientId);
  return guideOf(config, programme, client);
}

/** The same, of a client that was found. */
export function guideOf(
  { publicUrl, environment, partners, gateway }: Config,
  programme: Programme,
  client: Client | undefined,
): Guide {
  return makeGuide(programme, publicUrl, client, environment, {
    at: systemClock().now(),
    hasGateway: gateway !== undefined,
    ...present({ contact: partners?.contact }),
  });
}

function findClient(config: Config, programme: ProgrammeId, id: string): Promise<Client> {
  return withStore(config, async ({ store }) => {
    const found = await store.find('client', programme, id as ClientId);
    if (found !== undefined) return found;
    throw failed(`there is no client ${quote(id)} in ${programme}`);
  });
}

export function pageIn(format: PageFormat, guide: Guide): string {
  return format === 'html' ? partnerHtml(guide) : partnerPage(guide);
}
