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
var sleepers = map[string]string{
	"cmd/kg/e2e: meanwhile":                         "what must not happen needs some time not to happen",
	"cmd/kg/e2e: .away":                             "the outage itself",
	"cmd/kg/e2e: inWrongTime":                       "leases pass in real time, on clocks that differ",
	"cmd/kg/e2e: awaitReady":                        "as load balancers ask",
	"cmd/kg/e2e: TestOllamaEmbedsOneAtATime":        "a model that takes some time, for others to overlap with",
	"cmd/kg/read: hang":                             "a child process that does not answer",
	"internal/dataset: hang":                        "likewise",
	"internal/sandbox: hang":                        "likewise",
	"internal/pgembed: runChild":                    "a child process that waits to be killed",
	"internal/pgembed: upgradeKilled":               "it is killed at many moments, of which nothing tells",
	"internal/pgembed: TestVersionUpgradeKilled":    "likewise",
	"internal/http/streams: .pause":                 "answers of a store overtake each other at random",
	"internal/http/streams: runJob":                 "events come at random, while readers come and go",
	"internal/http/streams: runJobs":                "likewise",
	"internal/http/streams: TestUnconfirmedStreams": "a store that takes longer than a stream may be unconfirmed",
	"test/remote: .turn":                            "a worker at its pace, and one that stands still past its lease",
}

// TestNoSleep finds tests of the fast tier that let real time pass to wait for something:
// such a test is slow on every machine and fails on a busy one. Time passes in a bubble of
// testing/synctest, where it is not real; a test waits for a channel, or polls a condition
// until a deadline that only a hang reaches, as await.That does. The slow tier may
// sleep.
func TestNoSleep(t *testing.T) {
	packages := map[string]*testCode{}
	sourceFiles(t, 0, func(name string, file *ast.File) {
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

// TestSleepers has code of tests read.
func TestSleepers(t *testing.T) {
	const sleep = "time.Sleep(time.Second)"
	for code, want := range map[string]string{
		"func TestA(t *testing.T) { " + sleep + " }":                                                                                         "TestA",
		"func TestA_Slow(t *testing.T) { " + sleep + " }":                                                                                    "",
		"func BenchmarkA(b *testing.B) { " + sleep + " }":                                                                                    "",
		"func TestA(t *testing.T) { go func() { " + sleep + " }() }":                                                                         "TestA",
		"func TestA(t *testing.T) { f := time.Sleep; f(0) }":                                                                                 "TestA",
		"func TestA(t *testing.T) { for !kappa.Sleep(t.Context(), 1) { } }":                                                                  "TestA",
		"func TestA(t *testing.T) { <-time.After(time.Second) }":                                                                             "TestA",
		"func TestA(t *testing.T) { select { case <-c: case <-time.After(time.Second): t.Fatal() } }":                                        "",
		"func TestA(t *testing.T) { synctest.Test(t, func(t *testing.T) { " + sleep + " }) }":                                                "",
		"func TestA(t *testing.T) { synctest.Test(t, func(t *testing.T) { }); " + sleep + " }":                                               "TestA",
		"func TestA(t *testing.T) { f := func() { " + sleep + " }; synctest.Test(t, func(t *testing.T) { f() }) }":                           "",
		"func TestA(t *testing.T) { wait() }; func wait() { " + sleep + " }":                                                                 "wait",
		"func TestA(t *testing.T) { synctest.Test(t, func(t *testing.T) { wait() }) }; func wait() { " + sleep + " }":                        "",
		"func TestA_Slow(t *testing.T) { wait() }; func wait() { " + sleep + " }":                                                            "",
		"func TestA(t *testing.T) { x.wait() }; func (fake) wait() { " + sleep + " }":                                                        ".wait",
		"func TestA(t *testing.T) { x.wait = 1 }; func (fake) wait() { " + sleep + " }":                                                      "",
		"func TestA(t *testing.T) { wait := 1; _ = wait }; func wait() { " + sleep + " }":                                                    "",
		"func TestA(t *testing.T) { in(t, func() { " + sleep + " }) }; func in(t *testing.T, f func()) { synctest.Test(t, func() { f() }) }": "",
		"var wait = func() { " + sleep + " }":                                                                                                "var",
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "a_test.go", "package a\n"+code, 0)
		if err != nil {
			t.Fatal(err)
		}
		read := testCode{}
		read.add(file)
		if got := strings.Join(read.sleepers(), " "); got != want {
			t.Errorf("%s: %q sleeps, want %q", code, got, want)
		}
	}
}

// testCode is what the test files of a package declare.
type testCode struct{ functions []*testFunction }

// testFunction is a declared function, or the variables of a file, outside bubbles.
type testFunction struct {
	name     string          // of a method: with a dot before it
	sleeps   bool            // it lets real time pass
	mentions map[string]bool // names that it may call
	node     ast.Node
}

func (c *testCode) add(file *ast.File) {
	for _, decl := range file.Decls {
		f := &testFunction{name: "var", node: decl}
		if declared, _ := decl.(*ast.FuncDecl); declared != nil {
			f.name = declared.Name.Name
			if declared.Recv != nil {
				f.name = "." + f.name
			}
		}
		c.functions = append(c.functions, f)
	}
}

// sleepers returns the functions that sleep and that a fast test reaches outside of a
// bubble. Functions are told apart by their names alone, which finds too many rather
// than too few.
func (c *testCode) sleepers() []string {
	wrappers := c.wrappers()
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

// wrappers returns the functions that run others in a bubble, or have a wrapper do so.
func (c *testCode) wrappers() map[string]bool {
	found := map[string]bool{}
	for known := -1; known < len(found); {
		known = len(found)
		for _, f := range c.functions {
			if !isTest(f.name) && opensBubble(f.node, found) {
				found[f.name] = true
			}
		}
	}
	return found
}

// isTest reports whether the go command calls a function of this name in the fast tier or
// the slow one.
func isTest(name string) bool {
	return name == "init" || slices.ContainsFunc([]string{"Test", "Fuzz", "Example"}, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// read looks for what a function does outside of bubbles. Functions that it keeps, in
// variables and tables, run in its bubbles, if it opens any. A name is that of a function
// unless it is one of a variable, and that of a method where it is called or passed on.
func (f *testFunction) read(wrappers map[string]bool) {
	f.mentions = map[string]bool{}
	bubbles := opensBubble(f.node, wrappers)
	other := map[ast.Node]bool{} // what is looked at elsewhere, or is no mention
	called := map[ast.Node]bool{}
	ast.Inspect(f.node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return called[n] || !bubbles
		case *ast.CallExpr:
			if isBubble(n, wrappers) {
				return false
			}
			for _, e := range append(n.Args, n.Fun) {
				called[e] = true
				if method, _ := e.(*ast.SelectorExpr); method != nil {
					f.mentions["."+method.Sel.Name] = true
				}
			}
		case *ast.CommClause: // most receives of a select are deadlines
			other[n.Comm] = true
		case *ast.ExprStmt:
			f.sleeps = f.sleeps || !other[n] && isPause(n.X)
		case *ast.KeyValueExpr:
			other[n.Key] = true
			if method, _ := n.Value.(*ast.SelectorExpr); method != nil {
				f.mentions["."+method.Sel.Name] = true
			}
		case *ast.SelectorExpr:
			other[n.Sel] = true
			f.sleeps = f.sleeps || isSelector(n, "time", "Sleep") || isSelector(n, "kappa", "Sleep")
		case *ast.Ident:
			if !other[n] && (n.Obj == nil || n.Obj.Kind == ast.Fun) {
				f.mentions[n.Name] = true
			}
		}
		return true
	})
}

// isPause reports whether an expression is <-time.After(…).
func isPause(n ast.Expr) bool {
	receive, _ := n.(*ast.UnaryExpr)
	if receive == nil || receive.Op != token.ARROW {
		return false
	}
	call, _ := receive.X.(*ast.CallExpr)
	return call != nil && isSelector(call.Fun, "time", "After")
}

// isBubble reports whether a call runs its functions in a bubble.
func isBubble(call *ast.CallExpr, wrappers map[string]bool) bool {
	name, _ := call.Fun.(*ast.Ident)
	return isSelector(call.Fun, "synctest", "Test") || name != nil && wrappers[name.Name]
}

// opensBubble reports whether a function has something run in a bubble.
func opensBubble(function ast.Node, wrappers map[string]bool) bool {
	found := false
	ast.Inspect(function, func(n ast.Node) bool {
		call, _ := n.(*ast.CallExpr)
		found = found || call != nil && isBubble(call, wrappers)
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
