// Package work has the words of the queue: jobs, how they come to workers, and what is known of
// them.
//
// A [NewJob] is checked and stored; with that it has an id and a [Status]. The statuses and what
// may follow what are in [Status.CanBecome]. A job whose price somebody has to accept waits as
// [StatusAwaitingApproval]; an approved one is claimed when it is due.
//
// What a job does is its [JobType]: a handler, a check of its data, and the lane that it is in. The
// types of a server are its [JobTypes]. A [Lane] is a number of slots for some types, so that short
// work does not wait behind long work.
//
// A [Claim] is one attempt at a job by one worker. It has a token that no other attempt has, and
// every statement that the attempt makes names it. When the worker is taken for dead, the job is
// given to another, and all that the first one still sends is refused ([kappa.ErrLeaseLost]). A
// [Checkpoint] is stored under the claim, and the next attempt begins there.
//
// [Conclude] says how an attempt ends: what the handler returned, and why its context ended, decide
// whether the job is completed, failed, cancelled, tried again, or handed back.
//
// Each change of a job is an [Event] with a number. The numbers of a job have no holes, so that
// whoever follows it can go on where the connection broke ([Subscription]).
//
// A [Schedule] submits jobs by the clock. A [Submission] is a document that becomes a job.
//
// Workers on other machines are in the names that begin with Remote and Run: a [RemoteWorker] has
// slot groups, reserves jobs for them and confirms them ([RunKey]). internal/lanes runs the lanes
// of a server, internal/remote speaks with other machines, and internal/postgres keeps the queue.
//
// Results that are kept beside their job are in package artifacts.
package work
