// Package backup writes and reads archives of the graph: a header, a row a line as
// JSON, and a trailer with the number of rows and a SHA-256 of all that came before,
// compressed with zstd. Both ways take constant memory. An archive that was cut or
// changed is refused, wherever that happened.
package backup
