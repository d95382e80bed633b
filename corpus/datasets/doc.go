// Package datasets has the words of questions in SQL to Parquet files.
//
// A [Query] names files by URL, each with the table that it becomes ([Dataset]), and one statement.
// It is checked here as far as that is possible without the files: names, lengths, and how many
// there may be. Whether the statement can be run is found out by the process that runs it.
//
// What comes of it are [Rows], with the [Column]s that they have. A larger result becomes a file:
// a [Job] writes it, as Parquet or CSV.
//
// Whatever goes wrong is an [Error] with an [ErrorType]: the question broke a rule, a file could not
// be fetched, the statement is wrong, it took too long, or needed too much memory. The type decides
// the status of the answer, and whether trying again can help.
//
// Who asks travels in the context as an [Asker], so that one account cannot take all workers.
//
// A statement is code from outside. It runs in a process of its own, cmd/kg-data, behind the walls
// of internal/sandbox; internal/dataset starts those processes, and fetches the files.
package datasets
