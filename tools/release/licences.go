package main

import (
	"cmp"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// module is one that is in a program.
type module struct {
	path, version, sum string
	programs           []string // in which it is
}

// modulesOf reads from programs which modules are in them.
func modulesOf(programs []string) ([]module, error) {
	var list []module
	for _, program := range programs {
		is, err := buildinfo.ReadFile(program)
		if err != nil {
			return nil, err
		}
		for _, d := range is.Deps {
			if d.Replace != nil {
				d = d.Replace
			}
			i := slices.IndexFunc(list, func(m module) bool { return m.path == d.Path && m.version == d.Version })
			if i < 0 {
				i, list = len(list), append(list, module{path: d.Path, version: d.Version, sum: d.Sum})
			}
			list[i].programs = append(list[i].programs, filepath.Base(program))
		}
	}
	slices.SortFunc(list, func(a, b module) int { return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.version, b.version)) })
	return list, nil
}

// licenceName is that of files with a licence, or with what a licence demands to be kept.
var licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|copyright|unlicense|patents)([.-].*)?$`)

// licences returns the licence files of modules and of Go, by their names in a release:
// LICENSES/path@version/LICENSE. A module without any is an error: it may not be shipped.
func (r *release) licences(ctx context.Context, modules []module) (map[string][]byte, error) {
	root, err := r.output(ctx, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	version, err := r.output(ctx, "go", "env", "GOVERSION")
	if err != nil {
		return nil, err
	}
	if err := addLicences(files, "LICENSES/"+version, root); err != nil {
		return nil, err
	}
	dirs, err := r.moduleDirs(ctx)
	if err != nil {
		return nil, err
	}
	var missing []error
	for _, m := range modules {
		name := m.path + "@" + m.version
		before := len(files)
		if err := addLicences(files, "LICENSES/"+name, dirs[name]); err != nil {
			return nil, err
		}
		if len(files) > before {
			continue
		}
		// Parts of a repository may be modules without a licence of their own: that of the
		// module above them is theirs.
		above := aboveIt(modules, m)
		if above == "" || addLicences(files, "LICENSES/"+name, dirs[above]) != nil || len(files) == before {
			missing = append(missing, fmt.Errorf("%s has no licence file", name))
		}
	}
	return files, errors.Join(missing...)
}

// aboveIt returns the nearest module of which another one is a part, as path@version.
func aboveIt(modules []module, part module) (name string) {
	longest := 0
	for _, m := range modules {
		if strings.HasPrefix(part.path, m.path+"/") && len(m.path) > longest {
			longest, name = len(m.path), m.path+"@"+m.version
		}
	}
	return name
}

// moduleDirs returns where the modules of the repository stand, by path@version.
func (r *release) moduleDirs(ctx context.Context) (map[string]string, error) {
	said, err := r.output(ctx, "go", "list", "-m", "-json=Path,Version,Dir,Replace", "all")
	if err != nil {
		return nil, err
	}
	dirs := map[string]string{}
	for list := json.NewDecoder(strings.NewReader(said)); ; {
		var m struct{ Path, Version, Dir string }
		if err := list.Decode(&m); errors.Is(err, io.EOF) {
			return dirs, nil
		} else if err != nil {
			return nil, err
		}
		dirs[m.Path+"@"+m.Version] = m.Dir
	}
}

// addLicences adds the licence files of a folder to files, below a name.
func addLicences(files map[string][]byte, below, dir string) error {
	if dir == "" {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !entry.Type().IsRegular() || !licenceName.MatchString(entry.Name()) || strings.HasSuffix(entry.Name(), ".go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return err
		}
		files[below+"/"+entry.Name()] = text
	}
	return nil
}
