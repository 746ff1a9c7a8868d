// Tests of reading XML: round trips against a generator, refusals, and the time it takes.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import {
  declaredEncoding,
  MalformedXml,
  readXml,
  type XmlElement,
} from '../../../src/lib/xml/xml.ts';
import { fc } from '../../support/property.ts';

const name = fc.stringMatching(/^[A-Za-z_\u00C0\u4E00][A-Za-z0-9_.\u00B7\u4E00-]{0,6}$/);
const text = fc
  .string({ unit: 'grapheme', maxLength: 12 })
  .filter((one) => !/[^\t\n\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u.test(one));

interface Written {
  readonly xml: string;
  readonly element: XmlElement;
}

const escaped = (value: string): string =>
  value.replaceAll(/[&<>"'\t\n]/g, (one, at: number) =>
    at % 2 === 0 ? `&#${one.charCodeAt(0)};` : `&#x${one.charCodeAt(0).toString(16)};`,
  );

/** Elements in as many spellings as a generator can think of. */
function written(depth: number): fc.Arbitrary<Written> {
  return fc
    .record({
      name,
      prefix: fc.option(name),
      attributes: fc.uniqueArray(
        fc.tuple(
          name.filter((one) => one !== 'xmlns'),
          text,
        ),
        {
          maxLength: 3,
          selector: ([one]) => one,
        },
      ),
      children:
        depth === 0 ? fc.constant<Written[]>([]) : fc.array(written(depth - 1), { maxLength: 3 }),
      texts: fc.array(
        fc.record({ text, how: fc.constantFrom('plain', 'cdata', 'comment', 'pi') }),
        { maxLength: 3 },
      ),
      quote: fc.constantFrom('"', "'"),
      space: fc.constantFrom('', ' ', '\n\t'),
    })
    .map(({ name: own, prefix, attributes, children, texts, quote, space }): Written => {
      const tag = prefix === null ? own : `${prefix}:${own}`;
      const said = texts.filter(({ how }) => how === 'plain' || how === 'cdata');
      const content = texts.map(({ text: one, how }) => {
        if (how === 'plain') return escaped(one);
        if (how === 'cdata') return `<![CDATA[${one.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;
        return how === 'comment'
          ? `<!--${one.replaceAll('-', '')}-->`
          : `<?x ${one.replaceAll('?', '')}?>`;
      });
      const list = attributes.map(
        ([one, value]) => ` ${one}${space}=${space}${quote}${escaped(value)}${quote}`,
      );
      const inner = [...content, ...children.map(({ xml }) => xml)].join('');
      return {
        xml: `<${tag} xmlns:q="u"${list.join('')}${space}>${inner}</${tag}${space}>`,
        element: {
          name: own,
          attributes,
          children: children.map(({ element }) => element),
          text: said.map(({ text: one }) => one).join(''),
        },
      };
    });
}

describe('readXml', () => {
  test('reads what a generator wrote', () => {
    fc.assert(
      fc.property(
        written(3),
        fc.constantFrom('', '\uFEFF', '<?xml version="1.0"?>\r\n'),
        (one, head) => {
          assert.deepEqual(readXml(head + one.xml), one.element);
        },
      ),
    );
  });

  test('reads any text, or refuses it with its own error', () => {
    const piece = fc.constantFrom(
      ...'<a> </a> <a/> < > / = " \' & &amp; &#x; &#1; <!-- --> <![CDATA[ ]]> <? ?> <!DOCTYPE a a:b x="1"'.split(
        ' ',
      ),
      ' ',
    );
    const soup = fc.oneof(
      fc.array(piece, { maxLength: 30 }).map((all) => all.join('')),
      fc.string(),
    );
    fc.assert(
      fc.property(soup, (one) => {
        try {
          readXml(one);
        } catch (error) {
          assert.ok(error instanceof MalformedXml, String(error));
        }
      }),
      { numRuns: 500 },
    );
  });

  test('takes references, line ends and white space as XML 1.0 says', () => {
    const read = readXml(
      '<a b="1\r\n2&#10;3"> x\r\ny\rz&#13;&#x1F600;&lt;&gt;&amp;&quot;&apos; </a>',
    );
    assert.deepEqual(read.attributes, [['b', '1 2\n3']]);
    assert.equal(read.text, ' x\ny\nz\r\u{1F600}<>&"\' ');
    assert.equal(
      readXml('\uFEFF<?xml version="1.0" encoding="UTF-8" standalone="yes"?><a/>').name,
      'a',
    );
    assert.deepEqual(readXml('<a xmlns="u" xmlns:p="v" p:b="1"/>').attributes, [['b', '1']]);
  });

  test('refuses what is not well-formed, a DTD, and entities', () => {
    const bad = `|x|<a>|<a></b>|<a></a|</a>|<a/><b/>|<a/>x|x<a/>|<a b/>|<a b=c/>|<a b="<"/>
      |<a b="1" b="2"/>|<a b="1"c="2"/>|<a / >|< a/>|<a><b></a></b>|<1/>|<a:b:c/>|<:a/>|<p:a></a>
      |<!DOCTYPE a><a/>|<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>|<a>&x;</a>|<a>&lt</a>|<a>&</a>
      |<a>&#0;</a>|<a>&#xD800;</a>|<a>&#x110000;</a>|<a>&#-1;</a>|<a>]]></a>|<a><!-- -- --></a>
      |<a><!--</a>|<a><![CDATA[</a>|<![CDATA[x]]><a/>|<a><?xml version="1.0"?></a>|<?xml?><a/>
      | <?xml version="1.0"?><a/>|<?xml version="2.0"?><a/>|<a><?x</a>|<a>\u0001</a>|<a>\uFFFE</a>`;
    for (const one of bad.split('|').map((line) => line.replace(/\n +$/, ''))) {
      assert.throws(() => readXml(one), MalformedXml, one);
    }
    const nested = (depth: number): string => `${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`;
    assert.equal(readXml(nested(32)).name, 'a');
    assert.throws(() => readXml(nested(33)), MalformedXml);
  });

  test('64 KiB of the worst take no longer than their length', () => {
    const size = 65_000;
    const worst = [
      '<',
      '<a ',
      '<a b',
      '<a b=',
      '&',
      '&#',
      '<!--',
      '<a b="',
      '<a:',
      ']',
      ' ',
      '<a/>',
      '\r',
    ];
    for (const piece of worst) {
      for (const before of ['', '<a ', '<a>', '<a b="']) {
        const long = before + piece.repeat(size / piece.length);
        // Of quadratic time, these would take minutes together.
        try {
          readXml(long);
        } catch (error) {
          assert.ok(error instanceof MalformedXml);
        }
      }
    }
  });
});

test('the charset is the one in the declaration', () => {
  const encoding = (head: string): string | undefined => declaredEncoding(`${head}<a/>`);
  assert.equal(encoding('<?xml version="1.0" encoding="ISO-8859-1"?>'), 'iso-8859-1');
  assert.equal(encoding("<?xml version='1.0' encoding='utf-8' standalone='no' ?>"), 'utf-8');
  for (const head of ['', '<?xml version="1.0"?>', ' <?xml version="1.0" encoding="x"?>']) {
    assert.equal(encoding(head), undefined);
  }
});
