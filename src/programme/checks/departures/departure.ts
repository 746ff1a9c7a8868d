// Owns the form of a departure: what a dialect may do although an RFC advises against it.

import type { YamlNode } from '../../../lib/yaml/node.ts';
import type { Complaint } from '../../../schema/complaint.ts';
import type { Definition } from '../../language/definition.ts';

/** Where a definition departs; the message cites the RFC, the hint says what limits the risk. */
type Finder = (definition: Definition, document: YamlNode) => Iterable<Complaint>;

/** By the stable name of the warning, in snake_case: a new departure is a row of a group. */
export type Departures = Readonly<Record<string, Finder>>;
