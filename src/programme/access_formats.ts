// Owns the format of each grant's access tokens.

import type { Definition } from '../language/definition.ts';
import type { ValueShape } from '../language/value_shape.ts';
import type { GrantType } from '../oauth/grant.ts';
import { offeredGrants } from './requests/grant_places.ts';

type Formats = Pick<Definition, 'grants' | 'tokens'>;

export type AccessFormat = Definition['tokens']['access']['format'];

export function accessFormatOf({ grants, tokens }: Formats, type: GrantType): AccessFormat {
  return grants[type]?.access_format ?? tokens.access.format;
}

/** What they look like, where that is not the ordinary text. */
export function accessFormOf(definition: Formats, type: GrantType): ValueShape | undefined {
  const { grants, tokens } = definition;
  if (accessFormatOf(definition, type) === 'jwt') return undefined;
  return grants[type]?.access_form ?? tokens.access.form;
}

/** Whether access tokens of some grant are JWTs. */
export function signsAccess(definition: Formats): boolean {
  return offeredGrants(definition).some((type) => accessFormatOf(definition, type) === 'jwt');
}
