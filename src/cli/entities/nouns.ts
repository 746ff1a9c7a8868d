// Owns what help says of the kinds of registered things: their names, and how one of each is named.

/** Kinds with their own verbs, by their names in the store. */
export type Noun = 'client' | 'gateway' | 'member';

export interface NounWords<N extends Noun> {
  readonly noun: N;
  /** The argument that names an item. */
  readonly argument: readonly [name: string, description: string];
  readonly example: string;
}

export const clientNoun: NounWords<'client'> = {
  noun: 'client',
  argument: ['<client-id>', 'its client identifier'],
  example: 'partnerapi-12345',
};

export const gatewayNoun: NounWords<'gateway'> = {
  noun: 'gateway',
  argument: ['<gateway-id>', 'its identifier'],
  example: 'gateway-0123456789ab',
};

export const memberNoun: NounWords<'member'> = {
  noun: 'member',
  argument: ['<username>', 'its username, or its subject'],
  example: 'ann',
};
