package answers

import (
	"slices"
	"strings"

	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// Missing returns what a question has and the documents do not, as the question writes it: lacks
// are its words as they are compared, in their folded form or their stem. Words beside each other
// that are missing are one name where both are written as names: "Eiffel Tower".
func Missing(question string, english bool, lacks []string) []string {
	all := []string{}
	last := -1 // where the missing word before ends
	covered := 0
	for _, w := range words.Cut(question, english).Words {
		if !slices.Contains(lacks, w.Text) && !slices.Contains(lacks, w.Stem) || w.Start < covered {
			continue
		}
		covered = w.End
		written := question[w.Start:w.End]
		if n := len(all); n > 0 && last >= 0 && question[last:w.Start] == " " && capital(written) && capital(all[n-1]) {
			all[n-1] += " " + written
		} else if !slices.ContainsFunc(all, func(known string) bool { return strings.EqualFold(known, written) }) {
			all = append(all, written)
		} else {
			last = -1
			continue
		}
		last = w.End
	}
	return all
}
