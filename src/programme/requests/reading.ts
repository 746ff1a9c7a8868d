// Owns what an endpoint reads, as rows: methods, media types, the treatment of odd parameters, and inputs; and
// reading the parameters of a body by them.

import type { EndpointDefinition, ParameterPlace, Place } from '../../language/input_schema.ts';
import { BoundedMap } from '../../lib/bounded_map.ts';
import { present } from '../../lib/present.ts';
import { parseMultipart } from '../../oauth/bodies/multipart_parameters.ts';
import { parseXml } from '../../oauth/bodies/xml_parameters.ts';
import { describeText, endpointRule, ownCause, ownRule } from '../../oauth/cause.ts';
import { type Charset, charsetOf, utf8 } from '../../oauth/charset.ts';
import { Refusal } from '../../oauth/failure.ts';
import {
  type BodyPaths,
  MalformedParameters,
  memberPath,
  noParameters,
  type Parameters,
  parseJsonObject,
} from '../../oauth/parameters.ts';
import { headerValues, type WireRequest } from '../../oauth/wire_request.ts';
import type { RequestKind } from './grant_places.ts';
import type { Input } from './inputs.ts';

export interface Reading<Reason = Input['whenMissing']> extends Pick<
  EndpointDefinition,
  'path' | 'methods' | 'read' | 'root' | 'repeated' | 'unknown' | 'empty'
> {
  /** The types of a body that is read; empty if none is. */
  readonly mediaTypes: readonly (readonly [type: string, form: BodyForm])[];
  /** The kinds of request that the endpoint answers. */
  readonly kinds: readonly RequestKind[];
  readonly inputs: readonly Input<Reason>[];
}

export function compileReading<Reason>(
  endpoint: EndpointDefinition,
  inputs: readonly Input<Reason>[],
  kinds: readonly RequestKind[],
): Reading<Reason> {
  const { path, methods, root, repeated, unknown, empty, read } = endpoint;
  const isBodiless = read.every((place) => place === 'query');
  const types = isBodiless ? [] : [...typesOf(endpoint)];
  return {
    path,
    methods,
    read,
    mediaTypes: types.map(([type, { form }]) => [type, form]),
    ...present({ root }),
    repeated,
    unknown,
    empty,
    kinds,
    inputs,
  };
}

/** Whether a request can hold one value that is both. */
export function isReadAlike(
  one: Pick<Input, 'inHeader' | 'wireName' | 'key' | 'places'>,
  other: Pick<Input, 'inHeader' | 'wireName' | 'key' | 'places'>,
): boolean {
  const isNamed = one.inHeader ? one.wireName === other.wireName : one.key === other.key;
  return isNamed && one.places.some((place) => other.places.includes(place));
}

export type BodyForm = Exclude<ParameterPlace, 'query'>;

export function isBodyForm(place: Place): place is BodyForm {
  return Object.hasOwn(usualTypes, place);
}

/** The parameters of a body and its form; undefined for a body that is not read. */
export interface ReadBody {
  readonly form: BodyForm | undefined;
  readonly parameters: Parameters;
}

export type BodyReader = (request: WireRequest) => ReadBody;

export const noBody: ReadBody = { form: undefined, parameters: noParameters };

interface MediaType {
  readonly form: BodyForm;
  /** Absent where the type names none. */
  readonly charset?: Charset;
  /** Of multipart bodies. */
  readonly boundary?: string;
}

const usualTypes: Readonly<Record<BodyForm, readonly string[]>> = {
  form: ['application/x-www-form-urlencoded'],
  multipart: ['multipart/form-data'],
  json: ['application/json'],
  xml: ['application/xml', 'text/xml'],
};

/** Header texts to remember, since parsing them costs time; clients send few different ones. */
const rememberedSpellings = 64;
const longestSpelling = 200;

/** A reader for the endpoint's forms of body. */
export function compileBodyReader(
  endpoint: EndpointDefinition,
  inputs: readonly Pick<Input<unknown>, 'places' | 'key' | 'between'>[],
): BodyReader {
  if (endpoint.read.every((place) => place === 'query')) return readStrayForm;
  const mediaType = compileMediaTypes(endpoint);
  const objects = objectsOf(endpoint);
  const read = endpoint.read.map((form) => {
    const values = inputs.filter(({ places }) => places.includes(form));
    return [
      form,
      { values: new Map(values.map(({ key, between }) => [key, between])), objects },
    ] as const;
  });
  const paths: ReadonlyMap<ParameterPlace, BodyPaths> = new Map(read);
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
    return {
      form: said.form,
      parameters: decodeBody(said, body, paths.get(said.form) ?? noPaths, endpoint.root),
    };
  };
}

/** Paths of the objects, or elements of XML, that contain inputs. */
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
  const isForm = usualTypes.form.includes(type.split(';')[0]?.trim().toLowerCase() ?? '');
  if (!isForm || body.length === 0) return noBody;
  return { form: undefined, parameters: decodeBody(plainForm, body, noPaths) };
}

const plainForm: MediaType = { form: 'form' };
const noPaths: BodyPaths = { values: new Map(), objects: new Set() };

function decodeBody(
  { form, charset, boundary }: MediaType,
  body: Uint8Array,
  paths: BodyPaths,
  root?: string,
): Parameters {
  try {
    if (form === 'xml') return parseXml(body, charset, paths, root);
    if (form === 'multipart') return parseMultipart(body, boundary, charset);
    const { text, form: parse } = charset ?? utf8;
    return form === 'json' ? parseJsonObject(text(body), paths) : parse(body);
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
    // Clients draw a boundary for each request.
    const isUsual = found?.form !== 'multipart' && header.length <= longestSpelling;
    if (found !== undefined && isUsual) spellings.set(header, found);
    return found;
  };
}

/** The types of body that an endpoint is asked by; one of them is none at all, where it reads the query. */
export function bodyTypes(endpoint: EndpointDefinition): readonly (string | undefined)[] {
  return [
    ...(endpoint.read.includes('query') ? [undefined] : []),
    ...(endpoint.read.every((place) => place === 'query') ? [] : typesOf(endpoint).keys()),
  ];
}

/** Tests whether a request has a body of such a type. */
export function compileTypeTest(
  endpoint: EndpointDefinition,
): (request: Pick<WireRequest, 'rawHeaders' | 'body'>) => boolean {
  const types = bodyTypes(endpoint);
  const isBodiless = types.includes(undefined);
  const mediaType =
    types.length > Number(isBodiless) ? compileMediaTypes(endpoint) : () => undefined;
  return ({ rawHeaders, body }) => {
    const sent = headerValues({ rawHeaders }, 'content-type');
    if (sent.length > 0) return mediaType(sent) !== undefined;
    return isBodiless && body.length === 0;
  };
}

/** The media types that the endpoint reads, in lower case. */
function typesOf({
  read,
  media_types: others,
}: EndpointDefinition): ReadonlyMap<string, MediaType> {
  const forms = read.filter((place) => place !== 'query');
  const named = forms.filter((form) => form !== 'multipart');
  const formOf = (type: string): BodyForm | undefined =>
    named.find((form) => type.endsWith(form)) ?? named[0];
  const own = others.map((type) => [type.toLowerCase().replace(/;.*/, ''), formOf(type)] as const);
  return new Map(
    [
      ...forms.flatMap((form) => usualTypes[form].map((type) => [type, form] as const)),
      ...own,
    ].flatMap(([type, form]) => (form === undefined ? [] : [[type, { form }] as const])),
  );
}

/** Characters. Each parameter of a type costs time (HOSTILE 84). */
const longestType = 1024;

function parse(types: ReadonlyMap<string, MediaType>, header: string): MediaType | undefined {
  if (header.length > longestType) return undefined;
  const [sent = '', ...parameters] = header.split(';').map((part) => part.trim());
  const type = sent.toLowerCase();
  // RFC 7303 4.2: what ends with +xml can be read as XML.
  const xml = type.endsWith('+xml') ? types.get('text/xml') : undefined;
  const found = types.get(type) ?? (xml?.form === 'xml' ? xml : undefined);
  if (found === undefined) return undefined;
  const [label, another] = new Set(
    named(parameters, 'charset').map((value) => value.toLowerCase()),
  );
  if (another !== undefined) return undefined;
  const [boundary, second] = found.form === 'multipart' ? named(parameters, 'boundary') : [];
  const { form } = found;
  const whole = boundary === undefined || second !== undefined ? { form } : { form, boundary };
  if (label === undefined) return whole;
  const charset = charsetOf(label);
  return charset && { ...whole, charset };
}

/** The values of the parameters of that name, without quotes. */
function named(parameters: readonly string[], name: string): readonly string[] {
  const begin = `${name}=`;
  return parameters
    .filter((parameter) => parameter.toLowerCase().startsWith(begin))
    .map((parameter) => parameter.slice(begin.length).replace(/^"(.*)"$/, '$1'));
}
