package graph

import "testing"

// FuzzBodies sends any bytes as questions (Q49).
func FuzzBodies(f *testing.F) { newStrict(f).Bodies(f, 3) }

// FuzzQueries sends any query to the lists.
func FuzzQueries(f *testing.F) { newStrict(f).Queries(f, 2, "") }

// FuzzPathsAndKeys asks for any concept.
func FuzzPathsAndKeys(f *testing.F) { newStrict(f).Names(f, 1) }
