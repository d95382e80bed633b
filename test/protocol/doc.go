// Package protocol is a model of how jobs are claimed, held by a lease, taken back, finished and
// cancelled, small enough that every order of events can be tried: three workers, two jobs, and a
// crash, a pause, a lost answer and a cancellation at any step. In each state that can be reached
// the rules of package work must hold, and there must be a way on to the end of every job.
//
// A Flaw leaves out one guard of the protocol, each of which a queue of jobs has lacked: the search
// must find what goes wrong then, or the model says nothing.
//
// What the model takes for granted is what one statement of PostgreSQL does: a step is a
// transaction, whose answer may be lost. TestModelIsTheStore in internal/postgres holds the steps to
// the statements themselves.
package protocol
