#!/bin/sh
# Three Jetways on a primary and two synchronous standbys of PostgreSQL, all on one machine: to try a
# fleet and its failover, not to run one.
#
#   fleet.sh start FOLDER      makes what is not there, starts it, and waits until it serves
#   fleet.sh status FOLDER     tells which runs
#   fleet.sh kill FOLDER N     ends database N as a loss of power would; it does not start again
#   fleet.sh promote FOLDER N  makes standby N the primary; take the one that has received more
#   fleet.sh stop FOLDER       stops all of it
#
# In the environment:
#   PGBIN                the folder of PostgreSQL's programs: initdb, pg_ctl and postgres, 18 or later
#   JETWAY               the command of Jetway (jetway)
#   FLEET_PORT           databases at this port and the next two (15401); each Jetway answers at
#                        10, gateways ask at 20, monitoring at 30 more than its database's port
#   FLEET_POSTGRES_USER  who runs PostgreSQL where root runs this script, which PostgreSQL refuses (postgres)
set -eu
umask 077

here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
usage() { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d' >&2; exit 2; }
[ $# -ge 2 ] || usage
verb=$1 given=$2 number=${3:-}
mkdir -p "$given"
folder=$(CDPATH='' cd "$given" && pwd)
base=${FLEET_PORT:-15401}
jetway=${JETWAY:-jetway}
user=${FLEET_POSTGRES_USER:-postgres}
port() { echo $((base + $1 - 1)); }
database() { echo "$folder/databases/db$1"; }

# Runs one of PostgreSQL's programs, never as root.
pg() {
  program=$PGBIN/$1
  shift
  if [ "$(id -u)" = 0 ]; then
    (cd "$folder/databases" && setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups "$program" "$@")
  else
    "$program" "$@"
  fi
}
own() { [ "$(id -u)" != 0 ] || chown -R "$user" "$@"; }
secret() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }

make_databases() {
  mkdir -p "$folder/databases"
  chmod 711 "$folder"
  password=$(secret)
  echo "$password" > "$folder/store.password"
  echo "$password" > "$folder/databases/password"
  echo "127.0.0.1:*:*:replicator:$password" > "$folder/databases/pgpass"
  own "$folder/databases"
  pg initdb -D "$(database 1)" -U postgres -E UTF8 --locale=C -A scram-sha-256 \
    --pwfile="$folder/databases/password" --no-instructions > "$folder/databases/log"
  sed "s/CHANGE-ME/$password/" "$here/roles.sql" | pg postgres --single -j -D "$(database 1)" postgres > /dev/null
  pg postgres --single -j -D "$(database 1)" jetway < "$here/schema.sql" > /dev/null
  cat "$here/postgresql.conf" >> "$(database 1)/postgresql.conf"
  hosts=127.0.0.1,127.0.0.1,127.0.0.1 ports=$(port 1),$(port 2),$(port 3)
  for n in 1 2 3; do
    # No server has run yet. From a running one: pg_basebackup --write-recovery-conf
    [ $n = 1 ] || cp -a "$(database 1)" "$(database $n)"
    cat >> "$(database $n)/postgresql.auto.conf" <<SETTINGS
cluster_name = 'db$n'
port = $(port $n)
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
primary_conninfo = 'host=$hosts port=$ports user=replicator passfile=$folder/databases/pgpass target_session_attrs=primary connect_timeout=2'
SETTINGS
  done
  for n in 2 3; do touch "$(database $n)/standby.signal"; done
  own "$folder/databases"
}

make_nodes() {
  hosts=127.0.0.1:$(port 1),127.0.0.1:$(port 2),127.0.0.1:$(port 3)
  $jetway init "$folder/node1" --store "postgres://jetway@$hosts/jetway?sslmode=disable&replicas=1" > /dev/null
  cp "$folder/store.password" "$folder/node1/data/store.password"
  cp -a "$folder/node1" "$folder/node2"
  cp -a "$folder/node1" "$folder/node3"
  for n in 1 2 3; do
    at=$(port $n)
    sed -i -e "s/^listen: .*/listen: 127.0.0.1:$((at + 10))/" \
      -e "s/^gateway: .*/gateway: 127.0.0.1:$((at + 20))/" \
      -e "s/^admin: .*/admin: 127.0.0.1:$((at + 30))/" "$folder/node$n/config.yaml"
  done
}

is_running() { [ -e "$1" ] && kill -0 "$(cat "$1")" 2> /dev/null; }

start_database() {
  [ ! -d "$(database "$1")" ] || pg pg_ctl status -D "$(database "$1")" > /dev/null ||
    pg pg_ctl start -w -D "$(database "$1")" -l "$(database "$1")/log" > /dev/null
}

start_node() {
  node=$folder/node$1
  is_running "$node/pid" || {
    $jetway serve --config "$node/config.yaml" > "$node/log" 2>&1 < /dev/null &
    echo $! > "$node/pid"
  }
  tries=100
  until $jetway status --config "$node/config.yaml" > /dev/null 2>&1; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] && is_running "$node/pid" || { cat "$node/log" >&2; exit 1; }
    sleep 0.2
  done
}

case $verb in
  start)
    [ -e "$folder/store.password" ] || make_databases
    for n in 1 2 3; do [ -e "$(database $n)/standby.signal" ] || start_database $n; done
    for n in 1 2 3; do [ ! -e "$(database $n)/standby.signal" ] || start_database $n; done
    [ -d "$folder/node3" ] || make_nodes
    for n in 1 2 3; do start_node $n; done
    echo "Jetway answers at 127.0.0.1:$(($(port 1) + 10)), $(($(port 2) + 10)) and $(($(port 3) + 10))"
    ;;
  status)
    for n in 1 2 3; do
      if [ ! -d "$(database $n)" ]; then echo "db$n: lost"
      elif ! pg pg_ctl status -D "$(database $n)" > /dev/null; then echo "db$n: stopped"
      elif [ -e "$(database $n)/standby.signal" ]; then echo "db$n: standby"
      else echo "db$n: primary"; fi
    done
    for n in 1 2 3; do
      if is_running "$folder/node$n/pid"; then echo "node$n: running"; else echo "node$n: stopped"; fi
    done
    ;;
  kill)
    [ -n "$number" ] || usage
    postmaster=$(head -n 1 "$(database "$number")/postmaster.pid")
    kill -9 "$postmaster" $(cat "/proc/$postmaster/task/$postmaster/children")
    # It knows nothing of the new primary's commits: as a second primary it would be a second truth.
    mv "$(database "$number")" "$(database "$number").lost"
    ;;
  promote)
    [ -n "$number" ] || usage
    pg pg_ctl promote -w -D "$(database "$number")" > /dev/null
    ;;
  stop)
    for n in 1 2 3; do ! is_running "$folder/node$n/pid" || kill "$(cat "$folder/node$n/pid")"; done
    for n in 1 2 3; do while is_running "$folder/node$n/pid"; do sleep 0.1; done; done
    # The primary first: it stops once the standbys have all of it.
    for n in 1 2 3; do
      [ ! -d "$(database $n)" ] || [ -e "$(database $n)/standby.signal" ] || pg pg_ctl stop -m fast -D "$(database $n)" > /dev/null || :
    done
    for n in 1 2 3; do
      [ ! -d "$(database $n)" ] || [ ! -e "$(database $n)/standby.signal" ] || pg pg_ctl stop -m fast -D "$(database $n)" > /dev/null || :
    done
    ;;
  *) usage ;;
esac
