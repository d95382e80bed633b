// Command kg-data is the dataset worker: a child process of kg serve that asks SQL to
// Parquet files with DuckDB, and that may die. It reads requests from its standard input
// and writes answers to its standard output, as frames of the package frame, after it has
// walled itself in. It is not for people to run.
package main
