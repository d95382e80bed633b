// Package auth says who makes a request. A user logs in with a password and
// gets a client, a long-lived pair of id and secret for one program; a client
// exchanges its secret for access tokens, which live an hour; a token names a
// principal.
//
// Only passwords go through a slow hash, at most two at a time, and failed
// logins are limited per user and per address. Secrets have 256 random bits and
// are stored as SHA-256; tokens are signed and not stored. Authenticate still
// asks the database once each time, so that disabling a user, deleting a client,
// rotating its secret or revoking a token acts on the next request, on every
// server. Nothing here puts a password, a secret, a token or a ticket into an
// error or a log.
//
// An open stream makes no further requests. It is examined again when the access
// epoch has moved, which the database does in the transaction that takes a right
// from somebody. A client that cannot send a token opens a stream with a ticket,
// which works once.
package auth
