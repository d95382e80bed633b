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

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/corpus"
)

// maxFileBytes is the largest file that kg reads; the server's limit is lower.
const maxFileBytes = 1 << 30

// DefaultPatterns are the names of the files of a directory that are submitted: those of
// documents. JSON, logs and source code are read when they are asked for.
func DefaultPatterns() []string {
	return []string{
		"*.md", "*.markdown", "*.txt", "*.text", "*.rst", "*.org", "*.adoc", "*.tex",
		"*.html", "*.htm", "*.xhtml", "*.pdf", "*.epub", "*.eml", "*.csv", "*.tsv",
		"*.docx", "*.docm", "*.dotx", "*.dotm", "*.xlsx", "*.xlsm", "*.xltx", "*.xltm", "*.pptx", "*.pptm", "*.ppsx", "*.ppsm", "*.potx", "*.potm",
		"*.odt", "*.ott", "*.fodt", "*.ods", "*.ots", "*.fods", "*.odp", "*.otp", "*.fodp", "*.odg", "*.rtf",
		"*.doc", "*.dot", "*.xls", "*.xlt", "*.ppt", "*.pps", "*.pot", "*.msg",
	}
}

// AnyDepth is the Depth of a Selection that looks into all directories.
const AnyDepth = -1

// Selection says which files of a directory are meant. Patterns are of names, in
// letters of any case.
type Selection struct {
	Include []string // of files
	Exclude []string // of files and directories
	Depth   int      // how many directories below the first one; AnyDepth is all
}

// check returns a misuse when a pattern is none.
func (s Selection) check() error {
	for flag, patterns := range map[string][]string{"--include": s.Include, "--exclude": s.Exclude} {
		for _, pattern := range patterns {
			if _, err := filepath.Match(pattern, "x"); err != nil {
				return exit.Usage("%s %q: %w", flag, pattern, err)
			}
		}
	}
	return nil
}

// matches reports whether a name matches one of the patterns, which have been checked.
func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		matches, _ := filepath.Match(strings.ToLower(pattern), strings.ToLower(name))
		return matches
	})
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
		return nil, &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("has more than %s", corpus.HumanSize(maxFileBytes))}
	}
	return body, nil
}

// Find returns the files of dir that are meant, in the order of their names. Hidden
// files and directories are not.
func Find(dir string, s Selection) ([]string, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if stat, err := os.Stat(dir); err == nil && !stat.IsDir() {
		return nil, exit.Usage("%s is not a directory: use kg ingest file", dir)
	}
	var found []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		left := strings.HasPrefix(entry.Name(), ".") || matches(s.Exclude, entry.Name())
		switch {
		case entry.IsDir() && (left || s.Depth != AnyDepth && depthOf(dir, path) > s.Depth):
			return filepath.SkipDir
		case entry.Type().IsRegular() && !left && matches(s.Include, entry.Name()):
			found = append(found, path)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look into %s: %w", dir, err)
	}
	return found, nil
}

// depthOf returns how many directories below dir the directory path is.
func depthOf(dir, path string) int {
	within, err := filepath.Rel(dir, path)
	if err != nil {
		return 0
	}
	return 1 + strings.Count(filepath.ToSlash(within), "/")
}
