// Package files keeps the Parquet files that datasets name by URL: fetched once, checked
// at both ends, asked for anew by ETag when they may be stale, and removed, the longest
// unused first, when they take more than their quota. Of a file of which only the schema
// is asked for, only the footer is fetched where its server sends ranges.
package files
