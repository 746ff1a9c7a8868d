// Owns the forms of opaque tokens: how a token follows from its ordinary text, by the grant that issues it.

import type { Definition } from '../language/definition.ts';
import { compileDeriver, usualCodeLength, type ValueShape } from '../language/value_shape.ts';
import { present } from '../lib/present.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import { byGrant, type GrantType } from '../oauth/grant.ts';
import { type FormedUse, type KeptTokens, keptTokens } from '../token/kept_token.ts';
import { accessFormOf } from './access_formats.ts';

/** The tokens of one use, where they or some of them have a form of their own. */
export interface TokenForm {
  readonly kept: KeptTokens;
  /** The token of an ordinary text: that text itself for a grant whose tokens have no form. */
  readonly make: (grant: GrantType, ordinary: string) => string;
}

export type TokenForms = Readonly<Partial<Record<FormedUse, TokenForm>>>;

export function compileTokenForms(id: ProgrammeId, definition: Definition): TokenForms {
  const access = byGrant((type) => accessFormOf(definition, type));
  const refresh = byGrant(() => definition.tokens.refresh.form);
  return present({
    access_token: formOf(keptTokens(id, 'access_token'), access),
    refresh_token: formOf(keptTokens(id, 'refresh_token'), refresh),
  });
}

function formOf(
  kept: KeptTokens,
  shapes: Readonly<Record<GrantType, ValueShape | undefined>>,
): TokenForm | undefined {
  const makers = byGrant((type) => shapes[type] && compileDeriver(shapes[type], usualCodeLength));
  if (Object.values(makers).every((make) => make === undefined)) return undefined;
  return {
    kept,
    make: (grant, ordinary) => makers[grant]?.(kept.seedOf(ordinary)) ?? ordinary,
  };
}
