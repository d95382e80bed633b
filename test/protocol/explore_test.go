package protocol

import (
	"strings"
	"testing"
)

// TestProtocol tries every order of events.
func TestProtocol(t *testing.T) {
	found := Explore(Sound)
	t.Logf("%d states, %d steps", found.States, found.Steps)
	if found.Broken != "" || found.States < 10_000 {
		t.Errorf("%d states: %s\n%s", found.States, found.Broken, found.Trace)
	}
}

// TestFlaws puts each known flaw back: the search finds it, with the steps that lead there.
func TestFlaws(t *testing.T) {
	for flaw, want := range map[Flaw]string{
		EndsUnguarded:     "a job ends twice",
		TokenKept:         "a late claim is heeded",
		TakesFromTheLive:  "a job is taken from a worker that lives",
		CancelForgotten:   "a job is claimed after its cancellation",
		CancelsWhatIsOver: "a job ends twice",
		OrphansStay:       "a job has no way on to its end",
		ClaimsWhatIsTaken: "a job is taken from a worker that lives",
	} {
		found := Explore(flaw)
		t.Logf("%s: %s after\n  %s", flaw, found.Broken, strings.ReplaceAll(found.Trace, "\n", "\n  "))
		if found.Broken != want {
			t.Errorf("%s: found %q, want %q", flaw, found.Broken, want)
		}
	}
}
