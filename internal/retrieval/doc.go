// Package retrieval finds the passages that answer. A Follower keeps an index of all passages
// in step with the tables, on every server, and a Library asks it.
//
// Fresh is exact: a question sees every change that was committed before it arrived. It waits
// for a read of the log that began after that, which concurrent questions share. While the
// index loads, and when a change is so large that it cannot be applied within a moment, a
// question is answered from what is there, and the answer says so.
package retrieval
