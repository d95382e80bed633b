#!/bin/sh
# container.sh becomes the command that it is given, the first process of a system in a folder:
# who runs it has a mount and a process namespace of its own, and a control group namespace that
# begins at its group.
set -eu
root=$1
shift
mount --make-rprivate /
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t tmpfs tmpfs sys/fs/cgroup 2>/dev/null || :
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
mount -t tmpfs -o mode=755 tmpfs dev
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts dev/pts
mount -t tmpfs -o mode=1777 tmpfs dev/shm
for name in null zero full random urandom tty; do
  : >"dev/$name"
  mount --bind "/dev/$name" "dev/$name"
done
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ln -s fd/0 dev/stdin
ln -s fd/1 dev/stdout
ln -s fd/2 dev/stderr
mkdir -p machine
pivot_root . machine
cd /
# The image for containers has no umount: the machine's files then stay in sight.
if command -v umount >/dev/null; then
  umount -l /machine
  rmdir /machine
fi
exec env -i container=kappa PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
