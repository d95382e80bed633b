package kappa_test

import (
	"go/ast"
	"go/parser"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// measures says where a package that has to do with stored times may ask this
// machine for the time all the same: to measure how long something takes. It holds
// for the packages below it too.
var measures = map[string][]string{
	"internal/postgres": {"clock.go", "pool.go"},
	"internal/auth":     nil,
	"internal/ingest":   {"analyst_round.go", "analyst_run.go", "analyst_use.go", "backlog.go", "handler.go"},
	"internal/graph":    {"around.go", "levels.go", "nhop_tables.go", "tables.go"},
}

// mayMeasure reports whether a file may ask this machine for the time, to measure.
func mayMeasure(name string) bool {
	for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
		if allowed, stored := measures[folder]; stored {
			return slices.Contains(allowed, path.Base(name))
		}
	}
	return true
}

// TestQ04_TheDatabasesClock finds code that dates what is stored by the clock of this
// machine, which may be wrong. See Store.Now.
func TestQ04_TheDatabasesClock(t *testing.T) {
	sourceFiles(t, parser.PackageClauseOnly, func(name string, _ *ast.File) {
		if !strings.HasPrefix(name, "internal/") || strings.HasSuffix(name, "_test.go") {
			return
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if asksThisMachine(name, line) {
				t.Errorf("%s:%d asks this machine for the time: use Store.Now, or Config.Now, or the database's functions", name, i+1)
			}
		}
	})
}

// asksThisMachine reports whether a line of a file takes the time from this machine,
// where it may not.
func asksThisMachine(name, line string) bool {
	if strings.Contains(line, "kappa.At(time.Now())") {
		return name != "internal/notify/state.go" // of a connection in this process
	}
	measured := strings.HasSuffix(line, " := time.Now()")
	return strings.Contains(line, "time.Now()") && !measured && !mayMeasure(name)
}

func TestQ04_AsksThisMachine(t *testing.T) {
	for _, c := range []struct {
		name, line string
		want       bool
	}{
		{"internal/postgres/jobs.go", "\tstart := time.Now()", false},
		{"internal/postgres/jobs.go", "\treturn time.Now()", true},
		{"internal/postgres/clock.go", "\treturn time.Now()", false},
		{"internal/postgres/db/clock.go", "\treturn time.Now()", false},
		{"internal/postgres/db/jobs.go", "\treturn time.Now()", true},
		{"internal/lanes/lane.go", "\treturn time.Now()", false},
		{"internal/lanes/lane.go", "\tat := kappa.At(time.Now())", true},
		{"internal/http/jobs/list.go", "\tat := kappa.At(time.Now())", true},
		{"internal/notify/state.go", "\tat := kappa.At(time.Now())", false},
	} {
		if got := asksThisMachine(c.name, c.line); got != c.want {
			t.Errorf("%s: %q: %v, want %v", c.name, c.line, got, c.want)
		}
	}
}
