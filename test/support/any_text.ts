// Owns arbitrary text for property tests: any characters at all, those that mean something more often.

import fc from 'fast-check';

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
