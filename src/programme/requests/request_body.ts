// Owns the body of a request: its media type, charset and size, and its decoding.

import { BoundedMap } from '../../lib/bounded_map.ts';
import { describeText, endpointRule, ownCause, ownRule } from '../../oauth/cause.ts';
import { type Charset, charsetOf, utf8 } from '../../oauth/charset.ts';
import { Refusal } from '../../oauth/failure.ts';
import {
  type JsonPaths,
  MalformedParameters,
  memberPath,
  noParameters,
  type Parameters,
  parseJsonObject,
} from '../../oauth/parameters.ts';
import { headerValues, type WireRequest } from '../../oauth/wire_request.ts';
import {
  type EndpointDefinition,
  type ParameterPlace,
  placesOf,
} from '../language/input_schema.ts';

export type BodyForm = Exclude<ParameterPlace, 'query'>;

/** The parameters of a body and its form; undefined for a body that is not read. */
export interface ReadBody {
  readonly form: BodyForm | undefined;
  readonly parameters: Parameters;
}

export type BodyReader = (request: WireRequest) => ReadBody;

export const noBody: ReadBody = { form: undefined, parameters: noParameters };

interface MediaType {
  readonly form: BodyForm;
  readonly charset: Charset;
}

const usualTypes: Readonly<Record<BodyForm, string>> = {
  form: 'application/x-www-form-urlencoded',
  json: 'application/json',
};

/** Header texts to remember, since parsing them costs time; clients send few different ones. */
const rememberedSpellings = 64;
const longestSpelling = 200;

/** A reader for the endpoint's forms of body. */
export function compileBodyReader(endpoint: EndpointDefinition): BodyReader {
  if (endpoint.read.every((place) => place === 'query')) return readStrayForm;
  const mediaType = compileMediaTypes(endpoint);
  const paths = { values: valuesOf(endpoint), objects: objectsOf(endpoint) };
  const bodiless = endpoint.read.includes('query');
  const expectedType = [...typesOf(endpoint).keys()].join(' or ');
  return (request) => {
    const { body } = request;
    const sent = headerValues(request, 'content-type');
    if (bodiless && sent.length === 0 && body.length === 0) return noBody;
    const said = mediaType(sent);
    // Some clients send a Content-Type with a GET that has no body.
    if (said === undefined && bodiless && body.length === 0) return noBody;
    if (said === undefined) {
      const [parameter, came] = ['content-type', describeTypes(sent)];
      const cause = ownCause(endpointRule('read'), expectedType, came, parameter);
      throw new Refusal('unsupported_media_type', { parameter, cause });
    }
    if (body === 'too_large') throw tooLarge();
    if (bodiless && body.length === 0) return noBody;
    return { form: said.form, parameters: decodeBody(said, body, paths) };
  };
}

/** Paths of the JSON members that are inputs. */
function valuesOf(endpoint: EndpointDefinition): ReadonlySet<string> {
  const inJson = Object.entries(endpoint.inputs).filter(([, input]) =>
    placesOf(input, endpoint).includes('json'),
  );
  return new Set(
    inJson.map(([role, { within = [], name = role }]) => memberPath([...within, name])),
  );
}

/** Paths of the JSON objects that contain inputs. */
export function objectsOf({ inputs }: EndpointDefinition): ReadonlySet<string> {
  const paths = Object.values(inputs).flatMap(({ within = [] }) =>
    within.map((_, index) => memberPath(within.slice(0, index + 1))),
  );
  return new Set(paths);
}

function tooLarge(): Refusal {
  const cause = ownCause(ownRule, 'a body of at most 64 KiB', 'a longer one');
  return new Refusal('body_too_large', { cause });
}

/** A media type and a charset, which hold no secret. */
const plainType = /^[a-z]{1,20}\/[a-z0-9.+-]{1,60}(?:; ?charset="?[a-z0-9_-]{1,20}"?)?$/i;

function describeTypes([header, another]: readonly string[]): string {
  if (header === undefined) return 'no Content-Type';
  if (another !== undefined) return 'more than one Content-Type';
  return plainType.test(header) ? header : `a Content-Type of ${describeText(header)}`;
}

/**
 * Refuses a form at an endpoint that reads no body: a secret or code in an ignored form would seem
 * accepted (HOSTILE 41, 43). Bodies of other types hold no parameters.
 */
function readStrayForm({ body, rawHeaders }: WireRequest): ReadBody {
  if (body === 'too_large') throw tooLarge();
  const [type = ''] = headerValues({ rawHeaders }, 'content-type');
  const isForm = type.split(';')[0]?.trim().toLowerCase() === usualTypes.form;
  if (!isForm || body.length === 0) return noBody;
  return { form: undefined, parameters: decodeBody(plainForm, body, noPaths) };
}

const plainForm: MediaType = { form: 'form', charset: utf8 };
const noPaths: JsonPaths = { values: new Set(), objects: new Set() };

function decodeBody({ form, charset }: MediaType, body: Uint8Array, paths: JsonPaths): Parameters {
  try {
    return form === 'json' ? parseJsonObject(charset.text(body), paths) : charset.form(body);
  } catch (error) {
    if (!(error instanceof MalformedParameters)) throw error;
    const cause = ownCause(
      endpointRule('read'),
      `a ${form} body that can be decoded`,
      error.message,
    );
    throw new Refusal('malformed_body', { cause });
  }
}

/**
 * A function from Content-Type headers to a media type that the endpoint reads, in any letter case
 * and any charset that holds ASCII (G-9, HOSTILE 44); undefined for other types.
 */
function compileMediaTypes(
  endpoint: EndpointDefinition,
): (sent: readonly string[]) => MediaType | undefined {
  const types = typesOf(endpoint);
  const spellings = new BoundedMap<string, MediaType>(rememberedSpellings);
  return ([header = '', another]) => {
    if (another !== undefined) return undefined;
    const known = types.get(header) ?? spellings.get(header);
    if (known !== undefined) return known;
    const found = parse(types, header);
    if (found !== undefined && header.length <= longestSpelling) spellings.set(header, found);
    return found;
  };
}

/** The media types that the endpoint reads, in lower case. */
export function typesOf({
  read,
  media_types: others,
}: EndpointDefinition): ReadonlyMap<string, MediaType> {
  const forms = read.filter((place) => place !== 'query');
  const formOf = (type: string): BodyForm | undefined =>
    forms.length > 1 && /[/+]json$/.test(type) ? 'json' : forms[0];
  const own = others.map((type) => [type.toLowerCase().replace(/;.*/, ''), formOf(type)] as const);
  return new Map(
    [...forms.map((form) => [usualTypes[form], form] as const), ...own].flatMap(([type, form]) =>
      form === undefined ? [] : [[type, { form, charset: utf8 }] as const],
    ),
  );
}

function parse(types: ReadonlyMap<string, MediaType>, header: string): MediaType | undefined {
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase());
  const found = types.get(type);
  const named = parameters.filter((parameter) => parameter.startsWith('charset='));
  const [label = 'utf-8', another] = new Set(
    named.map((parameter) => parameter.slice('charset='.length).replace(/^"(.*)"$/, '$1')),
  );
  const charset = found === undefined || another !== undefined ? undefined : charsetOf(label);
  return found === undefined || charset === undefined ? undefined : { form: found.form, charset };
}
