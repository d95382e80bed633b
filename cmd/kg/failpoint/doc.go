// Package failpoint breaks a server at chosen places, for tests. Only a kg that was
// built with the tag failpoints has any; every other one refuses to be told of them.
package failpoint
