// Package pgproxy stands between a server and PostgreSQL and disturbs their
// connections, for tests and campaigns: all of them, or those of one role.
package pgproxy
