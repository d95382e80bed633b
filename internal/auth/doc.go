// Package auth keeps accounts and authenticates requests. A user logs in with a
// password and gets a client: a long-lived pair of id and secret for one program. A
// client exchanges its secret for access tokens, which live an hour. A token names a
// principal.
//
// Only passwords go through a slow hash, at most two at a time. Failed logins are
// limited for an account and an address together, for a network, and for an account;
// see attempts. Secrets have 256 random bits and are stored as SHA-256. Tokens are
// signed and not stored. Authenticate still queries the database once each time, so
// that disabling a user, deleting a client, rotating its secret or revoking a token
// holds for the next request, on every server. No error and no log line of this package
// contains a password, a secret, a token or a ticket.
//
// An open stream makes no further requests. It is examined again when the access epoch
// has changed, which happens in the transaction that revokes a right. A client that
// cannot send a token opens a stream with a ticket, which works once.
package auth
