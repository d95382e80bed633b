// Package notify carries notifications: to the lanes that work has come, to a running
// job that it is to stop, and to the watchers of a job that its history has grown.
//
// The contract. The tables are the truth; everything here only makes it quick,
// and may lose, repeat or delay a message without anybody losing an event.
//
// # Sources
//
// A [Source] hears of what other processes have committed and notifies a [Sink],
// which is the [Hub]: either the events themselves (Publish), or only whose jobs
// they are (Hint), or their last numbers too (HintSeqs). What a source names
// is not always to be read yet: the write-ahead log has a commit before others see
// it. So the table is read until it shows the number. All sources are
// interchangeable and pass one suite. After each new connection a source calls
// Resync, because what was said while there was none is gone; so a source that is
// cut off costs a delay and nothing else. Run connects again by itself: at first
// after 100 ms, then with growing pauses. A source that hears nothing probes its
// connection and gives it up in less than 10 s, because a dead socket says nothing.
//
// # Order
//
// A subscription delivers the events of a job by rising Seq, each at most once,
// whatever the sources say in whatever order. An event that follows the last one
// is delivered as it was handed over, without a statement; after a gap the
// table is read, once for all watchers of the job. Between jobs no order is
// promised.
//
// A reader who wants a job's history and what follows watches first, reads the
// history second, and leaves out of what is delivered the events up to the last
// Seq that it has read: no gap and no double.
//
// # Reconciling
//
// Every 5 s the Hub compares the numbers of all watched jobs with the table,
// with one statement; so an event without a notification is delivered late and not
// lost, and a deleted job is noticed. While nobody watches, nothing is asked. A
// failed statement is repeated, and no watcher hears that a job is gone because
// the database did not answer.
//
// # When slow
//
// A publisher never waits for a reader. Each has a mailbox, which holds memory
// only while there is something in it. Progress that waits there gives way to
// the next progress of the same job; any other event is kept. A reader that lags
// for more than a second by 256 events that cannot give way, or by 4 for each job
// that it watches if that is more, finds its subscription ended after what was
// collected; so does one that lags by 8 times as many at once. It goes on from
// the last Seq it has seen, with a new subscription. No other reader notices.
//
// # When cut off
//
// A [Listener] refuses a connection through which notifications would get lost,
// such as that of a transaction pooler, and says so; the lanes poll then. A
// listener that has stopped reading would hold back the server's notifications
// and vacuum: the [Watchdog] ends it. When the table has lost what was delivered
// already, as after a failover, the job's subscriptions are ended, so that their
// readers begin with what there is. When the Hub stops, every subscription ends.
//
// # How often
//
// NOTIFY serialises commits, so transactions on the busy paths do not use it: the
// [Notifier] of a process notifies the others, with at most 50 notifications in a
// second of at most 256 bytes each. When the jobs do not fit, it asks for
// all of them to be read.
package notify
