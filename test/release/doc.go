// Package release tries what make release makes as those do who install it: the package for
// Debian on a fresh system whose systemd runs the service, and the files of deploy/ in the
// programs that they are for.
package release
