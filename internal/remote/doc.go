// Package remote serves workers on other machines: they connect out over one
// WebSocket, which speaks Phoenix channels, and claim jobs by slot group.
//
// A session is one connection. It wires together what owns one thing each: a socket has the
// frames, in and out; a member is who the worker is and what it has joined as; held has its
// runs and slots; topics are the channels of runs that it has joined. None holds its lock
// while it asks another, or the database, or sends.
//
// The reader of a socket hands frames on: what needs the database is done beside it, in
// order for one run and independently otherwise. Its writer sends what is queued, and a
// queue that is full ends the connection, for nobody waits for a socket. Marks say in
// memory where work waits, so that a claim which would find nothing asks nothing.
// Everything that is written for a run names its claim token and its worker; what is done
// for a connection names its generation.
//
// No close of ours has the status 1000, after which clients never come back.
package remote
