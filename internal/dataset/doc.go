// Package dataset asks questions in SQL to Parquet files, in processes that may die:
// whatever a file or a query contains, the server does not notice. Its child is the
// program cmd/kg-data, with which it talks in the words of the package frame.
package dataset
