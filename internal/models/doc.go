// Package models keeps which models a server uses, how their providers are reached, what
// they cost, and their keys, all of which can be set while the servers run.
//
// What a caller may rely on: what the environment of a server sets, wins there, and a
// change to it is refused; a model is tried before it is taken, and nothing is stored when
// the trial fails; a change acts on the server that made it before its answer, and on the
// others as soon as they hear of it, or within a quarter of a minute; while the database is
// away the last settings hold. No error, record or answer shows a key.
package models
