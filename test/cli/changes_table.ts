// Owns the table of docs/changes.md: what each change ends that comes between two steps of a login.

/** Whether each step goes on after the change: the page, the code, the refresh, an opaque token, a JWT. */
type Cells = readonly [
  page: boolean,
  code: boolean,
  refresh: boolean,
  opaque: boolean,
  jwt: boolean,
];

export interface Row {
  /** As the page names it. */
  readonly name: string;
  /** Command lines after `jetway`, without `--programme`; `ID` is the client, `SUBJECT` the member. */
  readonly commands?: readonly string[];
  /** Laid over the file; then `jetway reload`. */
  readonly file?: string;
  readonly goesOn: Cells;
}

const on = true;
const ends = false;
const all: Cells = [on, on, on, on, on];
const nothing: Cells = [ends, ends, ends, ends, ends];

export const rows: readonly Row[] = [
  { name: 'nothing', goesOn: all },
  {
    name: '`member disable`',
    commands: ['member disable ann'],
    goesOn: nothing,
  },
  {
    name: '`member disable`, then `enable`',
    commands: ['member disable ann', 'member enable ann'],
    goesOn: all,
  },
  { name: '`member remove`', commands: ['member remove ann --yes'], goesOn: nothing },
  {
    name: '`member set --password-stdin`',
    commands: ['member set ann --password-stdin'],
    goesOn: nothing,
  },
  {
    name: '`member set --password-stdin --keep-logins`',
    commands: ['member set ann --password-stdin --keep-logins'],
    goesOn: [ends, on, on, on, on],
  },
  {
    name: '`member set` of level, number or properties',
    commands: ['member set ann --level AUTHN-LEVEL-12 --membership-number 1234567890123456'],
    goesOn: all,
  },
  {
    name: '`client set --remove-redirect-uri`',
    commands: [
      'client set ID --add-redirect-uri https://new.example/cb --remove-redirect-uri https://blue.example/cb',
    ],
    goesOn: [ends, on, on, on, on],
  },
  {
    name: '`client set --role` without `member`',
    commands: ['client set ID --role partner'],
    goesOn: [ends, ends, ends, on, on],
  },
  { name: '`client disable`', commands: ['client disable ID'], goesOn: nothing },
  {
    name: '`client disable`, then `enable`',
    commands: ['client disable ID', 'client enable ID'],
    goesOn: all,
  },
  { name: '`client remove`', commands: ['client remove ID --yes'], goesOn: nothing },
  {
    name: '`client rotate-secret`',
    commands: ['client rotate-secret ID'],
    goesOn: all,
  },
  {
    name: '`client rotate-secret`, then `retire-secret`, for the old secret',
    commands: ['client rotate-secret ID', 'client retire-secret ID'],
    goesOn: [on, ends, ends, on, on],
  },
  {
    name: '`token revoke --client`',
    commands: ['token revoke --client ID'],
    goesOn: [on, ends, ends, ends, ends],
  },
  {
    name: '`token revoke --member`',
    commands: ['token revoke --member SUBJECT'],
    goesOn: [on, ends, ends, ends, ends],
  },
  { name: '`key rotate --now`', commands: ['key rotate --now'], goesOn: all },
  {
    name: '`key rotate --now`, then `key retire --force` of the former key',
    commands: ['key rotate --now', 'key retire --force --kid KID'],
    goesOn: [on, on, on, ends, ends],
  },
  {
    name: '`client set` of what the dialect compares with or answers',
    commands: ['client set ID --business-context Other --partner-id otherpartner'],
    goesOn: all,
  },
  { name: '`maintenance on`', commands: ['maintenance on'], goesOn: nothing },
  {
    name: 'file: the grant `refresh_token` is taken out',
    file: 'grants: { refresh_token: null }\n',
    goesOn: [on, on, ends, on, on],
  },
  {
    name: 'file: `authorize.pkce: required`',
    file: 'authorize: { pkce: required }\n',
    goesOn: all,
  },
  {
    name: 'file: shorter lifetimes',
    file: 'tokens: { access: { lifetime: 1m }, refresh: { lifetime: 1h, longest: 2h } }\n',
    goesOn: all,
  },
  {
    name: 'file: opaque tokens become JWTs, or JWTs opaque',
    file: 'FORMAT',
    goesOn: all,
  },
  {
    name: 'file: another `audience` of JWTs',
    file: 'audience: https://other.example\n',
    goesOn: [on, on, on, on, ends],
  },
];
