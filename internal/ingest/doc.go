// Package ingest turns a document into a part of the graph.
//
// A Submitter takes a document in: it refuses what is of no format that is
// read and stores the rest as a pending job. An Analyst sizes and prices pending jobs,
// also those of a crashed process. Once a job is approved and claimed, a
// Handler cuts its document into chunks, has each chunk read by the extractor,
// cleans the extraction, embeds the concepts and has the store write them. Which
// of them are concepts that the graph has already is decided here, see matcher: the
// store finds the candidates and asks inside its transaction.
//
// What a caller may rely on: the same bytes and options give the same chunks;
// chunks are stored in order, each together with a checkpoint, and the next attempt
// resumes after it; nothing that an extractor returns reaches the store unless the
// chunk confirms it. Memory is bounded by the size of the document and a few chunks.
package ingest
