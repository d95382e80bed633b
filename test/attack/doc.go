// Command attack attacks a kg serve of its own, and counts what holds.
//
// It starts a server with a private database and with dataset workers, gives it accounts of
// every role, and then tries what an attacker would: each route with each role and each kind
// of token, what belongs to others, tokens and cursors that were altered, hostile bodies,
// slow and half-open connections, addresses inside the network, SQL that reads, writes or
// escapes, bombs of each format while somebody else has a text analysed, archives with
// paths, foreign origins, and forged frames of workers. It sends traffic to addresses of
// this machine only.
//
// A kind is a file. Each try that did not end as it must is a hole, and is printed with what
// was sent and what came of it. After each kind the server must be alive and answer.
//
// Exit codes: 0 everything held, 1 there is a hole or the suite could not be run, 2 wrong
// flags.
package main
