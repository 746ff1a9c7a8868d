// Owns the texts of a page that stands in place of the login form, as files give them.

import * as v from 'valibot';

import { textSchema } from '../../schema/scalars.ts';

/** Title and sentence of a page. */
export interface PageText {
  readonly title: string;
  readonly text: string;
}

/** Text for people, in which `{programme}` stands for the programme's name. */
export const pageTextSchema: v.GenericSchema<string, string> = v.pipe(
  textSchema,
  v.regex(
    /^(?:[^{}]|\{programme\})*$/,
    'the only name in braces that a text of the page can hold is {programme}',
  ),
);

export const pageSchema: v.GenericSchema<unknown, PageText> = v.pipe(
  v.strictObject({ title: pageTextSchema, text: pageTextSchema }),
  v.title('page text'),
);
