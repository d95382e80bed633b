package ingest

import (
	"strings"
	"unicode"

	"github.com/kappagraph/kappa/knowledge/naming"
)

const (
	longestName = 4    // words of a name that is looked up
	mostNames   = 6000 // that are looked up for a chunk
	// shortestName is the length in bytes from which on a single word is looked up: "is"
	// and "the" name nothing.
	shortestName = 4
)

// namesIn returns the runs of up to four words of a text, each once, in the form of
// naming.LabelKey: whichever of them is the name of a known concept, the text mentions it.
func namesIn(text string) []string {
	words := strings.Fields(text)
	for i, w := range words {
		words[i] = naming.LabelKey(strings.TrimFunc(w, func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }))
	}
	seen := map[string]bool{}
	var names []string
	for n := longestName; n >= 1; n-- {
		for i := 0; i+n <= len(words) && len(names) < mostNames; i++ {
			name := strings.Join(words[i:i+n], " ")
			if len(name) < shortestName || seen[name] || strings.HasPrefix(name, " ") || strings.HasSuffix(name, " ") {
				continue
			}
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}
