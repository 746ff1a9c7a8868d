// Owns reading XML 1.0 strictly: elements, attributes and their texts. No DTD, so no entities but the
// predefined ones; processing instructions have no effect. The time is linear in the text.

/** A text that is not well-formed, or holds what is not read. */
export class MalformedXml extends Error {}

export interface XmlElement {
  /** Without its prefix. */
  readonly name: string;
  /** In order; names without prefixes. Declarations of namespaces are none. */
  readonly attributes: readonly (readonly [name: string, value: string])[];
  readonly children: readonly XmlElement[];
  /** Its own text, without that of its children. */
  readonly text: string;
}

interface Open {
  /** With its prefix. */
  readonly tag: string;
  readonly name: string;
  readonly attributes: XmlElement['attributes'];
  readonly children: XmlElement[];
  text: string;
}

/** Deeper than any message of a client. */
const deepest = 32;

const nameStart =
  'A-Z_a-z\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C\\u200D\\u2070-\\u218F\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD\\u{10000}-\\u{EFFFF}';
const part = `[${nameStart}][${nameStart}.0-9\\u00B7\\u0300-\\u036F\\u203F\\u2040-]*`;
const qualifiedName = new RegExp(`(?:(${part}):)?(${part})`, 'uy');
const notCharacter = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const space = /[ \t\n\r]+/y;
const equals = /[ \t\n\r]*=[ \t\n\r]*/y;
const attributeValue = /"([^<"]*)"|'([^<']*)'/y;
const declaration =
  /<\?xml[ \t\n\r]+version[ \t\n\r]*=[ \t\n\r]*(["'])1\.\d{1,2}\1(?:[ \t\n\r]+encoding[ \t\n\r]*=[ \t\n\r]*(["'])([A-Za-z][\w.-]{0,40})\2)?(?:[ \t\n\r]+standalone[ \t\n\r]*=[ \t\n\r]*(["'])(?:yes|no)\4)?[ \t\n\r]*\?>/y;

/** The name of the charset in the declaration at the beginning, in lower case. */
export function declaredEncoding(text: string): string | undefined {
  declaration.lastIndex = 0;
  return declaration.exec(text)?.[3]?.toLowerCase();
}

/** Whether a text is white space alone. */
export function isXmlSpace(text: string): boolean {
  return !/[^ \t\n\r]/.test(text);
}

/** The root element of a document; throws `MalformedXml`. */
export function readXml(document: string): XmlElement {
  if (notCharacter.test(document)) throw new MalformedXml('it has a character that XML has not');
  // XML 1.0 2.11.
  const text = document.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');
  const open: Open[] = [];
  let root: XmlElement | undefined;
  let at = take(declaration, text, 0)?.end ?? 0;
  const close = (): void => {
    const element = open.pop();
    if (element === undefined) throw new MalformedXml('a tag ends that has not begun');
    const { name, attributes, children, text: own } = element;
    const closed = { name, attributes, children, text: own };
    const outer = open.at(-1);
    if (outer === undefined) root = closed;
    else outer.children.push(closed);
  };
  const addText = (added: string): void => {
    const inner = open.at(-1);
    if (inner !== undefined) inner.text += added;
    else if (!isXmlSpace(added)) throw new MalformedXml('a text stands outside of the element');
  };
  while (at < text.length) {
    const tag = text.indexOf('<', at);
    const end = tag < 0 ? text.length : tag;
    const plain = text.slice(at, end);
    if (plain.includes(']]>')) throw new MalformedXml('a text holds ]]>');
    if (plain !== '') addText(withoutReferences(plain));
    if (tag < 0) break;
    if (text.startsWith('<!--', tag)) {
      at = textEnd(text, tag + 4, '--');
      if (text[at] !== '>') throw new MalformedXml('a comment holds --');
      at += 1;
    } else if (text.startsWith('<![CDATA[', tag)) {
      if (open.length === 0) throw new MalformedXml('a text stands outside of the element');
      at = textEnd(text, tag + 9, ']]>');
      addText(text.slice(tag + 9, at - 3));
    } else if (text.startsWith('<?', tag)) {
      const target = nameAt(text, tag + 2);
      if (target.tag.toLowerCase() === 'xml')
        throw new MalformedXml('its declaration is misplaced');
      at = textEnd(text, target.end, '?>');
    } else if (text.startsWith('</', tag)) {
      const ended = nameAt(text, tag + 2);
      if (ended.tag !== open.at(-1)?.tag) throw new MalformedXml('a tag ends that is not the last');
      close();
      at = tagEnd(text, ended.end, '>');
    } else {
      if (text.startsWith('<!', tag)) throw new MalformedXml('it has a DTD');
      if (open.length === 0 && root !== undefined)
        throw new MalformedXml('it has two root elements');
      if (open.length === deepest) throw new MalformedXml(`it is deeper than ${deepest} elements`);
      const begun = nameAt(text, tag + 1);
      const { attributes, end: after } = attributesAt(text, begun.end);
      open.push({ tag: begun.tag, name: begun.name, attributes, children: [], text: '' });
      const ending = text.startsWith('/>', after) ? '/>' : '>';
      at = tagEnd(text, after, ending);
      if (ending === '/>') close();
    }
  }
  if (root === undefined || open.length > 0) throw new MalformedXml('an element does not end');
  return root;
}

function take(
  form: RegExp,
  text: string,
  at: number,
): { readonly found: RegExpExecArray; readonly end: number } | undefined {
  form.lastIndex = at;
  const found = form.exec(text);
  return found === null ? undefined : { found, end: form.lastIndex };
}

function nameAt(
  text: string,
  at: number,
): {
  readonly tag: string;
  readonly prefix: string | undefined;
  readonly name: string;
  readonly end: number;
} {
  const name = take(qualifiedName, text, at);
  if (name === undefined) throw new MalformedXml('a name was expected');
  const [tag, prefix, local = ''] = name.found;
  return { tag, prefix, name: local, end: name.end };
}

/** The attributes from there on, up to what is neither white space nor an attribute. */
function attributesAt(
  text: string,
  begin: number,
): Pick<XmlElement, 'attributes'> & { readonly end: number } {
  const attributes: (readonly [string, string])[] = [];
  const seen = new Set<string>();
  for (let at = begin; ;) {
    const gap = take(space, text, at)?.end;
    if (gap === undefined || text[gap] === '>' || text[gap] === '/') {
      return { attributes, end: gap ?? at };
    }
    const { tag, prefix, name, end } = nameAt(text, gap);
    const sign = take(equals, text, end);
    const value = sign && take(attributeValue, text, sign.end);
    if (value === undefined) throw new MalformedXml('an attribute has no value in quotes');
    if (seen.has(tag)) throw new MalformedXml('an attribute stands there twice');
    seen.add(tag);
    // XML 1.0 3.3.3.
    const sent = (value.found[1] ?? value.found[2] ?? '').replaceAll(/[\t\n]/g, ' ');
    const read = withoutReferences(sent);
    if ((prefix ?? name) !== 'xmlns') attributes.push([name, read]);
    at = value.end;
  }
}

function tagEnd(text: string, at: number, sign: string): number {
  const end = take(space, text, at)?.end ?? at;
  if (!text.startsWith(sign, end)) throw new MalformedXml('a tag does not end');
  return end + sign.length;
}

function textEnd(text: string, at: number, ending: string): number {
  const found = text.indexOf(ending, at);
  if (found < 0) throw new MalformedXml(`${ending} is missing`);
  return found + ending.length;
}

const entities: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

function withoutReferences(text: string): string {
  return text.replaceAll(/&(?:([^;&]{1,20});)?/g, (_, name: string | undefined) => {
    const [, decimal, hex] = /^#(?:(\d{1,10})|x([\dA-Fa-f]{1,8}))$/.exec(name ?? '') ?? [];
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    const named = code <= 0x10_ff_ff ? String.fromCodePoint(code) : entities.get(name ?? '');
    if (named === undefined || notCharacter.test(named)) {
      throw new MalformedXml('it has an entity that is not predefined');
    }
    return named;
  });
}
