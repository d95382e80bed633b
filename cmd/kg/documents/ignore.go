package documents

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
)

// IgnoreFile is the name of files that say what of their directory, and of those below it, is left
// out, in the syntax of gitignore.
const IgnoreFile = ".kgignore"

// ignores are the patterns of the ignore files of a directory and of those below it that have been
// entered. What a file says further down counts more.
type ignores struct {
	root     string
	patterns []gitignore.Pattern
}

// enter reads the ignore file of a directory, which need not be there.
func (i *ignores) enter(dir string) error {
	body, err := os.ReadFile(filepath.Join(dir, IgnoreFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read what is left out: %w", err)
	}
	for line := range strings.Lines(string(body)) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		i.patterns = append(i.patterns, gitignore.ParsePattern(line, i.within(dir)))
	}
	return nil
}

// leave reports whether a file or directory is left out.
func (i *ignores) leave(path string, dir bool) bool {
	return gitignore.NewMatcher(i.patterns).Match(i.within(path), dir)
}

// within returns the names on the way from the root to path.
func (i *ignores) within(path string) []string {
	within, err := filepath.Rel(i.root, path)
	if err != nil || within == "." {
		return nil
	}
	return strings.Split(filepath.ToSlash(within), "/")
}
