// Owns gateways in the file store, each kept whole as JSON.

import type { DatabaseSync } from 'node:sqlite';

import type { Gateway } from '../../oauth/gateway.ts';
import type { Store } from '../contract.ts';
import { sameGateway } from '../judgement.ts';
import type { CommitQueue } from './commits/commit_queue.ts';
import { expectSum, rowSum } from './sums.ts';

type GatewayVerbs = Pick<
  Store,
  'addGateway' | 'findGateway' | 'listGateways' | 'changeGateway' | 'removeGateway'
>;

/** The gateways' verbs. */
export function fileGateways(database: DatabaseSync, queue: CommitQueue): GatewayVerbs {
  const { find, list, add, change, remove } = gatewayRows(database);
  return {
    addGateway: (gateway) => queue.write(() => (add(gateway) ? 'added' : 'taken')),
    findGateway: (programme, id) => queue.read(() => find(programme, id)),
    listGateways: (programme) => queue.read(() => list(programme)),
    changeGateway: (programme, id, alter) =>
      queue.writeFromReserve(() => {
        const before = find(programme, id);
        return before && change(sameGateway(before, alter(before)));
      }),
    removeGateway: (programme, id) => queue.writeFromReserve(() => remove(programme, id)),
  };
}

interface Row {
  readonly programme: string;
  readonly id: string;
  readonly record: string;
  readonly sum: number;
}

interface GatewayRows {
  readonly find: (programme: string, id: string) => Gateway | undefined;
  readonly list: (programme: string) => readonly Gateway[];
  /** False when the identifier is taken. */
  readonly add: (gateway: Gateway) => boolean;
  readonly change: (after: Gateway) => Gateway;
  /** False when there is none. */
  readonly remove: (programme: string, id: string) => boolean;
}

function gatewayRows(database: DatabaseSync): GatewayRows {
  const columns = 'programme, id, record, sum';
  const from = `SELECT ${columns} FROM gateway WHERE programme = ?`;
  const select = database.prepare(`${from} AND id = ?`);
  const all = database.prepare(`${from} ORDER BY position`);
  const insert = database.prepare(
    `INSERT INTO gateway (${columns}) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const update = database.prepare(
    'UPDATE gateway SET record = ?, sum = ? WHERE programme = ? AND id = ?',
  );
  const drop = database.prepare('DELETE FROM gateway WHERE programme = ? AND id = ?');
  return {
    find: (programme, id) => {
      const row = select.get(programme, id) as Row | undefined;
      return row && gatewayOf(row);
    },
    list: (programme) => (all.all(programme) as unknown as Row[]).map(gatewayOf),
    add: (gateway) => {
      const values = [gateway.programme, gateway.id, JSON.stringify(gateway)];
      return insert.run(...values, rowSum(values)).changes === 1;
    },
    change: (after) => {
      const { programme, id } = after;
      const record = JSON.stringify(after);
      update.run(record, rowSum([programme, id, record]), programme, id);
      return JSON.parse(record) as Gateway;
    },
    remove: (programme, id) => drop.run(programme, id).changes === 1,
  };
}

function gatewayOf({ programme, id, record, sum }: Row): Gateway {
  expectSum('gateway', sum, [programme, id, record]);
  return JSON.parse(record) as Gateway;
}
