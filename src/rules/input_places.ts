// Owns the checks of where inputs are read: each place is one that the endpoint reads, no two inputs
// share one, and names fit the form of the body.

import { isXmlName } from '../language/encoding.ts';
import {
  type EndpointDefinition,
  type InputDefinition,
  placesOf,
} from '../language/input_schema.ts';
import type { Path } from '../lib/fault.ts';
import { memberPath } from '../oauth/parameters.ts';
import { attributeMark } from '../oauth/xml_parameters.ts';
import { type Complaint, wrong } from '../schema/complaint.ts';

export function* inputPlaceComplaints(at: Path, endpoint: EndpointDefinition): Iterable<Complaint> {
  yield* nameComplaints(at, endpoint);
  yield* wrong([
    endpoint.root !== undefined && !endpoint.read.includes('xml'),
    [...at, 'root'],
    'this endpoint reads no XML',
    'add xml to read',
  ]);
  for (const [role, input] of Object.entries(endpoint.inputs)) {
    const inputAt = [...at, 'inputs', role];
    yield* placeComplaints(inputAt, input, endpoint);
    yield* memberComplaints(inputAt, role, input, endpoint);
  }
}

/** Inputs that are read from one place under one name. */
function* nameComplaints(at: Path, endpoint: EndpointDefinition): Iterable<Complaint> {
  const seen = new Map<string, string>();
  for (const [role, input] of Object.entries(endpoint.inputs)) {
    const path = wirePath(role, input);
    const name = path.join('.');
    for (const place of placesOf(input, endpoint)) {
      // Joined by dots, the member `a.b` would pass for `b` in `a`.
      const key = `${place} ${place === 'header' ? name.toLowerCase() : memberPath(path)}`;
      const other = seen.get(key);
      if (other !== undefined && other !== role) {
        yield [[...at, 'inputs', role], `"${other}" is read from the ${place} "${name}" already`];
      }
      seen.set(key, role);
    }
  }
}

function wirePath(
  role: string,
  { within = [], name = role, attribute }: InputDefinition,
): readonly string[] {
  return [...within, attribute === true ? attributeMark + name : name];
}

/** RFC 9110 7.2, 7.6.1, 8.6, 10.1.1. */
const connectionHeaders =
  /^(?:connection|content-length|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;

function* placeComplaints(
  at: Path,
  input: InputDefinition,
  endpoint: EndpointDefinition,
): Iterable<Complaint> {
  const { in: place, name = at.at(-1) } = input;
  const isInBody = place === 'form' || place === 'json' || place === 'xml';
  if (isInBody && !endpoint.read.includes(place)) {
    const bodies = endpoint.read.filter((one) => one !== 'query').join(' or ');
    const reads = bodies === '' ? 'no body' : `its body as ${bodies}`;
    yield [[...at, 'in'], `this endpoint reads ${reads}, so no input can be read as ${place}`];
  }
  const header = place === 'header' ? String(name) : '';
  yield* wrong(
    [
      /^cookie$/i.test(header),
      [...at, 'name'],
      "this header has all cookies, those of Jetway's login page too",
      'read one of them: in: cookie',
    ],
    [
      connectionHeaders.test(header),
      [...at, 'name'],
      `${header} is a header of the connection, which proxies set, change and remove`,
      'name another one',
    ],
  );
}

/** Of JSON members, elements and attributes. */
function* memberComplaints(
  at: Path,
  role: string,
  { within, attribute, ...input }: InputDefinition,
  endpoint: EndpointDefinition,
): Iterable<Complaint> {
  const places = placesOf(input, endpoint);
  const names = places.includes('xml') ? [...(within ?? []), input.name ?? role] : [];
  const odd = names.find((name) => !isXmlName(name) || name.includes(':'));
  yield* wrong(
    [
      odd !== undefined,
      [...at, ...(odd === (input.name ?? role) ? ['name'] : ['within'])],
      `"${odd}" cannot name an element or attribute of XML`,
      'prefixes are not compared: leave them out',
    ],
    [
      attribute === true && places.some((one) => one !== 'xml'),
      [...at, 'attribute'],
      'only XML has attributes',
      'add in: xml',
    ],
  );
  if (within === undefined) return;
  if (places.some((one) => one !== 'json' && one !== 'xml')) {
    yield [
      [...at, 'within'],
      'only members of a JSON body and elements of XML lie in others',
      'add in: json',
    ];
  }
  const outer = memberPath([...within, '']);
  const text = Object.entries(endpoint.inputs).find(([otherRole, other]) => {
    const isMember = placesOf(other, endpoint).some((one) => one === 'json' || one === 'xml');
    const otherPath = memberPath([...wirePath(otherRole, other), '']);
    // A text of XML can have attributes.
    return isMember && outer.startsWith(otherPath) && !(attribute === true && outer === otherPath);
  });
  if (text !== undefined) {
    yield [[...at, 'within'], `what is an object here is the text "${text[0]}" already`];
  }
}
