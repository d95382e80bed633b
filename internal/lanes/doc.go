// Package lanes decides when jobs run, how many at once, and how often again.
//
// A Worker is this process's right to work: a lease that one heartbeat renews.
// A Lane claims approved jobs for its free slots; the Runner works on them and
// the Finisher stores how they ended. The Manager runs a Lane for each row of
// the lane table. The janitors, a file each, keep the queue moving and the tables
// small: Sweeper, Stale, Expire, Prune, Purge, Unhandled and Orphans. Of all servers
// on one database only the one that the Elector makes leader runs the Manager and the
// janitors, but for Purge and Orphans, which every server runs.
//
// What callers can rely on: a job is started only after its claim is committed
// and read; a worker that cannot renew its lease stops its jobs before the
// lease ends; whatever is written for a job names its claim, and a stale claim
// writes nothing; a wake-up may be lost, for every lane polls.
package lanes
