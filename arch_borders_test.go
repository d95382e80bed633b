package kappa_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strconv"
	"strings"
	"testing"
)

// foreign are the types of third parties that cross no border: no exported name
// outside the home speaks of them.
var foreign = map[string]string{ // import path → home
	"github.com/jackc/pgx/v5/pgtype": "internal/postgres/db",
	"github.com/gin-gonic/gin":       "internal/http",
}

// TestForbiddenTypes reads what every package exports.
func TestForbiddenTypes(t *testing.T) {
	sourceFiles(t, parser.SkipObjectResolution, func(name string, file *ast.File) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		for _, leak := range leaks(path.Dir(name), file) {
			t.Errorf("%s: %s crosses the border of the package", name, leak)
		}
	})
}

// leaks returns the exported names of a file whose types are foreign.
func leaks(folder string, file *ast.File) []string {
	names := map[string]bool{} // by which the file knows foreign packages
	for _, spec := range file.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		home, isForeign := foreign[imported]
		if !isForeign || folder == home || below(folder, home) {
			continue
		}
		local := path.Base(imported)
		if spec.Name != nil {
			local = spec.Name.Name
		}
		names[local] = true
	}
	if len(names) == 0 {
		return nil
	}
	var found []string
	for name, exported := range exportedTypes(file) {
		ast.Inspect(exported, func(n ast.Node) bool {
			selector, _ := n.(*ast.SelectorExpr)
			if selector == nil {
				return true
			}
			if pkg, _ := selector.X.(*ast.Ident); pkg != nil && names[pkg.Name] {
				found = append(found, pkg.Name+"."+selector.Sel.Name+" in "+name)
			}
			return true
		})
	}
	return found
}

// exportedTypes returns the types that the exported names of a file speak of:
// parameters, results, exported fields, methods of interfaces.
func exportedTypes(file *ast.File) map[string]ast.Node {
	types := map[string]ast.Node{}
	for _, decl := range file.Decls {
		if function, _ := decl.(*ast.FuncDecl); function != nil {
			if function.Name.IsExported() && (function.Recv == nil || ast.IsExported(receiver(function.Recv.List[0].Type))) {
				types[function.Name.Name] = function.Type
			}
			continue
		}
		for _, spec := range decl.(*ast.GenDecl).Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() {
					addType(types, spec.Name.Name, spec.Type)
				}
			case *ast.ValueSpec:
				if spec.Type != nil && spec.Names[0].IsExported() {
					types[spec.Names[0].Name] = spec.Type
				}
			}
		}
	}
	return types
}

// addType adds a declared type: of a struct the exported fields alone.
func addType(types map[string]ast.Node, name string, declared ast.Expr) {
	structure, _ := declared.(*ast.StructType)
	if structure == nil {
		types[name] = declared
		return
	}
	for _, field := range structure.Fields.List {
		if len(field.Names) == 0 {
			types[name+" (embedded)"] = field.Type
		}
		for _, f := range field.Names {
			if f.IsExported() {
				types[name+"."+f.Name] = field.Type
			}
		}
	}
}

// receiver returns the name of the type of a receiver.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

func TestForbiddenTypesAreFound(t *testing.T) {
	const imports = "package p\nimport \"github.com/jackc/pgx/v5/pgtype\"\n"
	for _, c := range []struct {
		folder, source string
		leaks          int
	}{
		{"internal/postgres", imports + "func F(a, b int) (pgtype.Bits, error)", 1},
		{"internal/postgres", imports + "func f() pgtype.Bits", 0},
		{"internal/postgres", imports + "type T struct { a pgtype.Bits }", 0},
		{"internal/postgres", imports + "type T struct { A []pgtype.Bits }", 1},
		{"internal/postgres", imports + "type T struct { pgtype.Bits }", 1},
		{"internal/postgres", imports + "type T interface { M(map[string]*pgtype.Bits) }", 1},
		{"internal/postgres", imports + "type T struct{}; func (*T) M(pgtype.Bits)", 1},
		{"internal/postgres", imports + "type t struct{}; func (*t) M(pgtype.Bits)", 0},
		{"internal/postgres", imports + "var V pgtype.Bits", 1},
		{"internal/postgres", imports + "func F() { var b pgtype.Bits; _ = b }", 0},
		{"internal/postgres/db", imports + "func F() pgtype.Bits", 0},
		{"internal/http/jobs", "package p\nimport \"github.com/gin-gonic/gin\"\nfunc F(*gin.Context)", 0},
		{"internal/remote", "package p\nimport g \"github.com/gin-gonic/gin\"\nfunc F(*g.Context)", 1},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "p.go", c.source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if found := leaks(c.folder, file); len(found) != c.leaks {
			t.Errorf("%s: %q leaks %q, want %d", c.folder, c.source, found, c.leaks)
		}
	}
}
