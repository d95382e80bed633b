package work

import "testing"

// TestResumeCommand has the command that ends a pause name what is paused as a shell reads it.
func TestResumeCommand(t *testing.T) {
	for want, p := range map[string]PauseRequest{
		"kg admin resume --all":                         {Scope: PauseAll},
		"kg admin resume --type ingestion":              {Scope: PauseType, Value: "ingestion"},
		"kg admin resume --ontology 'my reports'":       {Scope: PauseOntology, Value: "my reports"},
		`kg admin resume --ontology 'Anna'\''s papers'`: {Scope: PauseOntology, Value: "Anna's papers"},
	} {
		if got := (Pause{PauseRequest: p}).Resume(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
