package pgembed

import (
	"fmt"
	"strings"
)

// LockedError reports that another process runs the cluster in Dir.
type LockedError struct {
	Dir string
	PID int // of that process; 0 when it could not be read
}

func (e *LockedError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("the postgres cluster in %s is in use by another process: stop it, or choose another data directory", e.Dir)
	}
	return fmt.Sprintf("the postgres cluster in %s is in use by process %d: stop it, or choose another data directory", e.Dir, e.PID)
}

// VersionError reports that the data directory was made by a major version of
// PostgreSQL whose programs are not there.
type VersionError struct {
	Dir   string   // the data directory
	Major int      // the version that made it
	Found []string // the versions that are there, with their directories
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("the data directory %s was made by PostgreSQL %d, found only %s: install PostgreSQL %d beside it (Debian: apt-get install postgresql-%d), "+
		"or set KG_PG_BIN to its programs. To go over to a newer version, with the programs of both: kg serve upgrade-postgres, "+
		"which keeps the old files (docs/running.md, Another version of PostgreSQL)",
		e.Dir, e.Major, strings.Join(e.Found, ", "), e.Major, e.Major)
}

// exitError reports that one of PostgreSQL's programs failed.
type exitError struct {
	program string
	err     error
	log     string // its last lines
}

func (e *exitError) Error() string {
	if e.log == "" {
		return fmt.Sprintf("%s: %v", e.program, e.err)
	}
	return fmt.Sprintf("%s: %v; its last lines:\n%s", e.program, e.err, e.log)
}

func (e *exitError) Unwrap() error { return e.err }
