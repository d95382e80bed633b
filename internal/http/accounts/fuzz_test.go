package accounts

import "testing"

// FuzzBodies sends any bytes as forms (Q49).
func FuzzBodies(f *testing.F) { newStrict(f).Bodies(f, 4) }

// FuzzNames asks for any client.
func FuzzNames(f *testing.F) { newStrict(f).Names(f, 2) }
