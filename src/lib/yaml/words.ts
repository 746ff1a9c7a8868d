// Owns what people read about broken YAML: our words for each kind of complaint of the parser.

import { quote } from '../fault.ts';

/** A complaint in our words. */
export interface SyntaxWords {
  readonly message: string;
  readonly hint?: string;
  /** Of several complaints about one place that of the lowest rank says most. */
  readonly rank: number;
}

type Words = Omit<SyntaxWords, 'rank'>;

interface Row {
  readonly code: string;
  /** Part of the parser's own text, where one code has several meanings. */
  readonly about?: RegExp;
  readonly words: Words | ((found: string) => Words);
}

const secondColon: Words = {
  message: 'a second "key:" on one line',
  hint: 'quote the value, or put the inner keys on lines of their own, indented',
};
const notAKey: Words = {
  message: 'expected "key: value", found no ":"',
};
const looseLine: Words = {
  message: 'a key must stand on one line',
  hint: 'a ":" is missing here, or the next line is indented too deep',
};
const wrongIndent: Words = {
  message: 'the indentation does not fit the lines before it',
};

// First match wins, so rows with `about` stand before the general row of their code; and since
// one slip often draws several complaints, the rows stand in the order of what they tell people.
const rows: readonly Row[] = [
  { code: 'BLOCK_AS_IMPLICIT_KEY', about: /sequence/, words: wrongIndent },
  {
    code: 'UNEXPECTED_TOKEN',
    about: /block-seq-ind|seq-item-ind/,
    words: {
      message: 'a list item cannot start here',
      hint: 'put it on a line of its own, under the key of its list',
    },
  },
  { code: 'MULTILINE_IMPLICIT_KEY', words: looseLine },
  { code: 'BAD_INDENT', words: wrongIndent },
  { code: 'TAB_AS_INDENT', words: { message: 'a tab cannot indent', hint: 'use spaces' } },
  { code: 'BLOCK_AS_IMPLICIT_KEY', words: secondColon },
  { code: 'KEY_OVER_1024_CHARS', words: { message: 'a key may have at most 1024 characters' } },
  {
    code: 'BLOCK_IN_FLOW',
    words: {
      message: 'a "," is missing, or indented lines stand inside [ ] or { }',
      hint: 'texts with ": " in them stand in quotes',
    },
  },
  {
    code: 'BAD_SCALAR_START',
    words: (found) => ({
      message: `text cannot start with ${quote(found.slice(0, 1))}`,
      hint: 'put it in quotes',
    }),
  },
  {
    code: 'BAD_DQ_ESCAPE',
    words: {
      message: 'unknown escape in double quotes',
      hint: 'write \\\\ for a backslash, or use single quotes',
    },
  },
  {
    code: 'MISSING_CHAR',
    about: /^Comments/,
    words: { message: 'a comment needs a space before its "#"' },
  },
  { code: 'MISSING_CHAR', about: /^Missing space/, words: { message: 'a space must follow ":"' } },
  { code: 'MISSING_CHAR', about: /^Missing , or :/, words: { message: 'a "," or ":" is missing' } },
  { code: 'MISSING_CHAR', about: /^Missing ,/, words: { message: 'a "," is missing' } },
  { code: 'MISSING_CHAR', about: /^Implicit map/, words: notAKey },
  {
    code: 'MISSING_CHAR',
    about: /^Sequence item/,
    words: { message: 'expected a list item that starts with "- "' },
  },
  { code: 'MISSING_CHAR', about: /^Block scalars/, words: wrongIndent },
  {
    code: 'MISSING_CHAR',
    about: /^Block collection/,
    words: { message: 'keys and list items must start on the line after "---"' },
  },
  {
    code: 'UNEXPECTED_TOKEN',
    about: /^Block scalar header/,
    words: { message: 'block text must start on the line after "|" or ">"' },
  },
  {
    code: 'UNEXPECTED_TOKEN',
    words: (found) => ({ message: `unexpected ${found === '' ? 'end' : quote(found)}` }),
  },
];

/** Our words for a complaint; `found` is the text it is about, to the end of its line. */
export function syntaxWords(code: string, theirs: string, found: string): SyntaxWords {
  const index = rows.findIndex((row) => row.code === code && (row.about?.test(theirs) ?? true));
  const words = rows[index]?.words ?? { message: 'this cannot be read as YAML' };
  const rank = index < 0 ? rows.length : index;
  return { ...(typeof words === 'function' ? words(found) : words), rank };
}

const surveyedCodes: ReadonlySet<string> = new Set([
  'ALIAS_PROPS',
  'BAD_ALIAS',
  'BAD_COLLECTION_TYPE',
  'BAD_DIRECTIVE',
  'BAD_PROP_ORDER',
  'MULTIPLE_ANCHORS',
  'MULTIPLE_TAGS',
  'TAG_RESOLVE_FAILED',
]);

/** Whether the complaint is about what survey.ts has told already, at a better place. */
export function isSurveyed(code: string, theirs: string): boolean {
  return (
    surveyedCodes.has(code) ||
    /end with a [}\]]$|^Missing closing|^Tags and anchors|^Missing directives|props$/.test(theirs)
  );
}
