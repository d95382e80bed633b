// Package pgembed runs a private PostgreSQL cluster as a child process, for a
// server that was given no database.
//
// The programs are the machine's own (PostgreSQL 15 or newer); nothing is
// downloaded. The cluster lives in one directory:
//
//	data/         the data directory, owned by the account that runs postgres
//	data-15/      that of an older version, which [Upgrade] has kept
//	run/          the unix socket, mode 0700
//	pgpass        the password, which the user that calls Start alone can read
//	postgres.log  what postgres writes, with postgres.log.1 before it
//	lock          locked by the process that runs the cluster, and names it
//
// What a caller can rely on:
//
//   - There is no TCP port. Only the user that runs the cluster, and root, get
//     to the socket, and need the password, which is random: a process of that
//     user that cannot read the file gets nothing. A directory that asks for no
//     password, or whose file was lost, has one after the next start.
//   - Committed transactions survive everything that PostgreSQL survives,
//     unless [Config.Settings] says otherwise. A first start that is
//     interrupted leaves no half-made data directory.
//   - Two processes never run the same directory: the second gets [LockedError].
//   - postgres has a process group of its own, so that Ctrl-C reaches only the
//     server, which drains first and then calls [Cluster.Stop]. It does not
//     outlive the process that called [Start], not even one that was killed.
//   - PostgreSQL refuses to run as root. As root it runs as another account,
//     see account.go, and the directory stays where the caller wanted it, even
//     below a home that only root can enter.
package pgembed
