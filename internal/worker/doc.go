// Package worker is the client side of remote work: a process that connects out to a
// server, claims jobs by slot group, and runs handlers for them.
//
// Each slot group has a workloop of its own: its queues, slots and backoff concern no
// other group. Runs outlive connections: after a reconnect the worker lists what it
// holds, and sends again what was not answered, in order. What a run says about its
// checkpoints and its end is numbered and kept until the server has stored it; progress
// and lines of the log may be lost.
//
// A worker that cannot know that its lease holds stops its runs before the lease ends
// (the fence): another worker may have them then. So a run may happen more than once,
// and handlers must bear it.
//
// One mutex guards what the worker knows. Nothing waits while it is held: what is sent
// is queued for the connection's writer, and answers come to its reader.
package worker
