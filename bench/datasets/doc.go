// Command datasets measures questions in SQL to Parquet files: beside the same DuckDB in
// this process, with a worker that has to be started, of a remote file of which the footer
// is enough, to the tables of a graph, under bombs, and again and again. It runs kg serve as a process of its own on
// a new private cluster, and speaks to it over HTTP as any client. It needs Linux and a C
// compiler.
package main
