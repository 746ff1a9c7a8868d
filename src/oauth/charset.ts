// Owns the charsets of a body: those that contain ASCII unchanged, decoded strictly (G-9).

import { isAscii } from 'node:buffer';

import { MalformedParameters, type Parameters, parseForm } from './parameters.ts';

/** Decodes the bytes of a body. Both functions throw `MalformedParameters`. */
export interface Charset {
  readonly text: (bytes: Uint8Array) => string;
  /** Parameters of a form whose percent-decoded bytes are in this charset. */
  readonly form: (bytes: Uint8Array) => Parameters;
}

export const utf8: Charset = utf8Charset();

function utf8Charset(): Charset {
  // Libraries of Windows begin a body with a byte order mark, which is no part of it (RFC 8259 8.1).
  const text = strictly(new TextDecoder('utf-8', { fatal: true }));
  return { text, form: (bytes) => parseForm(text(bytes)) };
}

/** Charsets by the labels of requests so far; no more than the labels that `TextDecoder` knows. */
const known = new Map<string, Charset>();

/** The charset of a label in lower case; undefined where there is none, or it changes ASCII. */
export function charsetOf(label: string): Charset | undefined {
  const charset = known.get(label) ?? newCharset(label);
  if (charset !== undefined) known.set(label, charset);
  return charset;
}

const visible = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('');

function newCharset(label: string): Charset | undefined {
  const decoder = decoderOf(webLabel(label));
  if (decoder === undefined) return asciiOnly.test(label) ? asciiCharset : undefined;
  if (decoder.encoding === 'utf-8') return utf8;
  const text = strictly(decoder);
  const decodePart = (part: string): string => text(bytesOf(part));
  return {
    text,
    // One character for each byte: the separators of parameters are ASCII in all these charsets.
    form: (bytes) => parseForm(Buffer.from(bytes).toString('latin1'), decodePart),
  };
}

/** Java's own name of a charset as `TextDecoder` knows it: `ISO8859_15`, `8859_1`, `EUC_JP`. */
function webLabel(label: string): string {
  return label.replace(/^(?:iso)?8859_/, 'iso-8859-').replace(/^euc_/, 'euc-');
}

/** Charsets that contain ASCII and that `TextDecoder` lacks: only ASCII is accepted in them. */
const asciiOnly = /^(?:(?:cp|ibm)(?:437|737|775|85[02578]|86[0-59])|iso646-us|x-macroman)$/;

const asciiCharset: Charset = {
  text: asciiText,
  form: (bytes) => parseForm(asciiText(bytes), (part) => asciiText(bytesOf(part))),
};

function asciiText(bytes: Uint8Array): string {
  if (isAscii(bytes)) return utf8.text(bytes);
  throw new MalformedParameters('the body is not ASCII, and its charset is not known further');
}

/** HOSTILE 44: bytes of UTF-16 or UTF-32 hold separators that their sender did not write. */
function decoderOf(label: string): TextDecoder | undefined {
  try {
    const decoder = new TextDecoder(label, { fatal: true, ignoreBOM: true });
    return decoder.decode(Buffer.from(visible)) === visible ? decoder : undefined;
  } catch {
    // There is no such charset, or it changes ASCII.
    return undefined;
  }
}

function strictly(decoder: TextDecoder): Charset['text'] {
  return (bytes) => {
    try {
      return decoder.decode(bytes);
    } catch {
      throw new MalformedParameters(`the body is not ${decoder.encoding}`);
    }
  };
}

function bytesOf(part: string): Uint8Array {
  if (/%(?![0-9A-Fa-f]{2})/.test(part)) {
    throw new MalformedParameters('a parameter is not percent-encoded');
  }
  // Byte by byte: a replacement for each plus and each escape costs ten times as much (HOSTILE 84).
  const bytes = Buffer.from(part, 'latin1');
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const sent = bytes[at] ?? 0;
    const escaped = sent === percent ? Number.parseInt(part.slice(at + 1, at + 3), 16) : undefined;
    if (escaped !== undefined) at += 2;
    bytes[length] = escaped ?? (sent === plus ? space : sent);
    length += 1;
  }
  return bytes.subarray(0, length);
}

const [percent, plus, space] = [0x25, 0x2b, 0x20];
