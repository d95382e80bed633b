package kappa_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/kappagraph/kappa"

// siblings are the imports between packages that the star rule would forbid,
// each with its reason. Tests may use pgtest besides.
var siblings = map[string]string{
	"internal/postgres → internal/postgres/db": "sqlc's output, a part of postgres",
	"internal/pgtest → internal/pgembed":       "tests start their own PostgreSQL",
	"internal/pgtest → migrations":             "a test database is a migrated one",
}

// homes says where a third party may be imported; everything else stays away
// from it, so that it can be replaced in one place.
var homes = map[string][]string{
	"github.com/gin-gonic/gin":      {"internal/http"},
	"github.com/danielgtaylor/huma": {"internal/http"},
	"github.com/jackc/pgx":          {"internal/postgres", "internal/notify", "internal/pgembed", "internal/pgtest", "migrations", "test/campaign"}, // the campaign checks the tables from outside
	"github.com/jackc/pglogrepl":    {"internal/notify"},
	"github.com/nats-io":            {"internal/notify"}, // the client; the server is for tests
	"github.com/prometheus":         {"internal/http"},
	"github.com/pressly/goose":      {"migrations"},
	"github.com/jdkato/prose":       {"internal/extract"},
	"github.com/spf13/cobra":        {"cmd"},
	"github.com/jedib0t/go-pretty":  {"cmd"},
	"github.com/golang-jwt/jwt":     {"internal/auth"},
	"golang.org/x/crypto":           {"internal/auth"},
	"github.com/yuin/goldmark":      {"internal/extract", "internal/ingest"},
	"github.com/gabriel-vasile":     {"internal/ingest"},
}

// TestImportRule reads the imports of every file of the module. It parses the
// files itself: what another tool says may come from a cache.
func TestImportRule(t *testing.T) {
	checked := 0
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && name != "." && (strings.HasPrefix(entry.Name(), ".") || slices.Contains([]string{"bench", "tools", "web", "bin"}, name)) {
			return filepath.SkipDir // modules of their own
		}
		if entry.IsDir() || filepath.Ext(name) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			checked++
			if problem := forbidden(filepath.ToSlash(filepath.Dir(name)), imported, strings.HasSuffix(name, "_test.go")); problem != "" {
				t.Errorf("%s imports %s: %s", name, imported, problem)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 100 {
		t.Fatalf("only %d imports were read: the test does not see the module", checked)
	}
}

// forbidden returns the rule that an import breaks, or "".
func forbidden(from, imported string, test bool) string {
	if standard(imported) {
		return ""
	}
	if imported == module {
		return ""
	}
	own, isOwn := strings.CutPrefix(imported, module+"/")
	switch {
	case from == "." && test:
		return ""
	case from == ".":
		return "the root package imports the standard library only"
	case !isOwn:
		return thirdParty(from, imported, test)
	case strings.HasPrefix(from, "cmd/"), strings.HasPrefix(from, "test/"), own == from:
		return ""
	case test && own == "internal/pgtest":
		return ""
	case siblings[from+" → "+own] != "":
		return ""
	}
	return "a package imports the root, the standard library and third parties, never a sibling"
}

// thirdParty returns the rule that an import of a third party breaks, or "".
func thirdParty(from, imported string, test bool) string {
	for prefix, allowed := range homes {
		if imported != prefix && !strings.HasPrefix(imported, prefix+"/") {
			continue
		}
		for _, home := range allowed {
			if from == home || strings.HasPrefix(from, home+"/") || test {
				return ""
			}
		}
		return "it has its home in " + strings.Join(allowed, ", ")
	}
	return ""
}

// standard reports whether a path is of the standard library: its first element
// has no dot.
func standard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".")
}

func TestForbidden(t *testing.T) {
	for _, c := range []struct {
		from, imported string
		test, allowed  bool
	}{
		{".", "strings", false, true},
		{".", "github.com/jackc/pgx/v5", false, false},
		{".", module + "/internal/lanes", false, false},
		{"internal/lanes", module, false, true},
		{"internal/lanes", module + "/internal/postgres", false, false},
		{"internal/lanes", module + "/internal/pgtest", true, true},
		{"internal/lanes", module + "/internal/pgtest", false, false},
		{"internal/lanes", "github.com/jackc/pgx/v5", false, false},
		{"internal/postgres", "github.com/jackc/pgx/v5/pgxpool", false, true},
		{"internal/postgres", module + "/internal/postgres/db", false, true},
		{"internal/http", "github.com/gin-gonic/gin", false, true},
		{"internal/graph", "github.com/gin-gonic/gin", false, false},
		{"cmd/kg", module + "/internal/postgres", false, true},
		{"test/campaign", module + "/internal/postgres", false, true},
		{"client", module, false, true},
		{"client", module + "/internal/http", false, false},
		{path.Join("internal", "http"), module + "/internal/auth", false, false},
	} {
		if problem := forbidden(c.from, c.imported, c.test); (problem == "") != c.allowed {
			t.Errorf("%s imports %s (test %v): allowed %v, want %v (%s)", c.from, c.imported, c.test, problem == "", c.allowed, problem)
		}
	}
}

// measures says where a package that has to do with stored times may ask this
// machine for the time all the same: to measure how long something takes.
var measures = map[string][]string{
	"internal/postgres": {"clock.go", "pool.go"},
	"internal/auth":     {"throttle.go"},
	"internal/ingest":   {"analyst.go", "handler.go"},
	"internal/graph":    nil,
}

// TestQ04_TheDatabasesClock finds who dates what is stored by the clock of this
// machine, which may be wrong. See Store.Now.
func TestQ04_TheDatabasesClock(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("internal", "*", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	if len(names) < 300 {
		t.Fatalf("only %d files were found: the test does not see the module", len(names))
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		allowed, stored := measures[filepath.ToSlash(filepath.Dir(name))]
		mayMeasure := !stored || slices.Contains(allowed, filepath.Base(name))
		for i, line := range strings.Split(string(text), "\n") {
			measured := strings.HasSuffix(line, " := time.Now()")
			dated := strings.Contains(line, "kappa.At(time.Now())") && name != filepath.Join("internal", "notify", "state.go") // of a connection in this process
			if dated || !mayMeasure && !measured && strings.Contains(line, "time.Now()") {
				t.Errorf("%s:%d asks this machine for the time: use Store.Now, or Config.Now, or the database's functions", name, i+1)
			}
		}
	}
}
