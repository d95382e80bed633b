// Package notify tells who must know: the lanes that work has come, a running
// job that it is to stop, and the watchers of a job that its history has grown.
//
// The contract. The tables are the truth; everything here only makes it quick,
// and may lose, repeat or delay a message without anybody losing an event.
//
//   - Order: a subscription delivers the events of its job in order of Seq and
//     without holes, because the Hub reads them from the table and a message
//     only tells it to look.
//   - When slow: a publisher never waits for a reader. A reader whose buffer is
//     full finds its channel closed, and goes on from the last Seq it has seen.
//   - When cut off: the Listener notices a dead connection by a notification to
//     itself, connects again, and then has everybody look once.
package notify
