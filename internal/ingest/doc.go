// Package ingest turns a document into a part of the graph.
//
// A Submitter takes a document in: it refuses what cannot be read as text and
// stores the rest as a pending job. An Analyst sizes and prices pending jobs,
// also those of a process that has died. Once a job is approved and claimed, a
// Handler cuts its document into chunks, has each chunk read by the extractor,
// cleans what comes back, embeds the concepts and hands them to the store.
//
// What a caller may rely on: the same bytes and options give the same chunks;
// chunks are stored in order, each one together with the checkpoint that says
// so, and the next attempt goes on after it; nothing that an extractor returns
// reaches the store unless the chunk bears it out. Memory is bounded by the
// size of the document and a few chunks.
package ingest
