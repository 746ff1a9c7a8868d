// Owns reading parameters from a multipart/form-data body (RFC 7578): fields alone, no files. Stricter than
// FormData: two parsers must not see different fields. The time is linear in the body.

import { type Charset, charsetOf, utf8 } from '../charset.ts';
import { collecting, MalformedParameters, type Parameters } from '../parameters.ts';

/** RFC 2046 5.1.1; a space inside of it too. */
const boundaryForm = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;

/** Bytes of the headers of a part: more than the name and type of any field take. */
const longestHead = 1024;

const lineEnd = '\r\n';

/**
 * Reads each part as a parameter. A part of another type than plain text is refused, and so are one that
 * names a file, whatever stands before the first boundary, and whatever stands after the last.
 *
 * @param boundary that of the media type; undefined if that names none, or several
 * @param charset that of the media type; a part's own goes before it (RFC 7578 4.5)
 */
export function parseMultipart(
  body: Uint8Array,
  boundary: string | undefined,
  charset: Charset = utf8,
): Parameters {
  if (boundary === undefined || !boundaryForm.test(boundary)) {
    throw new MalformedParameters('its media type has no boundary that can be one');
  }
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const isAt = (text: string, at: number): boolean =>
    bytes.toString('latin1', at, at + text.length) === text;
  const { parameters, add } = collecting();
  const opening = `--${boundary}`;
  const delimiter = lineEnd + opening;
  // Some old clients begin each boundary with a line break, the first one too.
  const start = isAt(lineEnd, 0) ? lineEnd.length : 0;
  if (!isAt(opening, start)) throw new MalformedParameters('it does not begin with its boundary');
  let at = start + opening.length;
  while (!isAt('--', at)) {
    if (!isAt(lineEnd, at)) throw new MalformedParameters('a boundary does not end its line');
    const begin = at + lineEnd.length;
    const end = bytes.indexOf(delimiter, begin, 'latin1');
    if (end < 0) throw new MalformedParameters('a part does not end');
    add(...fieldOf(bytes.subarray(begin, end), charset));
    at = end + delimiter.length;
  }
  const rest = bytes.toString('latin1', at + 2);
  if (rest !== '' && rest !== lineEnd) {
    throw new MalformedParameters('something stands after its last boundary');
  }
  return parameters;
}

/** The name and value of a part. */
function fieldOf(part: Buffer, charset: Charset): readonly [name: string, value: string] {
  const ending = lineEnd + lineEnd;
  const end = part.subarray(0, longestHead).indexOf(ending);
  if (end < 0) {
    const bound = part.length < longestHead ? '' : ` within ${longestHead} bytes`;
    throw new MalformedParameters(`the headers of a part do not end${bound}`);
  }
  const headers = headersOf(textOf(part.subarray(0, end), charset));
  const name = nameIn(headers.get('content-disposition') ?? '');
  const encoding = headers.get('content-transfer-encoding') ?? 'binary';
  if (!/^(?:7bit|8bit|binary)$/i.test(encoding)) {
    throw new MalformedParameters('a part is encoded once more (RFC 7578 4.7)');
  }
  const own = charsetIn(headers.get('content-type')) ?? charset;
  return [name, textOf(part.subarray(end + ending.length), own)];
}

const byteOrderMark = Buffer.from('\uFEFF');

/** A byte order mark at the beginning of a part is a character of it, as for every other reader. */
function textOf(bytes: Buffer, { text }: Charset): string {
  const isMarked = text === utf8.text && bytes.subarray(0, 3).equals(byteOrderMark);
  return isMarked ? `\uFEFF${text(bytes)}` : text(bytes);
}

/** Those that decide how a part is read; what else there is has no effect (RFC 7578 4.8). */
const readHeaders = new Set(['content-disposition', 'content-type', 'content-transfer-encoding']);

function headersOf(head: string): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const line of head.split(lineEnd)) {
    const [, sent, value = ''] = /^([\w!#$%&'*+.^`|~-]+):([^\0\r\n]*)$/.exec(line) ?? [];
    if (sent === undefined) throw new MalformedParameters('a part has a line that is no header');
    const name = sent.toLowerCase();
    if (!readHeaders.has(name)) continue;
    if (headers.has(name)) throw new MalformedParameters(`a part has two headers ${name}`);
    headers.set(name, value.trim());
  }
  return headers;
}

function nameIn(disposition: string): string {
  // Whether a backslash escapes what follows depends on the client (RFC 7578 2).
  const form = /^form-data[ \t]*;[ \t]*name=(?:"([^"\\]*)"|([\w!#$%&'*+.^`|~-]+))$/i;
  const [whole, quoted, plain = ''] = form.exec(disposition) ?? [];
  if (whole !== undefined) return (quoted ?? plain).replaceAll(/%(?:0A|0D|22)/gi, unescape);
  throw new MalformedParameters(
    /;[ \t]*filename/i.test(disposition)
      ? 'a part is a file, and only fields are read'
      : 'a part has no name, or more than a name',
  );
}

/** As browsers write a line break or a quote in a name (HTML, multipart/form-data encoding algorithm). */
function unescape(escaped: string): string {
  return String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
}

/** Undefined if the type names none. */
function charsetIn(type = 'text/plain'): Charset | undefined {
  const form = /^text\/plain[ \t]*(?:;[ \t]*charset=("?)([\w.:+-]+)\1)?$/i;
  const [whole, , label] = form.exec(type) ?? [];
  if (whole === undefined) throw new MalformedParameters('a part is no plain text');
  if (label === undefined) return undefined;
  const charset = charsetOf(label.toLowerCase());
  if (charset === undefined) throw new MalformedParameters('the charset of a part is not known');
  return charset;
}
