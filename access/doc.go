// Package access says who may do what: the words of accounts, and the rules of permissions.
//
// A [User] has one role, and by assignments and groups more of them. A [Role] has what the role
// that it builds on has, and its own [RoleGrant]s, each of which gives or takes one [Permission]:
// for everything, for what is one's own, for single rows, or for the rows that a filter selects.
// A [Policy] is all of that as it is stored; [Policy.Rights] works out what somebody has.
//
// Whoever asks is a [Principal]: a user, and what the token that came with the request leaves of
// the user's rights. Code that serves a request never looks at roles. It asks the principal:
//
//   - [Principal.Permit], for a permission that is needed without any row;
//   - [Principal.PermitRow], for one thing, whose [Row] says what permissions compare;
//   - [Principal.PermitFound], where even that there is such a thing is told to none but those
//     who may see it;
//   - [Principal.Within], for questions to the graph, which can be narrowed to one ontology.
//
// A list is narrowed rather than refused: the filter of the list has a method Narrow, which
// returns it with the [VisibleRows] of a principal, and the store adds them to its statement.
//
// What belongs to which other room's things, a job or an artifact, is decided here by a Row alone:
// the room of the thing says how its Row is made. So this room imports the root and nothing else.
// Passwords, tokens and sessions are stored and checked by internal/auth.
//
// An [Actor] is who changes something, for the record of changes ([AuditEntry]). It travels in
// the context, and so reaches the statement that writes the record in the same transaction.
package access
