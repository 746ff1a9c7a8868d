// Owns the formats of a programme's tokens, and the forms in which those that are no JWTs are told.

import type { Definition } from '../language/definition.ts';
import { beginning, type TokenShape } from '../language/tokens/token_schema.ts';
import { compileDeriver, usualCodeLength } from '../language/value_shape.ts';
import { memberPropertyPrefix } from '../language/vocabularies.ts';
import { present } from '../lib/present.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import { byGrant, type GrantType } from '../oauth/grant.ts';
import type { Member } from '../oauth/member.ts';
import { type FormedUse, type KeptTokens, keptTokens } from '../token/kept_token.ts';
import { offeredGrants } from './requests/grant_places.ts';

/** The tokens of one use, where they or some of them have a form of their own. */
export interface TokenForm {
  readonly kept: KeptTokens;
  /** The token of an ordinary text: that text itself for a grant whose tokens have no form. */
  readonly make: (grant: GrantType, ordinary: string, properties?: Member['properties']) => string;
}

export type TokenForms = Readonly<Partial<Record<FormedUse, TokenForm>>>;

export function compileTokenForms(id: ProgrammeId, definition: Definition): TokenForms {
  const access = byGrant((type) => accessFormOf(definition, type));
  const refresh = byGrant(() => refreshFormOf(definition));
  return present({
    access_token: formOf(keptTokens(id, 'access_token'), access),
    refresh_token: formOf(keptTokens(id, 'refresh_token'), refresh),
  });
}

function formOf(
  kept: KeptTokens,
  shapes: Readonly<Record<GrantType, TokenShape | undefined>>,
): TokenForm | undefined {
  const makers = byGrant((type) => shapes[type] && compileDeriver(shapes[type], usualCodeLength));
  if (Object.values(makers).every((make) => make === undefined)) return undefined;
  return {
    kept,
    make: (grant, ordinary, properties) => {
      const made = makers[grant]?.(kept.seedOf(ordinary));
      return made === undefined ? ordinary : beginningOf(shapes[grant], properties) + made;
    },
  };
}

function beginningOf(shape: TokenShape | undefined, properties: Member['properties'] = {}): string {
  const name = shape?.begins_with?.slice(memberPropertyPrefix.length);
  const value = name !== undefined && Object.hasOwn(properties, name) ? properties[name] : '';
  const { form, longest } = beginning;
  return value !== undefined && value.length <= longest && form.test(value) ? value : '';
}

type Formats = Pick<Definition, 'grants' | 'tokens'>;

export type AccessFormat = Definition['tokens']['access']['format'];

export function accessFormatOf({ grants, tokens }: Formats, type: GrantType): AccessFormat {
  return grants[type]?.access_format ?? tokens.access.format;
}

/** What they look like, where that is not the ordinary text. */
export function accessFormOf(definition: Formats, type: GrantType): TokenShape | undefined {
  const { grants, tokens } = definition;
  if (accessFormatOf(definition, type) === 'jwt') return undefined;
  return begun(grants[type]?.access_form ?? tokens.access.form, tokens.access);
}

/** Of access tokens by a grant that has no form of its own. */
export function usualFormOf({ tokens: { access } }: Formats): TokenShape | undefined {
  return begun(access.form, access);
}

export function refreshFormOf({ tokens: { refresh } }: Formats): TokenShape | undefined {
  return begun(refresh.form, refresh);
}

function begun(
  form: TokenShape | undefined,
  { begins_with }: Pick<TokenShape, 'begins_with'>,
): TokenShape | undefined {
  return begins_with === undefined ? form : form && { ...form, begins_with };
}

/** Whether access tokens of some grant are JWTs. */
export function signsAccess(definition: Formats): boolean {
  return offeredGrants(definition).some((type) => accessFormatOf(definition, type) === 'jwt');
}
