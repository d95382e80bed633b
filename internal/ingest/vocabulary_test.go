package ingest

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

func TestNormalizeType(t *testing.T) {
	builtin := vocabulary.BuiltinTypeNames().Active
	tests := map[string]struct{ raw, want string }{
		"the same word":                       {"CAUSES", "CAUSES"},
		"other writing":                       {" part-of ", "PART_OF"},
		"a known passive":                     {"implemented by", "IMPLEMENTED_BY"},
		"an unknown passive is refused":       {"CAUSED_BY", ""},
		"the start of a type":                 {"HAS", "HAS_PART"},
		"the shortest that starts so":         {"IMPLEMENT", "IMPLEMENTS"},
		"the shortest, which comes first":     {"IMPL", "IMPLIES"},
		"two letters are no start":            {"IN", "IN"},
		"more than a type":                    {"CAUSES_DIRECTLY", "CAUSES"},
		"the longest that it starts with":     {"IMPLIES_STRONGLY", "IMPLIES"},
		"another form of the verb":            {"CAUSING", "CAUSES"},
		"another form with a y":               {"IMPLY", "IMPLIES"},
		"another form in two words":           {"RELATES_TO", "RELATED_TO"},
		"a slip of the pen":                   {"CONTRADCITS", "CONTRADICTS"},
		"a word that is new":                  {"ORBITS", "ORBITS"},
		"near in letters, reverse in meaning": {"REDUCES", "REDUCES"},
		"digits at the start":                 {"2nd_child_of", "ND_CHILD_OF"},
		"no letters":                          {"→ 12", ""},
		"nothing":                             {"", ""},
		"another alphabet":                    {"ПРИЧИНА", ""},
		"NUL and control characters":          {"OR\x00BITS\n", "OR_BITS"},
		"too long":                            {strings.Repeat("ORBIT_", 30), strings.Repeat("ORBIT_", 16) + "ORBI"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := NormalizeType(builtin, tt.raw); got != tt.want {
				t.Errorf("%q becomes %q, want %q", tt.raw, got, tt.want)
			}
		})
	}
	t.Run("any input gives a type that the database takes, and keeps it", func(t *testing.T) {
		form := regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,99}$`)
		rapid.Check(t, func(t *rapid.T) {
			got := NormalizeType(builtin, rapid.String().Draw(t, "raw"))
			if got != "" && (!form.MatchString(got) || NormalizeType(builtin, got) != got) {
				t.Errorf("got %q, and from that %q", got, NormalizeType(builtin, got))
			}
		})
	})
}
