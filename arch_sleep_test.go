package kappa_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// sleepers are the functions of fast tests that let real time pass, each with its reason.
var sleepers = map[string]string{}

// TestNoSleep finds tests of the fast tier that let real time pass to wait for something:
// such a test is slow on every machine and fails on a busy one. Time passes in a bubble of
// testing/synctest, where it is not real; a test waits for a channel, or polls a condition
// until a deadline that only a hang reaches, as await.That does. The slow tier may
// sleep.
func TestNoSleep(t *testing.T) {
	packages := map[string]*testCode{}
	sourceFiles(t, parser.SkipObjectResolution, func(name string, file *ast.File) {
		if !strings.HasSuffix(name, "_test.go") {
			return
		}
		dir := path.Dir(name)
		if packages[dir] == nil {
			packages[dir] = &testCode{}
		}
		packages[dir].add(file)
	})
	used := map[string]bool{}
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		for _, function := range packages[dir].sleepers() {
			name := dir + ": " + function
			used[name] = true
			if sleepers[name] == "" {
				t.Errorf("%s lets real time pass: wait for a channel, poll with a deadline, or use a bubble of testing/synctest", name)
			}
		}
	}
	for name := range sleepers {
		if !used[name] {
			t.Errorf("%s does not sleep any more: remove it from the list", name)
		}
	}
}

// testCode is what the test files of a package declare.
type testCode struct{ functions []*testFunction }

// testFunction is a declared function, or the variables of a file, outside bubbles.
type testFunction struct {
	name     string
	wraps    bool            // it opens a bubble, for functions that it is given
	sleeps   bool            // it lets real time pass
	mentions map[string]bool // names that it may call
	node     ast.Node
}

func (c *testCode) add(file *ast.File) {
	for _, decl := range file.Decls {
		f := &testFunction{name: "var", node: decl}
		if declared, _ := decl.(*ast.FuncDecl); declared != nil {
			f.name = declared.Name.Name
			f.wraps = mentions(declared, "Test") && !isTest(f.name) && opensBubble(declared)
		}
		c.functions = append(c.functions, f)
	}
}

// sleepers returns the functions that sleep and that a fast test reaches outside of a
// bubble. Functions are told apart by their names alone, which finds too many rather
// than too few.
func (c *testCode) sleepers() []string {
	wrappers := map[string]bool{}
	for _, f := range c.functions {
		if f.wraps {
			wrappers[f.name] = true
		}
	}
	reached := []string{"var"}
	for _, f := range c.functions {
		f.read(wrappers)
		if isTest(f.name) && !strings.HasSuffix(f.name, "_Slow") {
			reached = append(reached, f.name)
		}
	}
	found, seen := map[string]bool{}, map[string]bool{}
	for len(reached) > 0 {
		name := reached[0]
		reached = reached[1:]
		if seen[name] {
			continue
		}
		seen[name] = true
		for _, f := range c.functions {
			if f.name != name {
				continue
			}
			if f.sleeps {
				found[name] = true
			}
			reached = slices.AppendSeq(reached, maps.Keys(f.mentions))
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// isTest reports whether the go command calls a function of this name in the fast tier or
// the slow one.
func isTest(name string) bool {
	return name == "init" || slices.ContainsFunc([]string{"Test", "Fuzz", "Example"}, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// read looks for what a function does outside of bubbles.
func (f *testFunction) read(wrappers map[string]bool) {
	f.mentions = map[string]bool{}
	selected := map[ast.Node]bool{} // receives of a select: most of them are deadlines
	ast.Inspect(f.node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if isBubble(n, wrappers) {
				return false
			}
		case *ast.CommClause:
			selected[n.Comm] = true
		case *ast.ExprStmt:
			if receive, _ := n.X.(*ast.UnaryExpr); receive != nil && receive.Op == token.ARROW && !selected[n] {
				if call, _ := receive.X.(*ast.CallExpr); call != nil && isSelector(call.Fun, "time", "After") {
					f.sleeps = true
				}
			}
		case *ast.SelectorExpr:
			f.sleeps = f.sleeps || isSelector(n, "time", "Sleep") || isSelector(n, "kappa", "Sleep")
		case *ast.Ident:
			f.mentions[n.Name] = true
		}
		return true
	})
}

// isBubble reports whether a call runs its functions in a bubble.
func isBubble(call *ast.CallExpr, wrappers map[string]bool) bool {
	name, _ := call.Fun.(*ast.Ident)
	return isSelector(call.Fun, "synctest", "Test") || name != nil && wrappers[name.Name]
}

// opensBubble reports whether a function calls synctest.Test.
func opensBubble(function *ast.FuncDecl) bool {
	found := false
	ast.Inspect(function, func(n ast.Node) bool {
		call, _ := n.(*ast.CallExpr)
		found = found || call != nil && isBubble(call, nil)
		return !found
	})
	return found
}

// isSelector reports whether an expression is a name of a package.
func isSelector(n ast.Expr, pkg, name string) bool {
	selector, _ := n.(*ast.SelectorExpr)
	if selector == nil || selector.Sel.Name != name {
		return false
	}
	x, _ := selector.X.(*ast.Ident)
	return x != nil && x.Name == pkg
}
