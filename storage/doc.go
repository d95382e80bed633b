// Package storage has the words of what the database holds as a whole: how much, whether it is
// whole, for how long, and how it gets into another database.
//
// [NewUse] adds up what tables take, by kinds that people know. [StoredObject]s are what can be
// looked at by itself. A [RetentionPolicy] says what is deleted by itself, and after what time.
//
// A check ([TypeCheck]) reads all that is stored, in the [Parts] that it has, and reports each
// [Fault] with what to do about it: bytes that are not those of their hash, chunks that leave a gap,
// quotes that do not stand where they should, embeddings of another text.
//
// An archive begins with a [BackupHeader] and has a [BackupRow] a line after that. A [RestoreJob]
// puts it into a database, beside what is there or instead of it.
package storage
