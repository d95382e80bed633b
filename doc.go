// Package kappa holds the words and the rules of Kappa: jobs and lanes, events,
// documents and chunks, concepts and relationships, and what may be asked of
// them. It imports the standard library only. Every other package speaks in
// these types, and their JSON form is the one the HTTP API shows.
//
// A document is submitted, analysed and priced, approved, and then processed as
// a job: chunked, read by an extractor, matched with the concepts already
// known, and written to the graph. All coordination is in PostgreSQL; a
// notification only makes it quick.
package kappa
