// Package http is the server of the HTTP API and its router: what surrounds every
// request, and the errors.
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
//   - An answer to a read that took longer than Limits.Unconfirmed is examined
//     again: the right to it may have been taken meanwhile.
//
// A part of the API is a Resource, a package below this one, which registers its
// routes with the Router. This package knows none of them; cmd lists them.
//
// The package name shadows net/http, which is imported as nethttp here.
package http
