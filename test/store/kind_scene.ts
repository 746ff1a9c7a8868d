// Owns the items of each kind that the contract of registered things is tested with.

import { milliseconds } from '../../src/lib/clock.ts';
import { digest } from '../../src/lib/digest.ts';
import type { ClientId, ProgrammeId, GatewayId } from '../../src/oauth/client.ts';
import type { MaintainedPart } from '../../src/oauth/maintenance.ts';
import type { Subject } from '../../src/oauth/member.ts';
import type { Store } from '../../src/store/contract.ts';
import { type Id, type Item, type Kind, kinds } from '../../src/store/kinds.ts';
import { aClient, aGateway, aMember, aSigningKey, at, club } from './fixtures.ts';

/** How the tests make items of a kind. */
interface Sample<K extends Kind> {
  /** An item with all optional fields; two identifiers never share the key of a unique look-up. */
  readonly full: (id: string, programme: ProgrammeId) => Item<K>;
  /** Optional fields, which another item leaves out. */
  readonly optional: readonly (keyof Item<K>)[];
  /** A field with a text that tests may change. */
  readonly text: keyof Item<K>;
}

const samples: { readonly [K in Kind]: Sample<K> } = {
  client: {
    full: (id, programme) =>
      aClient({
        id: id as ClientId,
        programme,
        businessContext: 'Travel',
        partnerId: 'PARTNER01',
        origins: [`https://${encodeURIComponent(id)}.example`],
        certificates: [{ thumbprint: digest(`certificate of ${id}`), expiresAt: at(3) }],
        certificateSubject: 'CN=partner',
        assertionKeys: {
          keys: [{ thumbprint: digest(`key of ${id}`), kid: 'é', jwk: { kty: 'EC' } }],
        },
        signingSecrets: [
          { digest: digest(`signing secret of ${id}`), sealed: `sealed ${id}`, createdAt: at(4) },
        ],
      }),
    optional: [
      'throttle',
      'businessContext',
      'partnerId',
      'origins',
      'certificates',
      'certificateSubject',
      'assertionKeys',
      'signingSecrets',
    ],
    text: 'name',
  },
  member: {
    full: (id, programme) =>
      aMember({ subject: id as Subject, programme, username: `zoë of ${id}` }),
    optional: ['level', 'membershipNumber', 'properties'],
    text: 'passwordHash',
  },
  gateway: {
    full: (id, programme) => aGateway({ id: id as GatewayId, programme }),
    optional: [],
    text: 'name',
  },
  signing_key: {
    full: (id, programme) => {
      const longestToken = milliseconds(600_000);
      const times = { signsFrom: at(1), longestToken, signedUntil: at(2) };
      return aSigningKey(id, { programme, ...times });
    },
    optional: ['signsFrom', 'longestToken', 'signedUntil'],
    text: 'publicJwk',
  },
  identity_key: {
    full: (id, programme) => {
      const longestToken = milliseconds(600_000);
      const times = { signsFrom: at(1), longestToken, signedUntil: at(2) };
      return aSigningKey(id, { programme, ...times });
    },
    optional: ['signsFrom', 'longestToken', 'signedUntil'],
    text: 'publicJwk',
  },
  token_key: {
    full: (id, programme) => ({
      programme,
      kid: id,
      sealedKey: `sealed ${id}`,
      createdAt: at(0),
      signsFrom: at(1),
      longestToken: milliseconds(600_000),
      ended: true,
    }),
    optional: ['ended'],
    text: 'sealedKey',
  },
  maintenance: {
    full: (part, programme) => ({
      programme,
      part: part as MaintainedPart,
      createdAt: at(0),
      retryAfter: milliseconds(60_000),
    }),
    optional: [],
    text: 'createdAt',
  },
  audit_stream: {
    full: (stream, programme) => ({ programme, stream, createdAt: at(0), seq: 7, mac: 'mac' }),
    optional: [],
    text: 'mac',
  },
};

/** The items of a kind, and short names for the verbs about them. */
export class Scene<K extends Kind> {
  readonly kind: K;
  readonly #sample: Sample<K>;

  constructor(kind: K) {
    this.kind = kind;
    this.#sample = samples[kind];
  }

  item(id: string, programme = club): Item<K> {
    return this.#sample.full(id, programme);
  }

  bare(id: string): Item<K> {
    const left: readonly PropertyKey[] = this.#sample.optional;
    const fields = Object.entries(this.item(id)).filter(([name]) => !left.includes(name));
    return Object.fromEntries(fields) as unknown as Item<K>;
  }

  items(...ids: string[]): Item<K>[] {
    return ids.map((id) => this.item(id));
  }

  marked(item: Item<K>, mark: string): Item<K> {
    return { ...item, [this.#sample.text]: `${this.textOf(item)} ${mark}` };
  }

  textOf(item: Item<K> | undefined): string {
    return String(item?.[this.#sample.text]);
  }

  id(id: string): Id<K> {
    return id;
  }

  async find(store: Store, id: string, programme = club): Promise<Item<K> | undefined> {
    return store.find(this.kind, programme, this.id(id));
  }

  async listed(store: Store, programme = club): Promise<readonly string[]> {
    return (await store.list(this.kind, programme)).map(kinds[this.kind].idOf);
  }

  change(
    store: Store,
    id: string,
    change: (item: Item<K>) => Item<K>,
  ): Promise<Item<K> | undefined> {
    return store.change(this.kind, club, this.id(id), change);
  }

  remove(store: Store, id: string, programme = club): Promise<boolean> {
    return store.remove(this.kind, programme, this.id(id), at(5));
  }
}
