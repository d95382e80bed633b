package extract

import (
	"fmt"
	"os"
	"testing"
)

func TestDbg(t *testing.T) {
	l, _ := NewLocal()
	b, _ := os.ReadFile(os.Getenv("F"))
	r := newReading(l, string(b), "text/plain")
	_ = r.tag(t.Context())
	names := []string{"x", "N", "NS", "NP", "CODE", "JJ", "VB", "VBZ", "VBD", "VBG", "VBN", "MD", "DT", "PRP$", "POS", "PRP", "IN", "TO", "CC", "RB", "WH", "CD", "."}
	for i, s := range r.sentences {
		for _, k := range s.tokens {
			fmt.Print(k.text, "/", names[k.tag], " ")
		}
		fmt.Println()
		for _, p := range r.phrases[i] {
			fmt.Print("   [", p.key, "]")
		}
		fmt.Println()
	}
	for _, c := range r.choose() {
		fmt.Print(c.label(), " ", c.score, "; ")
	}
}
