// Owns the seed of property tests, and arbitrary text. A run repeats the inputs of the run before it, so
// that it fails only for changes in the code; campaigns choose other seeds.

import fc from 'fast-check';

/** Of every property of a run; PROPERTY_SEED names another. */
const seed = Number(process.env['PROPERTY_SEED'] ?? 1);

fc.configureGlobal({ seed });

/** How long whole programme files are searched: a part of `npm run campaign:files` unless told. */
export const runs = Number(process.env['PROPERTY_RUNS'] ?? 15);

/** Of what is searched one by one, each that is so many further on: all in the campaign. */
export const step: number = Math.max(1, Math.round(50 / runs));

export { fc };

const codePoint = fc.oneof(
  fc.integer({ min: 0, max: 0x7f }),
  fc.constantFrom(0x2b, 0x25, 0x26, 0x3d, 0x3a, 0x22, 0x5c, 0x0a, 0xfeff, 0x2028, 0xfffd, 0x1f600),
  fc.integer({ min: 0x80, max: 0xd7ff }),
  fc.integer({ min: 0xe000, max: 0x10ffff }),
);

/** Any text that UTF-8 can carry. fast-check's own `binary` unit takes seconds to begin. */
export function anyText(maxLength = 20): fc.Arbitrary<string> {
  return fc.string({ unit: codePoint.map((code) => String.fromCodePoint(code)), maxLength });
}
