package corpus_test

import (
	"slices"
	"testing"

	"github.com/kappagraph/kappa/corpus"
)

func TestUniqueNames(t *testing.T) {
	for _, c := range []struct{ paths, among, want []string }{
		{[]string{"/a/pgx/README.md", "/a/gin/README.md", "/a/x.md"}, nil, []string{"pgx/README.md", "gin/README.md", "x.md"}},
		{[]string{"a/b/c.md", "x/b/c.md", "c.md"}, nil, []string{"a/b/c.md", "x/b/c.md", "c.md"}},
		{[]string{"a/b.md"}, []string{"c/b.md", "d/e.md"}, []string{"a/b.md"}},
		{[]string{"a/b.md", "a/b.md"}, []string{"a/b.md"}, []string{"b.md", "b.md"}},
		{[]string{"", "/", "a/"}, nil, []string{"", "/", "a/"}},
		{nil, nil, []string{}},
	} {
		if got := corpus.UniqueNames(c.paths, c.among); !slices.Equal(got, c.want) {
			t.Errorf("%q among %q are %q, want %q", c.paths, c.among, got, c.want)
		}
	}
}
