package kappa_test

import (
	"go/ast"
	"go/parser"
	"strings"
	"testing"
)

// TestForbiddenSlow sees to it that the slow tier is run by its name: a test that
// is called Test…_Slow asks pgtest.SlowTier, and no other function does. The packages that
// pgtest itself needs have a slowTier of their own.
func TestForbiddenSlow(t *testing.T) {
	sourceFiles(t, parser.SkipObjectResolution, func(name string, file *ast.File) {
		if !strings.HasSuffix(name, "_test.go") {
			return
		}
		for _, decl := range file.Decls {
			function, _ := decl.(*ast.FuncDecl)
			if function == nil {
				continue
			}
			slow := strings.HasSuffix(function.Name.Name, "_Slow")
			if asks := mentions(function, "SlowTier") || calls(function, "slowTier"); asks != slow {
				t.Errorf("%s: %s: named slow: %v, asks pgtest.SlowTier: %v", name, function.Name.Name, slow, asks)
			}
		}
	})
}

// mentions reports whether a function uses a name of another package.
func mentions(function *ast.FuncDecl, name string) bool {
	found := false
	ast.Inspect(function, func(n ast.Node) bool {
		selector, _ := n.(*ast.SelectorExpr)
		found = found || selector != nil && selector.Sel.Name == name
		return !found
	})
	return found
}

// calls reports whether a function calls one of its own package by that name.
func calls(function *ast.FuncDecl, name string) bool {
	found := false
	ast.Inspect(function, func(n ast.Node) bool {
		call, _ := n.(*ast.CallExpr)
		if call == nil {
			return !found
		}
		own, _ := call.Fun.(*ast.Ident)
		found = found || own != nil && own.Name == name
		return !found
	})
	return found
}
