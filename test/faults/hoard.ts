// Owns every secret that a test has used, and finding them in whatever a server and its operator
// leave behind, in each form that a careless hand would leave them in.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Whatever may hold a secret that it should not, by a name for people. */
export type Haystacks = ReadonlyMap<string, Uint8Array>;

export class Hoard {
  readonly #secrets = new Map<string, string>();

  /** Remembers a secret, which has to be long and random enough to be in no text by chance. */
  keep(what: string, secret: string | undefined): string {
    if (secret === undefined || secret.length < 16)
      throw new Error(`${what} is no secret to search`);
    this.#secrets.set(secret, what);
    // After its last dot a token is random, or a signature.
    const end = secret.slice(secret.lastIndexOf('.') + 1);
    if (end !== secret && end.length >= 16) this.#secrets.set(end, `the end of ${what}`);
    return secret;
  }

  get size(): number {
    return this.#secrets.size;
  }

  /** What was found where, in words that hold no secret. */
  findIn(haystacks: Haystacks): string[] {
    const places = [...haystacks].map(
      ([place, { buffer, byteOffset, length }]) =>
        [place, Buffer.from(buffer, byteOffset, length)] as const,
    );
    // One look through everything; only what is in there somewhere is worth looking for in each.
    const everything = Buffer.concat(places.flatMap(([, bytes]) => [bytes, gap]));
    const found: string[] = [];
    for (const [secret, what] of this.#secrets) {
      for (const [form, needle] of formsOf(secret)) {
        if (everything.indexOf(needle) < 0) continue;
        for (const [place, bytes] of places) {
          if (bytes.includes(needle)) found.push(`${what} in ${place}, ${form}`);
        }
      }
    }
    return found;
  }
}

const gap = Buffer.alloc(1);

/** Each form of a secret that gives it away to who finds it. */
export function formsOf(secret: string): ReadonlyMap<string, Buffer> {
  const texts = new Map<string, string>([
    ['as it is', secret],
    // The end of a token is random throughout; its beginning may be the time of issue.
    ['its end', secret.slice(-16)],
    ['percent-encoded', encodeURIComponent(secret)],
    ['percent-encoded, lower case', lowerEscapes(encodeURIComponent(secret))],
    ['form-encoded', new URLSearchParams([['', secret]]).toString().slice(1)],
    ['in JSON', JSON.stringify(secret).slice(1, -1)],
    ['in HTML', secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')],
    ...encoded('', Buffer.from(secret)),
    ...encoded('percent-encoded as ', Buffer.from(encodeURIComponent(secret))),
  ]);
  const forms = new Map<string, Buffer>(
    [...texts].map(([form, text]) => [form, Buffer.from(text)]),
  );
  for (const [name, bytes] of decoded(secret)) {
    forms.set(`${name} decoded`, bytes);
    for (const [form, text] of encoded(`${name} as `, bytes)) forms.set(form, Buffer.from(text));
  }
  return forms;
}

function lowerEscapes(text: string): string {
  return text.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
}

/** Hex, and base64 wherever in a longer text the bytes may lie, as in `Basic base64(id:secret)`. */
function* encoded(prefix: string, bytes: Buffer): Generator<[string, string]> {
  yield [`${prefix}hex`, bytes.toString('hex')];
  yield [`${prefix}upper-case hex`, bytes.toString('hex').toUpperCase()];
  for (const alphabet of ['base64', 'base64url'] as const) {
    for (const before of [0, 1, 2]) {
      const text = Buffer.concat([Buffer.alloc(before), bytes]).toString(alphabet);
      const whole = Math.floor(((before + bytes.length) * 8) / 6);
      yield [
        `${prefix}${alphabet} after ${before}`,
        text.slice(before === 0 ? 0 : before + 1, whole),
      ];
    }
  }
}

/** The bytes that a token, code or key is the text of. */
function* decoded(secret: string): Generator<[string, Buffer]> {
  if (/^(?:[0-9a-f]{2}){16,}$/.test(secret)) yield ['hex', Buffer.from(secret, 'hex')];
  else if (/^[\w-]{16,}$/.test(secret)) yield ['base64url', Buffer.from(secret, 'base64url')];
}

/** The files below a folder but those of the given names, as they are at this moment. */
export function filesOf(folder: string, except: readonly string[] = []): Haystacks {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = names
    .filter((entry) => entry.isFile() && !except.includes(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));
  return new Map(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path)]));
}
