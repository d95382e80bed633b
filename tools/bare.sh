#!/bin/sh
# bare.sh runs a command in a clone of this checkout on a bare machine: a fresh Debian 12
# that has nothing but ca-certificates, git, make and a Go that fetches its successor. It
# needs root and mmdebstrap, and removes what it made.
#
#   tools/bare.sh 'make demo'                 as root, who may install packages
#   tools/bare.sh 'su user -c "make demo"'    as a user, who may not
set -eu
command=${1:?the command is missing}
src=$(cd "$(dirname "$0")/.." && pwd)
root=$(mktemp -d "${TMPDIR:-/tmp}/kg-bare-XXXXXX")
end() {
  umount "$root/proc" "$root/dev/pts" 2>/dev/null || :
  # What is still mounted is not ours to remove.
  grep -q " $root/" /proc/mounts || rm -rf "$root"
}
trap end EXIT
trap 'exit 130' INT TERM

mirror="deb http://deb.debian.org/debian"
mmdebstrap --quiet --variant=minbase --include=ca-certificates,make,git bookworm "$root" "$mirror bookworm main" "$mirror bookworm-backports main"
# The machine's own certificates, where it reaches the registries through a proxy.
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
mount -t proc proc "$root/proc"
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$root/dev/pts"
chroot "$root" sh -c 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -t bookworm-backports golang-go && useradd -m user' >/dev/null
git clone -q "$src" "$root/home/user/kappa"
chroot "$root" chown -R user:user /home/user
chroot "$root" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin ${GOPROXY:+GOPROXY="$GOPROXY"} \
  sh -c "git config --global --add safe.directory '*'; cd /home/user/kappa && $command"
