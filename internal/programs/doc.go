// Package programs runs programs: sequences of questions to the graph, whose answers are
// joined to one graph. Every question goes through the asker that the caller gives, as the
// caller: a program reads nothing that its caller could not ask for.
package programs
