// Package acme tests that a server gets its certificates from an authority, with Pebble, the
// ACME server that Let's Encrypt makes for tests. It is a module of its own: nothing else
// needs that.
package acme
