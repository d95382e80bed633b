// Package reading has documents read in processes that may die: a document that takes all
// memory, loops for ever or takes its reader over harms nothing but the process that reads
// it, which stands behind walls and is killed at the deadline with all that it holds. Short
// texts, which need no parser, are read in this process, and so is everything where there is
// no program that reads.
//
// What a document does to its reader is the document's fault, and no retry can help; a
// process that could not be started, or that was ended from outside, is ours: the first may
// be tried again later, and after the second another process reads the document.
package reading
