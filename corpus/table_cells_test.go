package corpus_test

import (
	"slices"
	"testing"

	"github.com/kappagraph/kappa/corpus"
)

func TestTableCells(t *testing.T) {
	for _, c := range []struct {
		name, row string
		want      []string
	}{
		{"a row", "| When | Remedy |\n", []string{"When", "Remedy"}},
		{"an empty cell", "| a | | c |", []string{"a", "", "c"}},
		{"no last border", "| a | b", []string{"a", "b"}},
		{"no first border", "a | b |", []string{"a", "b"}},
		{"within code", "| `a | b` | c |", []string{"`a | b`", "c"}},
		{"after a backslash", `| a \| b | c |`, []string{`a \| b`, "c"}},
		{"nothing", " ", []string{}},
		{"a backslash at the end", `| a \`, []string{`a \`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := corpus.TableCells(c.row); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
