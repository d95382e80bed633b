package english

import (
	"slices"
	"strings"
	"testing"
)

// TestVerbClasses reads a sentence of each verb of verbClasses.
func TestVerbClasses(t *testing.T) {
	inflected := map[string]string{}
	for form, v := range newVerbs() {
		if v.shape&shapeParticiple != 0 {
			inflected[v.lemma+" p"] = form
		}
		if v.shape&shapePast != 0 {
			inflected[v.lemma+" a"] = form
		}
	}
	classRules(func(lemma, voice, prep, typ string) {
		if typ == typeIsA || strings.Contains(" serve run operate make give ", " "+lemma+" ") || typ == "FOUNDED" {
			return // what they state depends on their ends: see TestObjects and TestEndsThatFit
		}
		verb := inflected[lemma+" "+voice]
		if voice == "p" {
			verb = "is " + verb
		}
		text := strings.Join(strings.Fields("The dynamo "+verb+" "+strings.Trim(prep, "-")+" the flywheel."), " ")
		want := "dynamo " + typ + " flywheel"
		if inverted, turned := strings.CutPrefix(typ, "<"); turned {
			want = "flywheel " + inverted + " dynamo"
		}
		if got := statements(t, text, ""); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	})
}
