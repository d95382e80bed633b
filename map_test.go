package kappa_test

import (
	"go/ast"
	"go/parser"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// mapped returns the folders of the map in CONTRIBUTING.md: the text below Layout, in which
// a folder is below the one that is indented less, and several may stand on a line.
func mapped(text string) map[string]bool {
	_, text, _ = strings.Cut(text, "## Layout")
	_, text, _ = strings.Cut(text, "```text\n")
	text, _, _ = strings.Cut(text, "```")
	folders := map[string]bool{}
	var above []string
	for line := range strings.Lines(text) {
		depth := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		if depth > len(above) {
			continue // the rest of the words beside a folder
		}
		above = above[:depth]
		for name := range strings.FieldsSeq(line) {
			name, isFolder := strings.CutSuffix(name, "/")
			if !isFolder {
				break
			}
			folders[path.Join(path.Join(above...), name)] = true
		}
		if first := strings.Fields(line); len(first) > 0 {
			above = append(above, strings.TrimSuffix(first[0], "/"))
		}
	}
	return folders
}

// TestMap compares the map in CONTRIBUTING.md with the packages that there are.
func TestMap(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	packages := map[string]bool{}
	sourceFiles(t, parser.PackageClauseOnly, func(name string, _ *ast.File) { packages[path.Dir(name)] = true })
	folders := mapped(string(text))
	for _, p := range slices.Sorted(maps.Keys(packages)) {
		if p != "." && !folders[p] {
			t.Errorf("the map in CONTRIBUTING.md lacks %s", p)
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		if _, err := os.Stat(folder); err != nil {
			t.Errorf("the map in CONTRIBUTING.md has %s, which is not there", folder)
		}
	}
}

func TestMapped(t *testing.T) {
	got := slices.Sorted(maps.Keys(mapped("## Layout\n\n```text\n*.go    words\na/      one\n  b/    two, with\n        more words c/\n    d/ e/ two at once\nf/      last\n```\ng/\n")))
	if want := []string{"a", "a/b", "a/b/d", "a/b/e", "f"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
