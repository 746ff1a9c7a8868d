// Owns how a gateway is shown, and the one time that its secret is.

import type { StoredSecret } from '../../oauth/client.ts';
import type { Gateway } from '../../oauth/gateway.ts';
import { CommandError, exitCodes } from '../exit.ts';
import { OutputLost, type OutputOptions, print, printJson } from '../output.ts';
import { dateText, sheet } from '../table.ts';

/** A gateway as JSON output has it: everything but its digests. */
export interface GatewayView {
  readonly gateway_id: string;
  readonly programme: string;
  readonly name: string;
  readonly secrets: readonly { readonly created_at: string; readonly expires_at: string | null }[];
  readonly created_at: string;
}

export function viewGateway(gateway: Gateway): GatewayView {
  return {
    gateway_id: gateway.id,
    programme: gateway.programme,
    name: gateway.name,
    secrets: gateway.secrets
      .toSorted((one, other) => one.createdAt - other.createdAt)
      .map(({ createdAt, expiresAt }: StoredSecret) => ({
        created_at: dateText(createdAt),
        expires_at: expiresAt === undefined ? null : dateText(expiresAt),
      })),
    created_at: dateText(gateway.createdAt),
  };
}

/** The same for people. */
export function gatewayRows(
  view: GatewayView,
): readonly (readonly [label: string, values: readonly string[]])[] {
  return [
    ['gateway identifier', [view.gateway_id]],
    ['programme', [view.programme]],
    ['name', [view.name]],
    [
      'secrets',
      view.secrets.map(
        ({ created_at, expires_at }) =>
          `made ${created_at}${expires_at === null ? '' : `, ends ${expires_at}`}`,
      ),
    ],
    ['created', [view.created_at]],
  ];
}

/** Prints a secret that the store keeps no copy of; one that nobody has seen is an error to be told. */
export async function deliverSecret(
  gateway: Gateway,
  secret: string,
  { json = false }: OutputOptions,
): Promise<void> {
  const view = viewGateway(gateway);
  try {
    if (json) await printJson({ ...view, gateway_secret: secret });
    else await print(sheetOf(view, secret));
  } catch (error) {
    if (!(error instanceof OutputLost)) throw error;
    throw new CommandError(
      exitCodes.failed,
      `${view.gateway_id} of ${view.programme} is set up, but ${error.message} and its secret is lost: run gateway rotate-secret ${view.gateway_id} --overlap 0s`,
    );
  }
}

function sheetOf(view: GatewayView, secret: string): string {
  const [identifier, ...rest] = gatewayRows(view);
  const rows = [identifier, ['gateway secret', [secret]] as const, ...rest].filter(
    (row) => row !== undefined,
  );
  const told = `Gateway ${view.gateway_id} of ${view.programme}. Its secret is shown this once; it goes into HTTP Basic with the identifier.`;
  return [told, '', sheet(rows)].join('\n');
}
