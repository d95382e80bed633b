// Command kg-data is the dataset worker: a child process of kg serve that asks SQL to
// Parquet files with DuckDB, and that may die: a child of the package sandbox. It is not for
// people to run.
package main
