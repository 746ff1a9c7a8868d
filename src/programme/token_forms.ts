// Owns the forms of opaque tokens: how a token follows from its ordinary text, by the grant that issues it.

import { present } from '../lib/present.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import { type GrantType, grantTypes } from '../oauth/grant.ts';
import { type FormedUse, type KeptTokens, keptTokens } from '../token/kept_token.ts';
import { accessFormOf } from './access_formats.ts';
import { usualCodeLength } from './checks/given_out.ts';
import type { Definition } from './language/definition.ts';
import { compileDeriver, type ValueShape } from './language/value_shape.ts';

/** The tokens of one use, where they or some of them have a form of their own. */
export interface TokenForm {
  readonly kept: KeptTokens;
  /** The token of an ordinary text: that text itself for a grant whose tokens have no form. */
  readonly make: (grant: GrantType, ordinary: string) => string;
}

export type TokenForms = Readonly<Partial<Record<FormedUse, TokenForm>>>;

export function compileTokenForms(id: ProgrammeId, definition: Definition): TokenForms {
  const { tokens } = definition;
  const access = grantTypes.map((type) => [type, accessFormOf(definition, type)] as const);
  return present({
    access_token: formOf(id, 'access_token', new Map(access)),
    refresh_token: formOf(
      id,
      'refresh_token',
      new Map(grantTypes.map((type) => [type, tokens.refresh.form])),
    ),
  });
}

function formOf(
  id: ProgrammeId,
  use: FormedUse,
  shapes: ReadonlyMap<GrantType, ValueShape | undefined>,
): TokenForm | undefined {
  const kept = keptTokens(id, use);
  const makers = new Map(
    [...shapes].flatMap(([grant, shape]) =>
      shape === undefined ? [] : [[grant, compileDeriver(shape, usualCodeLength)] as const],
    ),
  );
  if (makers.size === 0) return undefined;
  return {
    kept,
    make: (grant, ordinary) => makers.get(grant)?.(kept.seedOf(ordinary)) ?? ordinary,
  };
}
