// Package show puts what kg says on a terminal, or into a pipe or a file: text
// that may come from documents, colours, tables, times, and the graph's paths.
package show
