// Owns the words for broken YAML: ours for each kind of complaint of the parser.

import { quote } from '../fault.ts';

/** A complaint in our words. */
export interface SyntaxWords {
  readonly message: string;
  readonly hint?: string | undefined;
  /** Of several complaints about one place the lowest rank says most. */
  readonly rank: number;
}

type Row = readonly [
  code: string,
  message: string | ((found: string) => string),
  hint?: string | undefined,
  /** Part of the parser's own text, where one code has several meanings. */
  about?: RegExp,
];

const wrongIndent = 'the indentation does not fit the lines before it';

// The first match wins: a row with `about` stands before the general row of its code. One slip often
// draws several complaints: the row that helps most stands first.
const rows: readonly Row[] = [
  ['BLOCK_AS_IMPLICIT_KEY', wrongIndent, undefined, /sequence/],
  [
    'UNEXPECTED_TOKEN',
    'a list item cannot start here',
    'put it on a line of its own, under the key of its list',
    /block-seq-ind|seq-item-ind/,
  ],
  [
    'MULTILINE_IMPLICIT_KEY',
    'a key must stand on one line',
    'a ":" is missing here, or the next line is indented too deep',
  ],
  ['BAD_INDENT', wrongIndent],
  ['TAB_AS_INDENT', 'a tab cannot indent', 'use spaces'],
  [
    'BLOCK_AS_IMPLICIT_KEY',
    'a second "key:" on one line',
    'quote the value, or put the inner keys on lines of their own, indented',
  ],
  ['KEY_OVER_1024_CHARS', 'a key may have at most 1024 characters'],
  [
    'BLOCK_IN_FLOW',
    'a "," is missing, or indented lines stand inside [ ] or { }',
    'texts with ": " in them stand in quotes',
  ],
  [
    'BAD_SCALAR_START',
    (found) => `text cannot start with ${quote(found.slice(0, 1))}`,
    'put it in quotes',
  ],
  [
    'BAD_DQ_ESCAPE',
    'unknown escape in double quotes',
    'write \\\\ for a backslash, or use single quotes',
  ],
  ['MISSING_CHAR', 'a comment needs a space before its "#"', undefined, /^Comments/],
  ['MISSING_CHAR', 'a space must follow ":"', undefined, /^Missing space/],
  ['MISSING_CHAR', 'a "," or ":" is missing', undefined, /^Missing , or :/],
  ['MISSING_CHAR', 'a "," is missing', undefined, /^Missing ,/],
  ['MISSING_CHAR', 'expected "key: value", found no ":"', undefined, /^Implicit map/],
  ['MISSING_CHAR', 'expected a list item that starts with "- "', undefined, /^Sequence item/],
  ['MISSING_CHAR', wrongIndent, undefined, /^Block scalars/],
  [
    'MISSING_CHAR',
    'keys and list items must start on the line after "---"',
    undefined,
    /^Block collection/,
  ],
  [
    'UNEXPECTED_TOKEN',
    'block text must start on the line after "|" or ">"',
    undefined,
    /^Block scalar header/,
  ],
  ['UNEXPECTED_TOKEN', (found) => `unexpected ${found === '' ? 'end' : quote(found)}`],
];

/** Our words for a complaint; `found` is the text it is about, to the end of its line. */
export function syntaxWords(code: string, theirs: string, found: string): SyntaxWords {
  const index = rows.findIndex(([of, , , about]) => of === code && (about?.test(theirs) ?? true));
  const [, words, hint] = rows[index] ?? ['', 'this cannot be read as YAML'];
  const message = typeof words === 'function' ? words(found) : words;
  return { message, hint, rank: index < 0 ? rows.length : index };
}

const surveyedCodes =
  /^(?:ALIAS_PROPS|BAD_(?:ALIAS|COLLECTION_TYPE|DIRECTIVE|PROP_ORDER)|MULTIPLE_(?:ANCHORS|TAGS)|TAG_RESOLVE_FAILED)$/;
const surveyedTexts =
  /end with a [}\]]$|^Missing closing|^Tags and anchors|^Missing directives|props$/;

/** Whether survey.ts has told of the same slip already, at a better place. */
export function isSurveyed(code: string, theirs: string): boolean {
  return surveyedCodes.test(code) || surveyedTexts.test(theirs);
}
