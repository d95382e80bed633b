// Package queue tests how jobs come to their workers, with lanes, notifications and a real
// database together: whose turn it is, and what wakes whom.
package queue
