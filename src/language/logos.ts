// Owns the logos of a login page: safety checks and served form. The caller reads the files.

import { hash } from 'node:crypto';

import type { Fault, Path } from '../lib/fault.ts';
import { UnreadableFile } from '../lib/read_file.ts';
import type { YamlNode } from '../lib/yaml/node.ts';
import { toError, toWarning } from '../schema/faults.ts';
import type { Definition } from './definition.ts';

/** A picture of the page, as it is served. */
export interface Logo {
  readonly bytes: Uint8Array;
  readonly type: 'image/svg+xml' | 'image/png';
  /** Contains a digest of the content, so that browsers may cache the file for ever. */
  readonly fileName: string;
  /** Whether it has its own colours for dark pages; other logos get a light background there. */
  readonly adapts: boolean;
}

/** A page with its style and its logo stays under 20 KB. */
const maxLogoBytes = 10_000;

/** Logos by their names in the programme file. */
export type Logos = ReadonlyMap<string, Logo>;

/** Reads a file beside the programme file; throws `UnreadableFile`. */
export type ReadBeside = (name: string, maxBytes: number) => Uint8Array;

/**
 * Reads a programme's logos: an error for each unfit logo, a warning for pairs that are too large.
 */
export function readLogos(
  definition: Definition,
  document: YamlNode,
  read: ReadBeside,
): { readonly logos: Logos; readonly faults: readonly Fault[] } {
  const logos = new Map<string, Logo>();
  const faults: Fault[] = [];
  for (const [path, name] of logosNamed(definition)) {
    try {
      logos.set(name, toLogo(name, read(name, maxLogoBytes)));
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      const message = `the logo "${name}" ${error.message}`;
      faults.push(toError(document, [path, message, logoHint]));
    }
  }
  return { logos, faults: [...faults, ...heavyPairs(definition, document, logos)] };
}

const logoHint = `a logo is an SVG or PNG file of at most ${maxLogoBytes} bytes, in the folder of the programme file`;

/** Brands whose logo is too large together with the programme's: the page shows both. */
function heavyPairs(definition: Definition, document: YamlNode, logos: Logos): readonly Fault[] {
  const own = logos.get(definition.login.logo ?? '');
  return logosNamed(definition).flatMap(([path, name]) => {
    const partners = logos.get(name);
    if (own === undefined || partners === undefined || partners === own) return [];
    const bytes = own.bytes.length + partners.bytes.length;
    if (bytes <= maxLogoBytes) return [];
    const message = `the page shows this logo beside the programme's, ${bytes} bytes together, and weighs over 20 KB`;
    const hint = `up to ${maxLogoBytes} bytes together it does not`;
    return toWarning('heavy_logos', document, [path, message, hint]);
  });
}

function logosNamed({ login }: Definition): readonly (readonly [Path, string])[] {
  const brands = Object.entries(login.brands).map(
    ([brand, { logo }]) => [['login', 'brands', brand, 'logo'], logo] as const,
  );
  return [[['login', 'logo'], login.logo] as const, ...brands].flatMap(([path, name]) =>
    name === undefined ? [] : [[path, name] as const],
  );
}

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** SVG content that runs a script or loads from another address. */
const unfit = [
  '<!DOCTYPE',
  '<!ENTITY',
  String.raw`<\?xml-stylesheet`,
  String.raw`<(?:[\w.-]+:)?(?:script|foreignObject|handler)\b`,
  String.raw`\son\w+\s*=`,
  String.raw`\bhref\s*=(?!\s*["']?(?:#|data:image\/))`,
  String.raw`\battributeName\s*=\s*["']?\s*(?:[\w.-]+:)?(?:href|on\w)`,
  'javascript:',
  '@import',
  String.raw`\burl\((?!\s*["']?#)`,
  String.raw`\b(?:image-set|src)\(`,
];
const unfitForSvg = new RegExp(unfit.join('|'), 'i');

/** Character references of XML, and escapes of CSS. */
const escapes = /&#(?:x([\dA-F]+)|(\d+));?|\\([\dA-F]{1,6})\s?/gi;

/** The text as browsers decode it: an escaped `url(` must be found too. */
function withoutEscapes(text: string): string {
  return text.replaceAll(escapes, (_, hex?: string, decimal?: string, css?: string) => {
    const code = decimal === undefined ? parseInt(hex ?? css ?? '', 16) : Number(decimal);
    return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : ' ';
  });
}

function toLogo(name: string, bytes: Uint8Array): Logo {
  const digest = hash('sha256', bytes, 'base64url').slice(0, 22);
  if (name.endsWith('.png')) {
    if (!pngSignature.equals(bytes.subarray(0, pngSignature.length))) {
      throw new UnreadableFile('is not a PNG picture');
    }
    return { bytes, type: 'image/png', fileName: `${digest}.png`, adapts: false };
  }
  const text = Buffer.from(bytes).toString('utf8');
  if (!/^\uFEFF?\s*(?:<\?xml[^>]*\?>)?\s*<svg[\s>]/.test(text.replaceAll(/<!--[^]*?-->/g, ''))) {
    throw new UnreadableFile('is not an SVG picture');
  }
  const found = unfitForSvg.exec(withoutEscapes(text))?.[0];
  if (found !== undefined) {
    throw new UnreadableFile(`holds "${found.trim()}": a logo runs and loads nothing`);
  }
  const adapts = /@media[^{]*prefers-color-scheme/.test(text);
  return { bytes, type: 'image/svg+xml', fileName: `${digest}.svg`, adapts };
}
