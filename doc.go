// Package kappa is the root of the domain of Kappa: what every part of it speaks, which is
// errors and their codes, ids, times, places in lists, and waiting and trying again.
//
// The words of a subject have a room of their own:
//
//   - access: who may do what;
//   - corpus: documents and their chunks, with corpus/models and corpus/datasets;
//   - work: jobs and lanes, claims and events;
//   - artifacts: results and inputs that are kept beside their job;
//   - storage: what the database holds as a whole;
//   - knowledge: concepts and relationships and what bears them out; what may be asked of
//     them is in knowledge/questions.
//
// A document is submitted, analysed and priced, approved, and then processed as a job:
// chunked, read by an extractor, matched with the concepts already known, and written to the
// graph. All coordination is in PostgreSQL; a notification only makes it quick.
//
// Rooms import the standard library, this package, and those rooms that arch_test.go draws
// for them. They do nothing: no files, no network, no database. Every other package speaks
// in their types, and their JSON form is the one that the HTTP API shows.
//
// An [Error] has a [Code], which decides the status of an answer, and a message that may be
// shown to whoever asked. Everything else that goes wrong is internal: it is logged, and
// not shown. [Permanent], [Postpone] and [Pause] mark errors for whoever decides whether
// to try again; [Retryable], [Postponed] and [Paused] ask.
package kappa
