// Owns the store's contract for registered things: clients, members, gateways and signing keys.

import type { Instant } from '../lib/clock.ts';
import type { Digest } from '../lib/digest.ts';
import type { Client, ClientId, ProgrammeId } from '../oauth/client.ts';
import type { Gateway, GatewayId } from '../oauth/gateway.ts';
import type { MemberRecord, Subject } from '../oauth/member.ts';
import type { SigningKeyRecord } from '../oauth/signing_key.ts';

type ClientChange = (client: Client) => Client;

/** What operators register. Every verb is atomic; changes are pure functions that may run twice. */
export interface Registry {
  /** Adds a client unless its identifier was ever given out in this programme (C-5). */
  addClient(client: Client): Promise<'added' | 'taken'>;

  /**
   * Adds all of the clients or, if any identifier was ever given out, none. Returns those that were;
   * empty when all are added.
   */
  addClients(clients: readonly Client[]): Promise<readonly ClientId[]>;

  findClient(programme: ProgrammeId, id: ClientId): Promise<Client | undefined>;

  /**
   * The clients that hold the API key, by identifier: several where a partner has one key for all of
   * its own (C-5). Whether it is live is the caller's to judge.
   */
  findClientsByApiKey(programme: ProgrammeId, apiKey: Digest): Promise<readonly Client[]>;

  /** In order of creation. */
  listClients(programme: ProgrammeId): Promise<readonly Client[]>;

  /** Applies a pure change to the client as it stands; undefined when there is none. It may run twice. */
  changeClient(
    programme: ProgrammeId,
    id: ClientId,
    change: ClientChange,
  ): Promise<Client | undefined>;

  /** As `changeClient`, in one step for every client of any programme that holds one of the API keys. */
  changeKeyHolders(keys: readonly Digest[], change: ClientChange): Promise<readonly Client[]>;

  /**
   * Removes a client for good, with all that was issued to it; its identifier is never given out
   * again (C-5). False when there is none.
   */
  removeClient(programme: ProgrammeId, id: ClientId, now: Instant): Promise<boolean>;

  /** Adds a member unless username or subject is taken. */
  addMember(member: MemberRecord): Promise<'added' | 'taken'>;

  findMember(programme: ProgrammeId, username: string): Promise<MemberRecord | undefined>;

  findMemberBySubject(programme: ProgrammeId, subject: Subject): Promise<MemberRecord | undefined>;

  /** In order of creation. */
  listMembers(programme: ProgrammeId): Promise<readonly MemberRecord[]>;

  /**
   * Applies a pure change to the member as it stands; undefined when there is none. Rejects,
   * changing nothing, when the change takes another member's username.
   */
  changeMember(
    programme: ProgrammeId,
    subject: Subject,
    change: (member: MemberRecord) => MemberRecord,
  ): Promise<MemberRecord | undefined>;

  /** Removes a member, with all tokens of its logins. False when there is none. */
  removeMember(programme: ProgrammeId, subject: Subject): Promise<boolean>;

  /** Adds a gateway unless the programme has one of that identifier. */
  addGateway(gateway: Gateway): Promise<'added' | 'taken'>;

  findGateway(programme: ProgrammeId, id: GatewayId): Promise<Gateway | undefined>;

  /** In order of creation. */
  listGateways(programme: ProgrammeId): Promise<readonly Gateway[]>;

  /** Applies a pure change to the gateway as it stands; undefined when there is none. */
  changeGateway(
    programme: ProgrammeId,
    id: GatewayId,
    change: (gateway: Gateway) => Gateway,
  ): Promise<Gateway | undefined>;

  /** Removes a gateway: its secrets are good for nothing at once. False when there is none. */
  removeGateway(programme: ProgrammeId, id: GatewayId): Promise<boolean>;

  /** Oldest first. */
  listSigningKeys(programme: ProgrammeId): Promise<readonly SigningKeyRecord[]>;

  /**
   * Applies a pure change to all keys of a programme as they stand, in one step: those it adds are
   * added, those it leaves out removed. Resolves to the keys as they are then, oldest first. The
   * change may run twice.
   */
  changeSigningKeys(
    programme: ProgrammeId,
    change: (keys: readonly SigningKeyRecord[]) => readonly SigningKeyRecord[],
  ): Promise<readonly SigningKeyRecord[]>;

  /** Changes whenever a signing key of any programme is added, changed or removed; cheap to ask. */
  signingKeyEpoch(): Promise<number>;
}
