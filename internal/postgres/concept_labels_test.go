package postgres

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestConceptLabels changes labels in random steps: what is found is what a search through all
// of them finds.
func TestConceptLabels(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		labels := map[int32]string{}
		label := rapid.StringMatching("[aAbBÄäµ \n]{0,5}")
		concept := rapid.Int32Range(1, 200)
		draw := func(name string) (list []labelled) {
			for _, n := range rapid.SliceOfNDistinct(concept, 0, 20, rapid.ID).Draw(t, name) {
				list = append(list, labelled{n, label.Draw(t, "label")})
			}
			return list
		}
		first := draw("first")
		for _, c := range first {
			labels[c.concept] = c.label
		}
		known := newConceptLabels(first)
		for range rapid.IntRange(0, 4).Draw(t, "steps") {
			changed := draw("changed")
			var touched []int32
			for _, c := range changed {
				touched, labels[c.concept] = append(touched, c.concept), c.label
			}
			for _, n := range rapid.SliceOfN(concept, 0, 10).Draw(t, "gone") {
				if !slices.Contains(touched, n) {
					touched = append(touched, n)
					delete(labels, n)
				}
			}
			known = known.with(touched, changed)
		}
		part := rapid.StringMatching("[aAbBÄäµ ]{1,3}").Draw(t, "part")
		found := known.having(part)
		for n := range int32(300) {
			text, there := labels[n]
			want := there && strings.Contains(strings.ToLower(strings.ReplaceAll(text, "\n", " ")), strings.ToLower(part))
			if found.has(n) != want {
				t.Fatal(fmt.Sprintf("%q in %q: %t", part, text, !want))
			}
		}
	})
}
