package kappa_test

import (
	"go/ast"
	"go/parser"
	"strconv"
	"strings"
	"testing"
)

// TestForbiddenTemplates finds what executes templates of the standard library. A template may
// call any method by its name: a program with one keeps every exported method of every type
// that it uses, which made kg 12 MB larger.
func TestForbiddenTemplates(t *testing.T) {
	sourceFiles(t, parser.SkipObjectResolution, func(name string, file *ast.File) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		for _, spec := range file.Imports {
			if imported, _ := strconv.Unquote(spec.Path.Value); imported == "text/template" || imported == "html/template" {
				t.Errorf("%s imports %s", name, imported)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			selector, _ := n.(*ast.SelectorExpr)
			if selector != nil && strings.HasPrefix(selector.Sel.Name, "Set") && strings.HasSuffix(selector.Sel.Name, "Template") {
				t.Errorf("%s calls %s, which is a template of cobra's; it has functions for the same", name, selector.Sel.Name)
			}
			return true
		})
	})
}
