// Command campaign breaks things while thousands of jobs run, and then
// checks that nothing was lost, done twice or done out of order.
//
// A campaign starts one private PostgreSQL that is as durable as a real one,
// several kg serve processes that reach it through a proxy of their own, and
// submits jobs of mixed types, priorities and approvals, some of which it
// cancels. Schedules submit more, about one a second, and clients follow jobs
// over HTTP, leaving and coming back at random; others lose the right to it while
// they read. Meanwhile faults are injected on a schedule that one seed decides:
// servers are killed, paused beyond their lease and stopped, or break at a
// chosen place of their code; PostgreSQL is restarted at once; its backends are
// terminated; connections of one role are cut, blackholed, slowed down, or lose
// the answers to what they sent; servers cannot ask who may read; lanes are
// edited. In every third round all servers run the lanes, in the others the one that
// leads. In the end the faults stop, the queue drains, the servers stop, and
// the invariants are checked on the tables, on a history that triggers wrote, on
// samples taken a hundred times a second, on what the
// clients were shown, and on what a witness outside the database has recorded.
//
// With -soak nothing is broken. Instead busy processes take the processors, and
// clients the servers' pools, for a long time; no job may be taken back then, and
// nothing leak or grow.
//
// The same seed gives the same jobs and the same faults; what they meet depends
// on the machine. Exit codes: 0 every invariant held, 1 one was violated or the
// campaign could not be run, 2 wrong flags.
package main
