package frame

import "testing"

func TestLacksProtection(t *testing.T) {
	for missing, want := range map[string]bool{
		LandlockScope + " signals: the kernel knows version 5": false,
		MemoryGroup + ": no group is delegated":                false,
		OtherUser + ": the server is not root":                 false,
		"seccomp: the kernel has none":                         true,
	} {
		if got := LacksProtection([]string{LandlockScope + " sockets", missing}); got != want {
			t.Errorf("without %s: %t, want %t", missing, got, want)
		}
	}
	if LacksProtection(nil) {
		t.Error("nothing is missing, and that is serious")
	}
}
