// Package documents finds and reads the files that are to be submitted.
package documents

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
)

// maxFileBytes is the largest file that kg reads; the server's limit is lower.
const maxFileBytes = 1 << 30

// DefaultPatterns are the names of the files of a directory that are submitted.
func DefaultPatterns() []string {
	return []string{"*.md", "*.markdown", "*.txt", "*.text", "*.rst", "*.org", "*.adoc", "*.tex"}
}

// Read returns d with the body and the names of a file.
func Read(d client.Document, path string) (client.Document, error) {
	whole, err := filepath.Abs(path)
	if err != nil {
		return d, fmt.Errorf("find %s: %w", path, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return d, fmt.Errorf("read the document: %w", err)
	}
	defer f.Close() //nolint:errcheck // it is only read
	if stat, err := f.Stat(); err == nil && stat.IsDir() {
		return d, &fs.PathError{Op: "submit", Path: path, Err: errors.New("is a directory: use kg ingest directory")}
	}
	d.Body, err = ReadAll(f, path)
	d.Filename, d.SourceType, d.SourcePath = filepath.Base(path), "file", whole
	return d, err
}

// ReadAll reads all of r, which is named for errors.
func ReadAll(r io.Reader, name string) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, maxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(body) > maxFileBytes {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("has more than %s", kappa.HumanSize(maxFileBytes))}
	}
	return body, nil
}

// Find returns the files of dir whose names match one of the patterns, in
// the order of their names.
func Find(dir string, recursive bool, include []string) ([]string, error) {
	for _, pattern := range include {
		if _, err := filepath.Match(pattern, "x"); err != nil {
			return nil, exit.Usage("--include %q: %w", pattern, err)
		}
	}
	if stat, err := os.Stat(dir); err == nil && !stat.IsDir() {
		return nil, exit.Usage("%s is not a directory: use kg ingest file", dir)
	}
	var found []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := strings.HasPrefix(entry.Name(), ".") && path != dir
		switch {
		case entry.IsDir() && path != dir && (hidden || !recursive):
			return filepath.SkipDir
		case !entry.Type().IsRegular() || hidden:
			return nil
		}
		if slices.ContainsFunc(include, func(pattern string) bool {
			matches, _ := filepath.Match(pattern, entry.Name()) // checked above
			return matches
		}) {
			found = append(found, path)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look into %s: %w", dir, err)
	}
	return found, nil
}
