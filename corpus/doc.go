// Package corpus has the words of what is read: documents, their chunks, and what reading them
// costs.
//
// A document is known by its bytes: [ContentHash] is its id, and the same bytes are the same
// document, whatever they are called. Its [ContentType] says how it is read. A format that is not
// text becomes a [DocumentText]: Markdown, and the [Place]s that parts of it had in the original,
// such as pages. All that is said of a document after that speaks of this text, in bytes, as a
// [Span].
//
// The text is cut into [Chunk]s of some hundred words at the borders of paragraphs and sentences
// ([ChunkOptions]). The id of a chunk follows from the document, the ontology and the place
// ([SourceID]), so that ingesting again stores nothing twice. What is stored of a chunk is a
// [Source]; lists and searches show it as [ListedSource] and [SourceHit].
//
// Before anything is spent, an [Analysis] says what a document will cost, from a [Preview] of its
// text and what earlier documents have taught ([Learnt], [ErrorBand]). A job may have a [Budget];
// [JobBudget.Check] pauses it when that is reached.
//
// A document is taken out again by a [Removal]. What another document supports as well stays.
//
// Which models there are and what they cost is in corpus/models; files of tables, which are asked
// and not read, are in corpus/datasets. How a document is read is in internal/formats and
// internal/ingest.
package corpus
