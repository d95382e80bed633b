package serve

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/kappagraph/kappa/corpus"
)

// cutterTexts are cut by most of the rules.
var cutterTexts = []corpus.DocumentText{
	{Markup: corpus.ContentMarkdown, Text: "# Lanes\n\nA lane is a named group of job types. Each lane has slots of its own.\n\n## Slots\n\nTerm\n: what a term is\n\n- **slot** – room for one job\n- **lease** – how long a worker holds a job\n\n" +
		"| Name | Meaning |\n|---|---|\n| lane | a group of job types |\n| TTL (time to live) | how long it is kept |\n\n```go\nfunc main() {}\n```\n\n[Home](/) | [About](/about) | [Contact](/contact)\n\n---\n\nThe write-ahead log (WAL) refers to a file that changes are written to first.\n"},
	{Markup: corpus.ContentPlain, Text: "1. Introduction\n\nEpoch, also known as era, is a period of time.\n\nEin Wartungsfenster ist ein Zeitraum, in dem Arbeiten stattfinden. Die Arbeit ist geplant.\n\n" +
		"北京大学是中国的一所大学。它位于北京。\n\nAll human beings are born free and equal in dignity and rights, and they should act towards one another in a spirit of brotherhood.\n\n" +
		"Alle Menschen sind frei und gleich an Würde und Rechten geboren, und sie sollen einander im Geist der Brüderlichkeit begegnen.\n\nLa fotosíntesis es un proceso de las plantas. Se produce en las hojas de las plantas verdes.\n\nReferences\n\n[1] A. Author, A Book, 1999.\n"},
}

// TestCutterVersion: when documents are cut otherwise, or other definitions are found, the version is
// another one, or what is stored stays as older rules have cut it.
func TestCutterVersion(t *testing.T) {
	t.Parallel()
	const version, sum = 2, "97197e05a1f6e851"
	hash := sha256.New()
	passages := 0
	for _, text := range cutterTexts {
		for p := range cutter.Cut(text) {
			passages++
			fmt.Fprintf(hash, "%d %v %q %q %q %q %q %q\n", p.Number, p.Span, p.Class, p.Language, p.Section, p.Columns, p.Defines, p.Text)
		}
	}
	if got := hex.EncodeToString(hash.Sum(nil))[:16]; got != sum || corpus.CutterVersion != version {
		t.Errorf("%d passages of the sum %s by version %d, and not %s by %d: where documents are cut otherwise than before, raise corpus.CutterVersion, so that what is stored is cut again, and write both here",
			passages, got, corpus.CutterVersion, sum, version)
	}
}
