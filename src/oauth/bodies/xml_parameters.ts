// Owns reading parameters from an XML body: texts of elements and attributes, by local names.

import {
  declaredEncoding,
  isXmlSpace,
  MalformedXml,
  readXml,
  type XmlElement,
} from '../../lib/xml/xml.ts';
import { type Charset, charsetOf, utf8 } from '../charset.ts';
import {
  type BodyPaths,
  collecting,
  MalformedParameters,
  type Parameters,
  separator,
} from '../parameters.ts';

/** What stands before an attribute's name in its path: no element's name begins so. */
export const attributeMark = '@';

/** More than an XML declaration has. */
const longestDeclaration = 200;

/**
 * Reads the elements in the root element, and the attributes of those that are read. An element
 * that stands there twice is a parameter with two values. Of what is not read, only the name is
 * told, with an empty value.
 *
 * @param charset that of the media type, which goes before the declaration's (RFC 7303 3)
 * @param root the name of the root element, where it must have one
 */
export function parseXml(
  body: Uint8Array,
  charset: Charset | undefined,
  paths: BodyPaths,
  root?: string,
): Parameters {
  const text = (charset ?? declaredCharset(body)).text(body);
  const { parameters, add } = collecting();
  const element = rootOf(text);
  if (root !== undefined && element.name !== root) {
    throw new MalformedParameters(`the element ${root} was expected`);
  }
  collect(element, '', paths, add);
  return parameters;
}

function declaredCharset(body: Uint8Array): Charset {
  const label = declaredEncoding(
    Buffer.from(body.subarray(0, longestDeclaration)).toString('latin1'),
  );
  const charset = label === undefined ? utf8 : charsetOf(label);
  if (charset === undefined) throw new MalformedParameters('its encoding is not known');
  return charset;
}

function rootOf(text: string): XmlElement {
  try {
    return readXml(text);
  } catch (error) {
    if (error instanceof MalformedXml) throw new MalformedParameters(error.message);
    throw error;
  }
}

function collect(
  { attributes, children, text }: XmlElement,
  prefix: string,
  paths: BodyPaths,
  add: (path: string, value: string) => void,
): void {
  if (!isXmlSpace(text)) throw new MalformedParameters('elements were expected, and no text');
  addAttributes(attributes, prefix, add);
  for (const child of children) {
    const path = prefix + child.name;
    const isValue = paths.values.has(path);
    if (isValue && child.children.length > 0) {
      throw new MalformedParameters('a text was expected, and no elements');
    }
    add(path, isValue ? child.text : '');
    if (isValue) addAttributes(child.attributes, path + separator, add);
    else if (paths.objects.has(path)) collect(child, path + separator, paths, add);
  }
}

function addAttributes(
  attributes: XmlElement['attributes'],
  prefix: string,
  add: (path: string, value: string) => void,
): void {
  for (const [name, value] of attributes) add(prefix + attributeMark + name, value);
}
