// Package folder compares the documents of a folder with those that the server has of it.
package folder

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/kappagraph/kappa/cmd/kg/documents"
)

// SourceType is how documents of folders are submitted.
const SourceType = "sync"

// File is a document of a folder.
type File struct {
	Path  string // below the folder, with slashes
	Hash  string // as the server names documents: sha256: and 64 hexadecimal digits
	Bytes int
	Words *int // of a text; nil is another format, which the server reads
}

// Stored is a document that the server has of a folder.
type Stored struct {
	DocumentID string
	Path       string // below the folder, with slashes
}

// Read returns the documents of dir that are meant, in the order of their paths, and what is left
// out. All of their bytes are read, one file at a time.
func Read(dir string, meant documents.Selection) ([]File, []documents.Left, error) {
	paths, left, err := documents.Find(dir, meant)
	if err != nil {
		return nil, nil, err
	}
	files := make([]File, 0, len(paths))
	for _, path := range paths {
		within, err := filepath.Rel(dir, path)
		if err != nil {
			return nil, nil, fmt.Errorf("find %s in %s: %w", path, dir, err)
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return nil, nil, fmt.Errorf("read the document: %w", err)
		}
		f := File{Path: filepath.ToSlash(within), Hash: hashOf(body), Bytes: len(body)}
		if utf8.Valid(body) && bytes.IndexByte(body, 0) < 0 {
			f.Words = new(len(bytes.Fields(body)))
		}
		files = append(files, f)
	}
	return files, left, nil
}

func hashOf(body []byte) string {
	sum := sha256.Sum256(body)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// State is what has become of a document since the server took it.
type State string

// The states of documents.
const (
	New       State = "new"
	Changed   State = "changed"
	Moved     State = "moved" // its bytes stand at another path
	Unchanged State = "unchanged"
	Copy      State = "copy" // of another file, with the same bytes
	Gone      State = "gone" // from the folder; or an earlier version that has stayed
)

// Entry is a document in a plan.
type Entry struct {
	State State  `json:"state"`
	Path  string `json:"path"`
	// From is where a moved document was, and of which file a copy is.
	From       string `json:"from,omitempty"`
	DocumentID string `json:"document_id"`
	Bytes      int    `json:"bytes"`
	Words      *int   `json:"words"`
}

// Compare says what has become of each document: what is there in the order of its paths, then
// what is gone. A document is known by its bytes: an ontology has it once, at one path.
func Compare(files []File, stored []Stored) []Entry {
	c := comparison{here: map[string]string{}, at: map[string][]string{}, of: map[string]string{}, kept: map[string]string{}}
	for _, f := range files {
		c.here[f.Path] = f.Hash
	}
	for _, s := range stored {
		c.at[s.Path] = append(c.at[s.Path], s.DocumentID)
		c.of[s.DocumentID] = s.Path
	}
	entries := make([]Entry, 0, len(files))
	replaced := map[string]bool{} // paths
	// What has stayed is not told as a copy of what comes before it.
	for _, f := range files {
		if slices.Contains(c.at[f.Path], f.Hash) {
			c.kept[f.Hash] = f.Path
		}
	}
	for _, f := range files {
		e := Entry{Path: f.Path, DocumentID: f.Hash, Bytes: f.Bytes, Words: f.Words}
		e.State, e.From = c.state(f)
		if e.State != Copy {
			c.kept[f.Hash] = f.Path
		}
		if e.State == Changed {
			replaced[f.Path] = true
		}
		entries = append(entries, e)
	}
	for _, s := range stored {
		if _, stays := c.kept[s.DocumentID]; !stays && !replaced[s.Path] {
			entries = append(entries, Entry{State: Gone, Path: s.Path, DocumentID: s.DocumentID})
		}
	}
	return entries
}

// comparison is what is known of both sides.
type comparison struct {
	here map[string]string   // hashes by path
	at   map[string][]string // documents of the server by path
	of   map[string]string   // and their paths
	kept map[string]string   // documents that a file has, with its path
}

func (c comparison) state(f File) (state State, from string) {
	if slices.Contains(c.at[f.Path], f.Hash) {
		return Unchanged, ""
	}
	if first, known := c.kept[f.Hash]; known {
		return Copy, first
	}
	if was, known := c.of[f.Hash]; known {
		return Moved, was
	}
	if len(c.at[f.Path]) > 0 {
		return Changed, ""
	}
	return New, ""
}
