// Owns finding the gateway that an operator means by its identifier.

import type { Config } from '../config/config.ts';
import { quote } from '../lib/fault.ts';
import type { Gateway, GatewayId } from '../oauth/gateway.ts';
import { CommandError, exitCodes } from './exit.ts';
import type { OutputOptions } from './output.ts';
import { type OpenStore, selectProgrammes } from './workplace.ts';

export interface GatewayOptions extends OutputOptions {
  readonly config: string;
  readonly programme?: string;
}

/** The gateway of that identifier, in the named programme or in whichever has it. */
export async function selectGateway(
  config: Config,
  { store }: OpenStore,
  id: string,
  { programme }: GatewayOptions,
): Promise<Gateway> {
  const programmes = selectProgrammes(config, programme);
  const found = await Promise.all(programmes.map((one) => store.findGateway(one, id as GatewayId)));
  const [gateway, another] = found.filter((one) => one !== undefined);
  if (gateway !== undefined && another === undefined) return gateway;
  throw new CommandError(
    exitCodes.usage,
    gateway === undefined
      ? `there is no gateway ${quote(id)}: gateway list shows those there are`
      : `several programmes have a gateway ${quote(id)}: say --programme`,
  );
}
