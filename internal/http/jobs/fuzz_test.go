package jobs

import "testing"

// FuzzBodies sends any bytes as submissions and priorities (Q49).
func FuzzBodies(f *testing.F) { newStrict(f).Bodies(f, 2) }

// FuzzQueries sends any query: what is looked for is in range, and nothing is deleted
// that was not asked for.
func FuzzQueries(f *testing.F) { newStrict(f).Queries(f, 4, "jobs.prune") }

// FuzzPathsAndKeys sends any text as a job's id and as a key.
func FuzzPathsAndKeys(f *testing.F) { newStrict(f).Names(f, 7) }
