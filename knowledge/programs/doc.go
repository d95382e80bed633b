// Package programs has questions that are kept, and programs of questions.
//
// A [SavedQuery] is the request of a question under a name. It may have parameters: where its definition
// says "$name", the value stands that is given when it is asked ([SavedQuery.Bind]).
//
// A [Program] puts questions together. It has statements, and a working graph that is empty at first. Each
// [Statement] asks something, a question of the API or a small part of Cypher ([ParseCypher]), and an
// operator says what becomes of the answer: it is added to the working graph, or taken away from it, or
// only what both have stays. A statement may hold under a condition.
//
// [Read] reads a program and reports all that is wrong with it, each [Issue] with its place and rule, and
// besides that what is only suspicious. A program is bounded before it runs: statements, depth, what it may
// gather, and for how long.
//
// A [Chain] runs several programs, each on what the one before it has left. The [Result] names what was done
// step by step, and an [Abort] says where and why one ended early.
//
// internal/programs runs them, by asking the same routes that clients ask, with the rights of who runs it.
package programs
