// Owns the sealed access tokens of tests: fields, plaintexts and texts that must never change.

import { createCipheriv, createHmac, hkdfSync } from 'node:crypto';

import { instant, milliseconds } from '../../../src/lib/clock.ts';
import type { ClientId, ProgrammeId } from '../../../src/oauth/client.ts';
import type { Era, Place } from '../../../src/oauth/grant.ts';
import type {
  Access,
  ClientAccess,
  MemberAccess,
} from '../../../src/token/sealed/access_plaintext.ts';
import { openSealingKey } from '../../../src/token/sealed/sealing_key.ts';

export const club = 'club' as ProgrammeId;
export const secret = new Uint8Array(32).fill(7);
export const key = openSealingKey(5, secret, 'staging', club);

export const member: MemberAccess = {
  kind: 'member',
  place: 891_033_063_859_250 as Place,
  generation: 7,
  loginTag: 0xab_cd_ef,
  issuedAt: instant(Date.parse('2026-01-02T03:04:05.678Z')),
  span: milliseconds(1_800_000),
};
export const client: ClientAccess = {
  kind: 'client',
  client: 'a16characters-id' as ClientId,
  issuedAt: member.issuedAt,
  span: milliseconds(3_600_000),
  counter: 0x01_02_03_04,
  era: 3 as Era,
};

/** Seals any plaintext by node's own HMAC and counter mode. */
export function sealed(letter: string, plaintext: Buffer): string {
  const derived = (use: string): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, '', `jetway token 1 ${use} staging club`, 32));
  const head = Buffer.from([key.number]);
  const hmac = createHmac('sha256', derived('mac')).update(letter).update(head).update(plaintext);
  const tag = hmac.digest().subarray(0, 16);
  const ciphertext = createCipheriv('aes-256-ctr', derived('stream'), tag).update(plaintext);
  return letter + Buffer.concat([head, tag, ciphertext]).toString('base64url');
}

/** A member's plaintext from the place to the time of issue. */
export const fixed = '032a63cd41243200000007abcdef019b7ca98f2e';

/** Token, its letter, the plaintext in hex, and the text: a promise to tokens that live. */
export const vectors: readonly (readonly [Access, string, string, string])[] = [
  [
    member,
    'm',
    '00032a63cd41243200000007abcdef019b7ca98f2e00000708',
    'mBT2qvVzEFEu4H1bZwQtj8LZZ0zBPi1HjtkWvT2a7c1KcY-TIpk0ynlL-',
  ],
  [
    { ...member, ownScope: '' },
    'm',
    '01032a63cd41243200000007abcdef019b7ca98f2e00000708',
    'mBYPbbT27FSzTvLNcmQp9d5rfD-nT6V6VZRHMyIDi8gHshkM_pu_6VVr-',
  ],
  [
    { ...member, ownScope: 'read é' },
    'm',
    '01032a63cd41243200000007abcdef019b7ca98f2e000007087265616420c3a9',
    'mBZbF0XivT_DSw13fcFBHUSChaw70g2eZt9jUnfHIqcYfdHJWdiIK-zKHiak1Qr81jA',
  ],
  [
    { ...member, span: milliseconds(1500) },
    'm',
    '02032a63cd41243200000007abcdef019b7ca98f2e00000005dc',
    'mBfnENQk3xzxLTVQI8J0aiYjd6r8s_mGxJ6vBN5IIROWA4l4ficBe0N6IkQ',
  ],
  [
    client,
    'c',
    '00019b7ca98f2e00000e100102030400000000000310613136636861726163746572732d6964',
    'cBVBiNPolCz3CFtw48MsexlNqIqF_vpUERcznVlCdq8jB2N-uT9lA3aorRShXaNACbhGpTGswYA',
  ],
  [
    { ...client, span: milliseconds(999), scope: 'read write' },
    'c',
    '03019b7ca98f2e00000003e70102030400000000000310613136636861726163746572732d696472656164207772697465',
    'cBT7jwM_6BG5zxwphb1txa75W3YwOC4Ddrv6mz_1koNyYqtutD20-mNdf4CXICGIA5GPEmy9g7PJDgCjsKxEmg00B',
  ],
  [
    { ...member, ownScope: 'read', exchangedFrom: ['a', 'b-c'] },
    'm',
    '05032a63cd41243200000007abcdef019b7ca98f2e00000708056120622d6372656164',
    'mBW4pQ-krBLQFvL99eFYfGjRtL4JuJO3J7Iohi8Dx_H9-F7RBP_FW9Vwy_a9cGiX7bA61cA',
  ],
  [
    { ...client, exchangedFrom: ['K'] },
    'c',
    '04019b7ca98f2e00000e100102030400000000000310613136636861726163746572732d6964014b',
    'cBW4-XONf3rEwSgv7iuQViECqYkuxQpIy-WtpfwqMeaNw2xnCaQ49Z4vKOxiT6Tjnj0nWkF-nOvgg',
  ],
  [
    { ...client, scope: 'read', resource: 'urn:a', exchangedFrom: ['K'] },
    'c',
    '15019b7ca98f2e00000e100102030400000000000310613136636861726163746572732d6964014b0575726e3a6172656164',
    'cBe6BExQIw35ff936DLL3_FYictwowHcLXb9sI8_tnsUPkREEChfSS7c2IH2HrwGSHZQX1oBgsJzdKW-PcSIXbyl1cg',
  ],
  [
    { ...member, ownScope: 'read', beside: 'K' },
    'm',
    '09032a63cd41243200000007abcdef019b7ca98f2e00000708014b72656164',
    'mBcG0HKXao2x5Bsn6vh-bnIhNmFKnQ_IfCGc-6T292fUbfpbqLdCZ6zQCdCJyDV33',
  ],
];

export const texts: readonly string[] = vectors.map(([, , , text]) => text);
