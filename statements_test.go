package kappa_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// built are the files with statements that are not constants, each with what they are
// built from.
var built = map[string]string{
	"cmd/kg-data/functions.go":                "DuckDB parses the question as a text, whose quotes are doubled, behind the walls of its process",
	"internal/pgembed/access.go":              "the password's verifier, which has letters, digits and signs of base64 alone; a single process takes no parameters",
	"internal/postgres/job_search.go":         "the conditions of a filter of jobs, which are constants with parameters, and how many jobs are read",
	"internal/postgres/backup.go":             "the columns of the tables of an archive, which are constants",
	"internal/postgres/restore.go":            "the columns of the tables of an archive, which are constants",
	"internal/postgres/restore_bulk.go":       "the names of an index, which are constants",
	"internal/postgres/restore_ontologies.go": "the tables of an archive, which are constants, and those of its columns that the catalog has",
	"internal/postgres/restore_stage.go":      "the tables of an archive, which are constants, and those of its columns that the catalog has",
	"internal/postgres/graph_neighbors.go":    "the name of a snapshot that PostgreSQL exported",
	"internal/graphgen/fill.go":               "names of tables, which are constants; for benchmarks",
	"internal/notify/listen.go":               "names of channels, which are constants",
	"internal/notify/wal_check.go":            "the name of a publication, which is a constant",
	"internal/pgembed/version_copy.go":        "names of tables, columns and sequences that the catalog has, quoted; for the upgrade of a private cluster",
	"internal/pgembed/ready.go":               "the name of the private database, which is a constant",
	"cmd/kg/cli/ingest_rows.go":               "names of columns in quotes, for DuckDB in its sandbox",
	"cmd/kg-data/engine.go":                   "settings that are constants, names and paths in quotes, for DuckDB in its sandbox",
	"cmd/kg-data/query.go":                    "the user's own statement, for DuckDB in its sandbox",
}

// TestX17_NoStatementIsBuilt finds statements in SQL that are put together from values: all
// values are parameters, and the statements are constants.
func TestX17_NoStatementIsBuilt(t *testing.T) {
	sql := regexp.MustCompile(`^\s*(SELECT|INSERT|UPDATE|DELETE|WITH|ALTER|DROP|CREATE|SET|LISTEN|NOTIFY|COPY|TRUNCATE)\b.*\s`)
	files, found := 0, map[string]bool{}
	for _, root := range []string{"internal", "cmd", "client"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "/db/") || strings.HasPrefix(path, "internal/pgtest") {
				return err
			}
			files++
			parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				var text ast.Expr
				switch n := n.(type) {
				case *ast.BinaryExpr: // "SELECT … " + name
					if _, constant := n.Y.(*ast.BasicLit); n.Op == token.ADD && !constant {
						text = leftmost(n)
					}
				case *ast.CallExpr: // fmt.Sprintf("SELECT … %s", name)
					if s, ok := n.Fun.(*ast.SelectorExpr); ok && strings.HasPrefix(s.Sel.Name, "Sprint") && len(n.Args) > 1 {
						text = n.Args[0]
					}
				}
				lit, ok := text.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING || !sql.MatchString(strings.Trim(lit.Value, "`\"")) {
					return true
				}
				if found[path] = true; built[path] == "" {
					t.Errorf("%s builds a statement from values: %s", path, lit.Value)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 300 {
		t.Errorf("only %d files were read", files)
	}
	for path := range built {
		if !found[path] {
			t.Errorf("%s builds no statement any more", path)
		}
	}
}

// leftmost returns the first text of a sum.
func leftmost(e ast.Expr) ast.Expr {
	for {
		b, ok := e.(*ast.BinaryExpr)
		if !ok {
			return e
		}
		e = b.X
	}
}

// TestX18_ModulesArePinned checks that every module comes in one version with a checksum,
// from where its path says.
func TestX18_ModulesArePinned(t *testing.T) {
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(mod), "\nreplace ") {
		t.Error("go.mod replaces a module")
	}
	required := regexp.MustCompile(`(?m)^(?:require )?\s*([a-z0-9.-]+\.[a-z]+/\S+|\S+\.\S+/\S+) (v\S+)`).FindAllStringSubmatch(string(mod), -1)
	if len(required) < 10 {
		t.Fatalf("only %d modules are required", len(required))
	}
	for _, m := range required {
		if !strings.Contains(string(sums), m[1]+" "+m[2]+"/go.mod h1:") {
			t.Errorf("%s %s has no checksum", m[1], m[2])
		}
	}
}
