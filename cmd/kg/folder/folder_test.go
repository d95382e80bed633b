package folder_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa/cmd/kg/documents"
	"github.com/kappagraph/kappa/cmd/kg/folder"
)

// TestCompare shows each state.
func TestCompare(t *testing.T) {
	files := []folder.File{{Path: "a", Hash: "1"}, {Path: "b", Hash: "2"}, {Path: "b2", Hash: "2"}, {Path: "c", Hash: "3"}, {Path: "d", Hash: "4"}, {Path: "new", Hash: "5"}, {Path: "new2", Hash: "5"}}
	stored := []folder.Stored{{"1", "a"}, {"2", "b2"}, {"30", "c"}, {"31", "c"}, {"4", "was/d"}, {"6", "gone"}}
	var got []string
	for _, e := range folder.Compare(files, stored) {
		got = append(got, fmt.Sprintf("%s %s %s%s", e.State, e.Path, e.DocumentID, e.From))
	}
	want := []string{"unchanged a 1", "copy b 2b2", "unchanged b2 2", "changed c 3", "moved d 4was/d", "new new 5", "copy new2 5new", "gone gone 6"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestCompareSettles does what a plan says to a model of the server: each document of the folder
// is then there once, at a path where it stands, nothing else is, and the next plan has nothing to do.
func TestCompareSettles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		paths, hashes := rapid.SampledFrom([]string{"a", "b", "c", "d/e"}), rapid.SampledFrom([]string{"1", "2", "3", "4", "5"})
		here := rapid.MapOf(paths, hashes).Draw(t, "folder")
		server := rapid.MapOf(hashes, paths).Draw(t, "server") // an ontology has a document once
		var files []folder.File
		for _, p := range slices.Sorted(maps.Keys(here)) {
			files = append(files, folder.File{Path: p, Hash: here[p]})
		}
		for _, e := range folder.Compare(files, storedIn(server)) {
			switch e.State {
			case folder.New, folder.Moved:
				server[e.DocumentID] = e.Path
			case folder.Changed:
				maps.DeleteFunc(server, func(_, path string) bool { return path == e.Path })
				server[e.DocumentID] = e.Path
			case folder.Gone:
				delete(server, e.DocumentID)
			}
		}
		for document, path := range server {
			if here[path] != document {
				t.Errorf("the server has %s at %s, the folder %q", document, path, here[path])
			}
		}
		for path, document := range here {
			if _, known := server[document]; !known {
				t.Errorf("the server has not %s of %s", document, path)
			}
		}
		for _, e := range folder.Compare(files, storedIn(server)) {
			if e.State != folder.Unchanged && e.State != folder.Copy {
				t.Errorf("after it %s is %s", e.Path, e.State)
			}
		}
	})
}

func storedIn(server map[string]string) (stored []folder.Stored) {
	for _, document := range slices.Sorted(maps.Keys(server)) {
		stored = append(stored, folder.Stored{DocumentID: document, Path: server[document]})
	}
	return stored
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	for name, body := range map[string]string{
		"one.md": "two words", "sub/two.pdf": "%PDF\x00", "sub/drafts/three.md": "x", "sub/drafts/kept.md": "y", "build/four.md": "z", ".git/five.md": "v", "six.png": "",
		".kgignore": "# built\n/build/\n", "sub/.kgignore": "drafts/*\r\n!drafts/kept.md\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, left, err := folder.Read(dir, documents.Selection{Include: documents.DefaultPatterns(), Depth: documents.AnyDepth})
	if err != nil {
		t.Fatal(err)
	}
	var got, out []string
	for _, f := range files {
		words := -1
		if f.Words != nil {
			words = *f.Words
		}
		got = append(got, fmt.Sprintf("%s %d %d", f.Path, f.Bytes, words))
	}
	for _, l := range left {
		out = append(out, strings.TrimPrefix(l.Path, dir+"/")+": "+l.Reason)
	}
	if want := []string{"one.md 9 2", "sub/drafts/kept.md 1 1", "sub/two.pdf 5 -1"}; !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
	if want := []string{".git: hidden", "build: ignored by .kgignore", "six.png: not included", "sub/drafts/three.md: ignored by .kgignore"}; !slices.Equal(out, want) {
		t.Errorf("left out %q, want %q", out, want)
	}
	if want := "sha256:" + strings.Repeat("[0-9a-f]", 64); len(files) > 0 && len(files[0].Hash) != len("sha256:")+64 {
		t.Errorf("hash %q, want %s", files[0].Hash, want)
	}
}
