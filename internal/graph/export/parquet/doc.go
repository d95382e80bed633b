// Package parquet writes tables in the file format Apache Parquet: texts, whole numbers,
// numbers with a fraction, instants, and lists of texts, each of which may be missing.
//
// Rows are written as they come. What is held is one row group, of some mebibytes, so that a
// file of any size takes the same memory. The same rows give the same bytes: nothing depends
// on the clock, on the machine or on how many processors it has.
//
// It is written here because the libraries for it add three times as many bytes to the
// program as the rest of an export: they read every encoding that there is, and this writes
// those that every reader knows (PLAIN and RLE_DICTIONARY, in pages of the first version,
// compressed by zstd).
package parquet
