package kappa_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// forOthers are the packages whose configurations other people's programs set.
var forOthers = []string{"client"}

// TestConfigsAreSet finds the fields of configurations that no program sets: tests alone
// do, or nobody. Users then run with what the tests replaced, or without a part that only
// tests have. What a test shortens is a field that only its package sees.
func TestConfigsAreSet(t *testing.T) {
	declared := map[configField]string{} // and in which file
	set := map[configField]bool{}
	sourceFiles(t, parser.SkipObjectResolution, func(name string, file *ast.File) {
		folder := path.Dir(name)
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		for _, field := range configFields(folder, file) {
			if !slices.Contains(forOthers, folder) {
				declared[field] = name
			}
		}
		maps.Copy(set, setFields(folder, file))
	})
	if len(declared) < 250 {
		t.Fatalf("only %d fields were found: the test does not see the configurations", len(declared))
	}
	for field, file := range declared {
		if !set[field] && !set[configField{field.folder, "", field.name}] {
			t.Errorf("%s: no program sets %s.%s; what tests alone set is not exported, and the rest a constant", file, field.typ, field.name)
		}
	}
}

// configField is a field of a configuration. Without a type it stands for the field of that
// name of any type of the package.
type configField struct{ folder, typ, name string }

// configFields returns the exported fields of the configurations that a file declares.
func configFields(folder string, file *ast.File) (fields []configField) {
	for _, decl := range file.Decls {
		group, _ := decl.(*ast.GenDecl)
		if group == nil {
			continue
		}
		for _, spec := range group.Specs {
			declared, _ := spec.(*ast.TypeSpec)
			if declared == nil || !isConfig(declared.Name.Name) {
				continue
			}
			if structure, _ := declared.Type.(*ast.StructType); structure != nil {
				for _, name := range exportedFields(structure) {
					fields = append(fields, configField{folder, declared.Name.Name, name})
				}
			}
		}
	}
	return fields
}

// isConfig reports whether a type of this name is what a constructor is given.
func isConfig(name string) bool {
	return ast.IsExported(name) && (strings.HasSuffix(name, "Config") || strings.HasSuffix(name, "Limits"))
}

// exportedFields returns the names of the exported fields of a structure.
func exportedFields(structure *ast.StructType) (names []string) {
	for _, field := range structure.Fields.List {
		for _, name := range field.Names {
			if name.IsExported() {
				names = append(names, name.Name)
			}
		}
	}
	return names
}

// setFields returns the fields that a file sets: in a literal, by their addresses, as flags
// are read, and by assignment, unless it belongs to the package of the type. What a package
// assigns to its own configuration is what holds when nobody has set it.
func setFields(folder string, file *ast.File) map[configField]bool {
	set, imported := map[configField]bool{}, ownImports(file)
	ofAny := func(target ast.Expr, folders ...string) {
		if selector, _ := target.(*ast.SelectorExpr); selector != nil {
			for _, folder := range folders {
				set[configField{folder, "", selector.Sel.Name}] = true
			}
		}
	}
	others := slices.Collect(maps.Values(imported))
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			of := literalType(folder, imported, n.Type)
			for _, element := range n.Elts {
				if pair, _ := element.(*ast.KeyValueExpr); pair != nil {
					if key, _ := pair.Key.(*ast.Ident); key != nil {
						set[configField{of.folder, of.typ, key.Name}] = true
					}
				}
			}
		case *ast.AssignStmt:
			for _, target := range n.Lhs {
				ofAny(target, others...)
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				ofAny(n.X, append(others, folder)...)
			}
		}
		return true
	})
	return set
}

// ownImports returns the packages of the module that a file imports, by the names that it
// knows them by.
func ownImports(file *ast.File) map[string]string {
	imported := map[string]string{}
	for _, spec := range file.Imports {
		whole, _ := strconv.Unquote(spec.Path.Value)
		if own, isOwn := strings.CutPrefix(whole, module+"/"); isOwn {
			name := path.Base(own)
			if spec.Name != nil {
				name = spec.Name.Name
			}
			imported[name] = own
		}
	}
	return imported
}

// literalType returns the type of a literal.
func literalType(folder string, imported map[string]string, typ ast.Expr) configField {
	switch typ := typ.(type) {
	case *ast.Ident:
		return configField{folder: folder, typ: typ.Name}
	case *ast.SelectorExpr:
		if pkg, _ := typ.X.(*ast.Ident); pkg != nil {
			return configField{folder: imported[pkg.Name], typ: typ.Sel.Name}
		}
	}
	return configField{}
}

func TestSetFields(t *testing.T) {
	const head = "package p\nimport (\n\"" + module + "/internal/lanes\"\nother \"" + module + "/internal/remote\"\n)\n"
	for _, c := range []struct {
		source string
		want   configField
		set    bool
	}{
		{"var _ = lanes.Config{Store: 1}", configField{"internal/lanes", "Config", "Store"}, true},
		{"var _ = &other.Config{Store: 1}", configField{"internal/remote", "Config", "Store"}, true},
		{"var _ = Config{Store: 1}", configField{"internal/p", "Config", "Store"}, true},
		{"var _ = lanes.Other{Store: 1}", configField{"internal/lanes", "Config", "Store"}, false},
		{"func f(c lanes.Config) { c.Store = 1 }", configField{"internal/lanes", "", "Store"}, true},
		{"func f(c Config) { c.Store = 1 }", configField{"internal/p", "", "Store"}, false},
		{"func f(c Config) { flag(&c.Store) }", configField{"internal/p", "", "Store"}, true},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "p.go", head+c.source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if set := setFields("internal/p", file); set[c.want] != c.set {
			t.Errorf("%q sets %v, want %v of it %v", c.source, set, c.want, c.set)
		}
	}
}
