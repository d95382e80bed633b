// Package client is the Go client of Kappa's HTTP API, for the command line and
// for programs. Its answers are the words of package kappa.
//
// What a caller can rely on:
//
//   - Every method is safe for concurrent use and ends with its context. Each
//     call is also bounded by a time of its own, a watch by none.
//   - An answer of the server that is not a success is an [*Error]; it wraps a
//     [kappa.Error], so [kappa.ErrorCode] works on it. No answer at all wraps
//     [ErrUnreachable].
//   - A token is fetched when it is needed, kept until shortly before it
//     expires, and fetched anew once when the server refuses it.
//   - A redirect is followed to the same scheme, host and port only.
//   - Nothing the server sends is read beyond a limit.
//   - Nothing is repeated behind the caller's back, apart from a call that the
//     server refused for its token, and the reconnects of [Jobs.Watch].
package client
