// Owns which procedures of the handbook run in a machine, in which order, and what a person does between
// their lines: a file put there, an editor used, an identifier copied. Those that do not run say why.

/** A line of shell for the machine, whose functions stand in `helpers`. */
type Shell = string;

export interface Step {
  /** As `sectionsOf` names it. */
  readonly section: string;
  /** What a person has or does before the first line of each run. */
  readonly before?: Shell;
  /** Values in place of those that the page tells to put there; a shell's words are allowed. */
  readonly fill?: readonly (readonly [string, string])[];
  /** Whether blocks of YAML are keys of the configuration, though none names it. */
  readonly configuration?: true;
  /** What is typed into the commands. */
  readonly input?: string;
  /** Words of the commands that may end otherwise than with 0: in both runs, or in the second alone. */
  readonly refusals?: readonly RegExp[];
  readonly again?: readonly RegExp[];
  /** What is done before the last block. */
  readonly between?: Shell;
  /** A procedure that this one ends with. */
  readonly endsWith?: string;
  /** What holds after each run. */
  readonly after?: Shell;
}

/** What stands for a person's eyes and hands. */
export const helpers: Shell = `
export JETWAY_CONFIG=/etc/jetway/config.yaml SYSTEMD_PAGER=cat
as() { runuser -u jetway -- jetway "$@"; }
# until COMMAND... waits until it ends with 0.
until_so() {
  local end=$((SECONDS + 60))
  while [ $SECONDS -lt $end ]; do
    if "$@" >/dev/null 2>&1; then return 0; fi
    sleep 0.2
  done
  "$@"
}
well() { until_so as healthcheck; }
# serves URL...: a login page without parameters is 400.
serves() {
  local code
  code=$(curl -sS -o /dev/null -w '%{http_code}' "$@")
  [ "$code" = 400 ] || { echo "answered $code: $*"; return 1; }
}
through() {
  serves --cacert /root/authority.pem --resolve "tokens.example.com:443:$1" https://tokens.example.com/executive-club/login
}
client() { as client list --json | jq -r '[.[] | select(.name == "Some Partner" or .name == "New Name")][-1].client_id'; }
harbour() { serves http://127.0.0.1:8080/harbour/auth/login; }
# ill: asks for a token, which has to be written down.
ill() {
  curl -sS -o /dev/null -u "$1:$2" -d grant_type=client_credentials http://127.0.0.1:8080/executive-club/api/grant
  ! as healthcheck || as healthcheck | grep -q 'no space left'
}
waits() { systemctl show -p StatusText jetway | grep -q 'waiting for it'; }
set_key() { sed -i "/^$1:/d" /etc/jetway/config.yaml && printf '%s: %s\n' "$1" "$2" >>/etc/jetway/config.yaml; }
database() {
  pg_lsclusters -h | grep -q ' handbook ' && return
  pg_createcluster 15 handbook -p 5439 -- --auth-host=scram-sha-256 >/dev/null
  pg_ctlcluster 15 handbook start
  echo "CREATE ROLE jetway LOGIN PASSWORD 'of the handbook'; CREATE DATABASE jetway OWNER jetway" |
    tr ';' '\\n' | sed 's/$/;/' | su postgres -c 'psql -q -p 5439'
}
# merge puts the keys of /root/keys in place of those that the configuration has.
merge() {
  local key
  for key in $(grep -o '^[a-z_]*:' /root/keys | tr -d :); do
    perl -0pi -e "s/^$key:.*\\n(?: .*\\n)*//m" /etc/jetway/config.yaml
  done
  grep -v '^#' /root/keys >>/etc/jetway/config.yaml
}
systemctl() {
  case "$1 $2" in
    'edit '*.*) unit "$2" </root/unit.ini ;;
    'edit '*) unit "$2.service" </root/unit.ini ;;
    *) command systemctl "$@" ;;
  esac
}
gateway_of_nginx() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj '/CN=api.airline.example' \
    -keyout /etc/nginx/api.airline.example.key -out /etc/nginx/api.airline.example.pem 2>/dev/null
}
refused_by_gateway() {
  curl -sSk --resolve api.airline.example:443:127.0.0.1 -o /dev/null -w '%{http_code}' https://api.airline.example/executive-club/prices | grep -E '^40[013]$'
}
editor() { printf '# Changed.\\n' >>"$1"; }
# unit NAME: what systemctl edit would have written, from standard input.
unit() { mkdir -p "/etc/systemd/system/$1.d" && cat >"/etc/systemd/system/$1.d/override.conf" && systemctl daemon-reload; }
`;

const client = ['CLIENT=partnerapi-12345', 'CLIENT=$(client)'] as const;

/** Keys and certificates for a name, by an authority that `through` believes. */
const certificate: Shell = `
cd /root
[ -e authority.pem ] || openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
  -subj '/CN=An authority' -keyout authority.key -out authority.pem 2>/dev/null
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj '/CN=tokens.example.com' \
  -CA authority.pem -CAkey authority.key -addext subjectAltName=DNS:tokens.example.com \
  -keyout new-key.pem -out new-certificate.pem 2>/dev/null
`;

export const steps: readonly Step[] = [
  {
    section: 'install: On Debian',
    before: 'cd /opt/release',
    configuration: true,
    after: 'well && serves http://127.0.0.1:8080/executive-club/login',
  },
  { section: 'watch: Health', after: 'well' },
  { section: 'back_up: Back up each night', after: 'systemctl is-enabled jetway-backup.timer' },
  { section: 'tls: What every proxy has to do', after: 'well' },
  {
    section: 'tls: nginx',
    // With the gateway of the API beside it, as its page has it.
    before: `${certificate}
install -m 600 new-key.pem /etc/nginx/tokens.example.com.key
install -m 644 new-certificate.pem /etc/nginx/tokens.example.com.pem
gateway_of_nginx
systemctl start nginx`,
    after: `until_so through 127.0.0.1 && grep -c . /var/log/nginx/jetway.log
until_so refused_by_gateway`,
  },
  { section: 'onboard: Register a partner', fill: [client], after: '[ -s /root/partner.html ]' },
  {
    section: 'onboard: Bring partners along',
    before: `printf 'client_id,client_secret,name,roles,redirect_uris\npartnerapi-54321,a-secret-of-thirty-two-characters-x,Old Partner,member partner,https://old.example/cb\n' >/root/clients.csv`,
    after: 'as client show partnerapi-54321',
  },
  { section: 'onboard: Change a partner', fill: [client] },
  { section: 'onboard: Disable or remove a partner', fill: [client] },
  {
    section: 'onboard: Register a member',
    input: 'correct horse battery\n',
    again: [/member add/],
  },
  {
    section: 'onboard: Bring members along',
    before: `printf 'username,password,level\nberta,correct horse battery,AUTHN-LEVEL-12\n' >/root/members.csv`,
    after: 'as member show berta --programme executive-club',
  },
  {
    section: 'onboard: Change, unlock, disable or remove a member',
    input: 'another horse battery\n',
  },
  { section: 'onboard: Add a gateway' },
  {
    section: 'programmes: Add a programme',
    again: [/jetway new/],
    after: 'until_so harbour',
  },
  { section: 'programmes: Change a programme', after: 'well && harbour' },
  { section: 'programmes: Take a programme out of service', after: 'well' },
  { section: "rotate: A partner's secret", fill: [client] },
  {
    section: "rotate: A partner's signing secret",
    before: `printf '%s\\n' 'variant: grant' 'name: Signed' 'programme_identifier: Signed' 'base_path: /signed' \\
  'authorize: { answer: { signature: { name: hmac, hmac: sha256, of: [code, state] } } }' >/etc/jetway/programmes/signed.yaml
SIGNING=$(as client add --programme signed --name Signing --redirect-uri https://signing.example/cb --json | jq -r .client_id)`,
    fill: [['CLIENT=partnerapi-12345', 'CLIENT=$SIGNING']],
    after: `as client show "$SIGNING" --json | jq -e '.signing_secrets | length == 1'
as client remove "$SIGNING" --yes
rm /etc/jetway/programmes/signed.yaml`,
  },
  { section: "rotate: A partner's API key", fill: [client], again: [/rotate-api-key/] },
  { section: "rotate: A gateway's secret", again: [/rotate-secret/] },
  {
    section: "rotate: A partner's certificate",
    before: `${certificate}
install -m 644 new-certificate.pem /etc/jetway/next.pem`,
    fill: [client],
  },
  { section: 'rotate: The signing keys of JWTs', refusals: [/key retire/] },
  {
    section: 'rotate: A stolen key',
    fill: [
      [
        'KID=old-key',
        `sleep 7; KID=$(as key list --json | jq -r '[.[] | select(.kind == "signing")][0].kid')`,
      ],
    ],
    after: 'well',
  },
  { section: 'watch: The log' },
  {
    section: 'watch: What a client or member did',
    fill: [client],
    // Nothing found is 1.
    refusals: [/audit find/],
  },
  { section: 'watch: Verify the audit stream' },
  { section: 'trouble: Trouble' },
  {
    section: 'trouble: A request was refused',
    fill: [
      [
        'ID=K7QF2M9X4TBW',
        `ID=$(curl -sS -D - -o /dev/null http://127.0.0.1:8080/executive-club/login | tr -d '\\r' | sed -n 's/^x-request-id: //pi')`,
      ],
    ],
  },
  { section: 'trouble: A partner cannot authenticate', fill: [client] },
  { section: 'trouble: A member cannot log in' },
  {
    section: 'trouble: A changed file is not served',
    before: `echo 'nonsense: 1' >>/etc/jetway/programmes/third-club.yaml`,
    refusals: [/jetway check/, /jetway reload/],
    after: `sed -i /^nonsense/d /etc/jetway/programmes/third-club.yaml
as reload && well`,
  },
  {
    section: 'trouble: The server does not start',
    before: `systemctl stop jetway
echo 'nonsense: 1' >>/etc/jetway/config.yaml
! systemctl start jetway 2>/dev/null`,
    refusals: [/systemctl/],
    after: `sed -i /^nonsense/d /etc/jetway/config.yaml
systemctl start jetway && well`,
  },
  { section: 'trouble: The clock is wrong', after: 'well' },
  { section: 'trouble: After a theft', fill: [client], after: 'well' },
  {
    section: 'trouble: The disk is full or fails',
    // The disk is one of 96 MB, with all that was there.
    before: `systemctl stop jetway
mountpoint -q /var/lib/jetway || {
  cp -a /var/lib/jetway /root/kept
  mount -t tmpfs -o size=96m,mode=700 tmpfs /var/lib/jetway
  chown jetway: /var/lib/jetway
  cp -a /root/kept/. /var/lib/jetway
  rm -r /root/kept
}
systemctl start jetway && well
CLIENT=$(client) SECRET=$(as client rotate-secret "$(client)" --overlap 0s --json | jq -r .client_secret)
dd if=/dev/zero of=/var/lib/jetway/ballast bs=1M 2>/dev/null || true
until_so ill "$CLIENT" "$SECRET"`,
    between: 'rm /var/lib/jetway/ballast && well',
    after: 'well',
  },
  { section: 'back_up: Back up to one file', after: '[ -s /root/jetway-backup.db ]' },
  { section: 'back_up: Restore', after: 'well && through 127.0.0.1' },
  {
    section: 'back_up: Restore on a new machine',
    // What a new machine has: the package and the copies.
    before:
      'systemctl stop jetway && { umount /var/lib/jetway 2>/dev/null || true; }; rm -rf /var/lib/jetway/*',
    after: 'well && client | grep partnerapi-',
  },
  {
    section: 'upgrade: To a new version',
    before: 'cd /opt/newer',
    after: 'well && through 127.0.0.1 && as client list | grep partnerapi-',
  },
  {
    section: 'upgrade: Back to the former version',
    before: 'cd /opt/newer && ln -sfn /opt/release former',
    input: 'y\n',
    after: 'well && through 127.0.0.1',
  },
  { section: 'upgrade: Restart with sockets', after: 'well && through 127.0.0.1' },
  {
    section: 'tls: Jetway itself',
    before: `systemctl stop nginx
${certificate}
install -d -m 755 /etc/jetway/tls
install -o jetway -g jetway -m 600 new-key.pem /etc/jetway/tls/key.pem
install -m 644 new-certificate.pem /etc/jetway/tls/certificate.pem`,
    // Step 3, which stands on another page.
    endsWith: 'upgrade: Restart with sockets',
    after: 'until_so through 127.0.0.1',
  },
  {
    section: 'rotate: Certificates and credentials in files',
    before: certificate,
    after: `until_so through 127.0.0.1
served=$(openssl s_client -connect 127.0.0.1:443 -servername tokens.example.com </dev/null 2>/dev/null | openssl x509 -fingerprint -noout)
[ "$served" = "$(openssl x509 -fingerprint -noout -in /root/new-certificate.pem)" ]`,
  },
  {
    section: 'install: With secrets that root keeps',
    before: `mkdir -p /etc/credstore
[ -e /etc/credstore/jetway-master.key ] || install -m 600 /var/lib/jetway/master.key /etc/credstore/jetway-master.key
install -m 600 /dev/null /etc/credstore/jetway-store.password
echo unused >/etc/credstore/jetway-store.password`,
    after: `JETWAY_MASTER_KEY_FILE=/run/credentials/jetway.service/master.key well
rm -r /etc/systemd/system/jetway.service.d /etc/systemd/system/jetway-backup.service.d
systemctl daemon-reload && systemctl restart jetway`,
  },
  {
    section: 'back_up: Move a store file to PostgreSQL, or back',
    before: `database
set_key store 'postgres://jetway@127.0.0.1:5439/jetway?sslmode=disable'
printf 'of the handbook\n' >/etc/jetway/store.password
chown jetway: /etc/jetway/store.password && chmod 600 /etc/jetway/store.password
set_key store_password_file /etc/jetway/store.password`,
    // The file is marked as moved; what was moved is there.
    again: [/store copy/],
    after: 'well && client | grep partnerapi-',
  },
  {
    section: 'install: On several cores',
    after: 'well && as status | grep -c worker',
  },
  {
    section: 'trouble: The server does not start',
    // The site boots, and its database comes later.
    before: `systemctl stop jetway && pg_ctlcluster 15 handbook stop
systemctl --no-block start jetway
until_so waits`,
    refusals: [/systemctl/],
    after: 'pg_ctlcluster 15 handbook start && well && through 127.0.0.1',
  },
  { section: 'back_up: Recover to a moment', after: 'well && client | grep partnerapi-' },
  {
    section: 'back_up: A standby was promoted, and servers refuse to start',
    after: 'well && client | grep partnerapi-',
  },
];

/** Why a procedure does not run in this machine, or what runs it elsewhere. */
export const notRun: Readonly<Record<string, string>> = {
  'README: Before you type': 'each run begins with it',
  'install: From a tar.gz':
    'the machine has the .deb; test/packages/archives.ts unpacks the tar.gz',
  'install: As a container':
    'test/packages/compose.ts runs it; a registry and an engine are not at hand',
  'install: With a PostgreSQL store':
    'its database has two hosts with TLS; "Move a store file" runs here',
  'install: See that it works':
    'needs a secret that was shown once; test/packages/compose.ts asks the same',
  'onboard: Use a member system of your own': 'needs that system; test/members runs the contract',
  'programmes: See what a change means to partners': 'needs a repository with a remote',
  'upgrade: Without losing a connection':
    'its units are outlines; test/faults/handover.slow.test.ts lets servers take turns',
};
