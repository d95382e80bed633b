package main

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// The passages in the styles that people have: half of them for tuning, half held out.
// See styles/README.md.
//
//go:embed styles/dev/*.txt styles/heldout/*.txt
var styles embed.FS

// The names of the built-in sets.
const (
	setTextbook        = "textbook"         // textbook prose, which the rules were fitted to
	setTextbookHeldout = "textbook-heldout" // textbook prose that was held out
	setDev             = "dev"              // all styles, for tuning
	setHeldout         = "heldout"          // all styles, held out: only its totals are read
)

// builtinSets are the sets that a flag can name, with the folder of each.
var builtinSets = []struct {
	name, folder string
	files        fs.FS
}{
	{setTextbook, "evalset/tuning", evalset},
	{setTextbookHeldout, "evalset/heldout", evalset},
	{setDev, "styles/dev", styles},
	{setHeldout, "styles/heldout", styles},
}

// readBuiltin reads the built-in set of a name. Its error wraps errInput when there is
// none.
func readBuiltin(name string) (set, error) {
	for _, b := range builtinSets {
		if b.name == name {
			return readFolder(b.name, b.files, b.folder)
		}
	}
	return set{}, fmt.Errorf("%w: no set %q; there are %s", errInput, name, setNames())
}

// readFolder reads the annotated passages of one folder.
func readFolder(name string, files fs.FS, folder string) (set, error) {
	s := set{name: name}
	paths, err := fs.Glob(files, path.Join(folder, "*.txt"))
	if err != nil {
		return s, fmt.Errorf("list the passages of %q: %w", name, err)
	}
	for _, file := range paths {
		raw, err := fs.ReadFile(files, file)
		if err != nil {
			return s, fmt.Errorf("read a passage of %q: %w", name, err)
		}
		d, err := parseAnnotated(path.Base(file), string(raw))
		if err != nil {
			return s, err
		}
		s.documents = append(s.documents, d)
	}
	return s, nil
}

// heldOut reports whether the details of a set are not to be read while tuning.
func heldOut(name string) bool {
	return slices.Contains([]string{setHeldout, setTextbookHeldout}, name)
}

// setNames lists the built-in sets.
func setNames() string {
	var names []string
	for _, b := range builtinSets {
		names = append(names, b.name)
	}
	return strings.Join(names, ", ")
}
