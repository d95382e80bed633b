package corpus

import (
	"path"
	"strings"
)

// NamePath returns the path of a document that ends in its name, of where it came from if that does.
func NamePath(filename, sourcePath string) string {
	whole := strings.ReplaceAll(sourcePath, "\\", "/")
	if name := strings.ReplaceAll(filename, "\\", "/"); path.Base(whole) != path.Base(name) {
		whole = name
	}
	return strings.TrimPrefix(path.Clean(whole), "/")
}

// UniqueNames returns a name for each of some paths, in their order: the fewest last parts of it that
// no other path ends with, of those and of among. "README.md" of many becomes "pgx/README.md".
// Equal paths have equal names.
func UniqueNames(paths, among []string) []string {
	ends := map[string]int{} // how many paths end so
	seen := map[string]bool{}
	for _, all := range [][]string{paths, among} {
		for _, p := range all {
			if seen[p] {
				continue
			}
			seen[p] = true
			for end := range lastParts(p) {
				ends[end]++
			}
		}
	}
	names := make([]string, len(paths))
	for i, p := range paths {
		names[i] = p
		for end := range lastParts(p) {
			if ends[end] == 1 {
				names[i] = end
				break
			}
		}
	}
	return names
}

// mostParts bounds how far a path is looked at from its end.
const mostParts = 16

// lastParts yields the last part of a path, its last two, and so on, and then all of it.
func lastParts(path string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		at := len(strings.TrimRight(path, "/"))
		for range mostParts {
			at = strings.LastIndexByte(path[:at], '/')
			if at < 0 {
				break
			}
			if !yield(path[at+1:]) {
				return
			}
		}
		yield(path)
	}
}
