// Package graph answers queries to the graph: which concepts a phrase means,
// what is known about one, what lies around it, and how two are connected.
//
// Relationships are followed in both directions. Every answer depends on the
// graph alone: the same question to the same graph gives the same answer in the
// same order. An answer that is cut at a limit says so (truncated); nothing is
// left out silently.
//
// Each call sees the graph as of one moment, over however many connections, and is
// bounded as a whole by the settings or Config.Deadline. A call that its deadline
// ends returns a CodeUnavailable Error, or what was found with timed_out where the
// answer says how complete it is; and the database stops working for it.
package graph
