package wire

import (
	"encoding/json"
	"testing"
)

// TestRW28_Kinds has the kind of each code, by which a worker knows what to do.
func TestRW28_Kinds(t *testing.T) {
	t.Parallel()
	for kind, codes := range map[string][]Code{
		"retryable": {"unavailable", "busy", "rate_limited", "out_of_order"},
		"terminal":  {"stale_claim", "unknown_run", "already_ended", "too_large", "bad_payload", "bad_result", "unknown_event"},
		"fatal":     {"lease_expired", "unsupported_profile", "unknown_type", "bad_groups", "identity_in_use", "blocked"},
	} {
		for _, code := range codes {
			text, err := json.Marshal(NewError(code, "why"))
			if err != nil {
				t.Fatal(err)
			}
			want := `{"kind":"` + kind + `","code":"` + string(code) + `","message":"why"`
			if kind == "retryable" {
				want += `,"retry_ms":2000`
			}
			if string(text) != want+"}" {
				t.Errorf("%s is %s, want %s}", code, text, want)
			}
		}
	}
}
