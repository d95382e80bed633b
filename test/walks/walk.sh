# walk.sh is read by each walk: what a new user does, and what they must see. A walk needs kg on the
# path, and that somebody has logged in. It works in a folder of its own, which it removes.
set -eu
export NO_COLOR=1
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here"
o="walk-$(basename "$0" .sh)-$$" # the ontology

# address is where the server is: KG_API_URL, or that of the service of this machine.
address() { echo "${KG_API_URL:-http://127.0.0.1:8000}"; }

# says PATTERN COMMAND… runs a command that must succeed and say what the pattern, of grep -E, matches.
says() {
  pattern=$1 && shift
  out=$("$@" 2>&1) || { printf 'FAILED: %s ends with %s:\n%s\n' "$*" "$?" "$out" >&2 && exit 1; }
  printf '%s\n' "$out" | tr '\n' ' ' | grep -Eq "$pattern" || { printf 'FAILED: %s does not say %s:\n%s\n' "$*" "$pattern" "$out" >&2 && exit 1; }
}

# never PATTERN COMMAND… runs a command that must not say it.
never() {
  pattern=$1 && shift
  out=$("$@" 2>&1) || { printf 'FAILED: %s ends with %s:\n%s\n' "$*" "$?" "$out" >&2 && exit 1; }
  if printf '%s\n' "$out" | grep -Eq "$pattern"; then printf 'FAILED: %s says %s:\n%s\n' "$*" "$pattern" "$out" >&2 && exit 1; fi
}

# refused CODE PATTERN COMMAND… runs a command that must end with a code and say why.
refused() {
  want=$1 pattern=$2 && shift 2
  code=0 && out=$("$@" 2>&1) || code=$?
  [ "$code" = "$want" ] || { printf 'FAILED: %s ends with %s, and must with %s:\n%s\n' "$*" "$code" "$want" "$out" >&2 && exit 1; }
  printf '%s\n' "$out" | tr '\n' ' ' | grep -Eq "$pattern" || { printf 'FAILED: %s does not say %s:\n%s\n' "$*" "$pattern" "$out" >&2 && exit 1; }
}
