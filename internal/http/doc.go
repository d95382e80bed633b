// Package http is the HTTP API: routes, request and response bodies, errors and
// event streams.
//
//   - Every route exists at the root and below /api, with and without a trailing
//     slash, and is never a redirect.
//   - Every route demands a permission or says that it is public; one that says
//     neither cannot be registered.
//   - Every failure is a problem document (RFC 9457). Its status follows from
//     the kappa.Error's code, in one place; a failure without one is a 500 whose
//     text stays in the log.
//   - Nothing is read or awaited without a limit: bodies, fields, uploads in
//     flight, writes to a client that does not read.
//   - A stream shows a job's events in order, each once, and starts where the
//     client says it stopped. It may be cut at any time; the client comes back
//     with the number of the last event it saw. Progress that later progress has
//     overtaken may be left out, and nothing else.
//   - A stream of many jobs starts from snapshots instead, each time, and shows
//     each job in order from there.
//   - A stream that has nothing to show asks the database nothing. It ends when
//     its token expires, and within Limits.Recheck and a look at the database when
//     its rights are taken. While that cannot be asked, it shows nothing that comes
//     later than Limits.Unconfirmed after the last answer; an answer to a read that
//     took longer is examined again. A client that does not read is cut, and slows
//     nobody.
//   - A credential in a query opens streams only, and is in no log and no answer.
//
// The package name shadows net/http, which is imported as nethttp here.
package http
