// Package documents finds and reads the files that are to be submitted.
package documents

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
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
		"*.html", "*.htm", "*.xhtml", "*.pdf", "*.epub", "*.eml", "*.mbox", "*.csv", "*.tsv", "*.srt", "*.vtt",
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

// Left is a file or directory that is left out, and why.
type Left struct{ Path, Reason string }

// Why something is left out.
const (
	hidden   = "hidden"
	excluded = "excluded"
	tooDeep  = "deeper than --depth"
	noFile   = "no regular file"
	unnamed  = "not included" // its name is not among the patterns
	ignored  = "ignored by " + IgnoreFile
)

// Find returns the files of dir that are meant, in the order of their names, and what is left out:
// hidden files and directories, what ignore files say, and what the selection does not mean. What
// stands in a directory that is left out is not listed, and ignore files are not.
func Find(dir string, s Selection) (found []string, left []Left, err error) {
	if err := s.check(); err != nil {
		return nil, nil, err
	}
	if stat, err := os.Stat(dir); err == nil && !stat.IsDir() {
		return nil, nil, exit.Usage("%s is not a directory: use kg ingest file", dir)
	}
	ignore := ignores{root: dir}
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() == IgnoreFile && path != dir {
			return err
		}
		reason := ""
		if path != dir {
			reason = s.leaves(dir, path, entry)
			if reason == "" && ignore.leave(path, entry.IsDir()) {
				reason = ignored
			}
		}
		switch {
		case reason != "":
			left = append(left, Left{Path: path, Reason: reason})
			if entry.IsDir() {
				return filepath.SkipDir
			}
		case entry.IsDir():
			return ignore.enter(path)
		default:
			found = append(found, path)
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("look into %s: %w", dir, err)
	}
	return found, left, nil
}

// leaves returns why something in dir is left out, or "".
func (s Selection) leaves(dir, path string, entry fs.DirEntry) string {
	switch {
	case strings.HasPrefix(entry.Name(), "."):
		return hidden
	case matches(s.Exclude, entry.Name()):
		return excluded
	case entry.IsDir() && s.Depth != AnyDepth && depthOf(dir, path) > s.Depth:
		return tooDeep
	case entry.IsDir():
		return ""
	case !entry.Type().IsRegular():
		return noFile
	case !matches(s.Include, entry.Name()):
		return unnamed
	}
	return ""
}

// Summary says in a line what is left out: how much of each reason and, of what is not included, of
// each ending, the most frequent first. It is "" when nothing is.
func Summary(left []Left) string {
	if len(left) == 0 {
		return ""
	}
	counts := map[string]int{}
	for _, l := range left {
		what := l.Reason
		if l.Reason == unnamed {
			if what = strings.ToLower(filepath.Ext(l.Path)); what == "" {
				what = "without an ending"
			}
		}
		counts[what]++
	}
	whats := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
	const most = 8
	parts := make([]string, 0, most+1)
	for i, what := range whats {
		if i == most {
			parts = append(parts, fmt.Sprintf("%d other kinds", len(whats)-most))
			break
		}
		parts = append(parts, fmt.Sprintf("%d %s", counts[what], what))
	}
	return strings.Join(parts, ", ")
}

// depthOf returns how many directories below dir the directory path is.
func depthOf(dir, path string) int {
	within, err := filepath.Rel(dir, path)
	if err != nil {
		return 0
	}
	return 1 + strings.Count(filepath.ToSlash(within), "/")
}
