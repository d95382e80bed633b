// Package graph tests questions to the graph against a real database: from the tables and
// from memory, through faults, and with graphs of thousands of concepts. It has nothing
// else: what is asked is of knowledge/questions, and who answers of internal/graph.
package graph
