package kappa_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/kappagraph/kappa"

// check is the kit that the rules of the domain are written with.
const check = "internal/check"

// rooms are the packages of the domain, each with those of them that it imports. A room
// imports the root and the kit besides, and nothing else but the standard library.
var rooms = map[string][]string{
	"tracing":              {},
	"access":               {},
	"corpus":               {"corpus/models"},
	"corpus/models":        {},
	"corpus/datasets":      {},
	"work":                 {"access", "corpus", "corpus/models"},
	"webhooks":             {},
	"artifacts":            {"access"},
	"storage":              {"corpus", "work"},
	"knowledge":            {"corpus", "corpus/models", "knowledge/naming"},
	"knowledge/naming":     {},
	"knowledge/questions":  {"corpus", "corpus/models", "knowledge", "knowledge/vocabulary"},
	"knowledge/programs":   {"access"},
	"knowledge/vocabulary": {"corpus/models", "knowledge"},
	"knowledge/ontologies": {"access"},
	"knowledge/curation":   {"corpus/models", "knowledge/ontologies", "knowledge/vocabulary", "work"},
	"knowledge/projection": {"corpus/models"},
	"api":                  {"access", "corpus", "corpus/models", "knowledge", "knowledge/curation", "knowledge/ontologies", "knowledge/programs", "knowledge/questions", "knowledge/vocabulary", "storage", "work", "webhooks", "artifacts"}, // whole answers are made of the words of all rooms
	check:                  {},
}

// siblings are the imports between packages that the rule would forbid, each with
// its reason. Tests may import the testHelpers besides.
var siblings = map[string]string{
	"internal/pgtest → internal/pgembed":     "tests start their own PostgreSQL",
	"internal/pgtest → migrations":           "a test database is a migrated one",
	"internal/http/apitest → internal/await": "the helper of its tests waits with that of all",
	"cmd/kg/e2e → cmd/kg/cli":                "and of what its commands print",
	"cmd/kg/e2e → cmd/kg/serve":              "tests of the whole server",
	"cmd/kg/e2e → cmd/kg/worker":             "and of its workers",

	"internal/graph/follow → internal/graph/adjacency":      "what it keeps fresh",
	"internal/worker → internal/remote/wire":                "both ends of a line speak one language",
	"internal/retrieval/index → internal/retrieval/words":   "what it holds of a passage",
	"internal/retrieval/ranking → internal/retrieval/index": "whose candidates it orders",
	"internal/retrieval/ranking → internal/retrieval/words": "a question is cut as passages are",
	"internal/library → internal/retrieval":                 "the passages that may answer",
	"internal/library → internal/retrieval/index":           "as they are found",
	"internal/library → internal/retrieval/ranking":         "as they are put in order",
	"internal/library → internal/retrieval/words":           "by the words of the question",
	"internal/library → internal/answers":                   "what the question asks for, and what in a passage answers",

	"internal/answers → internal/retrieval/words": "a question and a passage are read by the same words as they are found by",
	"internal/llm → internal/answers":             "a sentence of a model is held to the passages that it cites",

	"internal/dataset → internal/sandbox":             "its workers are children of a sandbox",
	"internal/dataset → internal/sandbox/frame":       "and say what protects them",
	"internal/dataset → internal/sandbox/walls":       "and tests stand in for one",
	"internal/reading → internal/sandbox":             "documents are read in children of a sandbox",
	"internal/reading → internal/sandbox/frame":       "which say what protects them",
	"internal/sandbox/child → internal/sandbox/frame": "a child speaks the language of its parent",
	"internal/sandbox/child → internal/sandbox/walls": "it stays behind walls",
}

// testHelpers are packages that tests of any package may import.
var testHelpers = []string{"internal/otlp/otlptest", "internal/pgtest", "internal/built", "internal/http/apitest", "internal/graphgen", "internal/await", "test/agent", "test/protocol"}

// routers are the packages that those below them may import, though it leads upwards.
var routers = map[string]string{
	"internal/http": "a resource registers its routes with it",
}

// shared are the packages below a program that the others below it may import.
var shared = map[string]string{
	"cmd/kg/documents": "which files are submitted",
	"cmd/kg/draw":      "a graph becomes a picture",
	"cmd/kg/exit":      "every command ends with a code",
	"cmd/kg/failpoint": "what the server is broken with in tests",
	"cmd/kg/folder":    "a folder is brought up to date",
	"cmd/kg/follow":    "jobs are followed to their end",
	"cmd/kg/inprocess": "a server asks its own API as the caller",
	"cmd/kg/local":     "where a server and the commands of one machine find each other",
	"cmd/kg/mcp":       "agents use it over HTTP and over a pipe",
	"cmd/kg/show":      "what is said on a terminal",
	"cmd/kg/top":       "the server is watched on a whole terminal",
}

// homes says where a third party may be imported; everything else stays away
// from it, so that it can be replaced in one place.
var homes = map[string][]string{
	"github.com/gin-gonic/gin":      {"internal/http"},
	"github.com/danielgtaylor/huma": {"internal/http"},
	"github.com/jackc/pgx":          {"internal/postgres", "internal/notify", "internal/pgembed", "internal/pgtest", "internal/graphgen", "migrations", "test/campaign"}, // the campaign checks the tables from outside
	"github.com/jackc/pglogrepl":    {"internal/notify"},
	"github.com/nats-io":            {"internal/notify"},                                             // the client; the server is for tests
	"github.com/coder/websocket":    {"internal/remote", "internal/worker", "client", "test/attack"}, // the attack forges frames
	"github.com/duckdb":             {"cmd/kg-data"},                                                 // cgo: no other program links it
	"code.dny.dev/ssrf":             {"internal/fetch"},
	"github.com/landlock-lsm":       {"internal/sandbox/walls"},
	"github.com/prometheus":         {"internal/http", "internal/otlp"}, // which pushes what is gathered there
	"go.opentelemetry.io":           {"internal/otlp"},                  // all others speak package tracing
	"google.golang.org/grpc":        {"internal/otlp/otlptest"},         // a collector; kg speaks to one without it
	"github.com/pressly/goose":      {"migrations"},
	"github.com/jdkato/prose":       {"internal/extract"},
	"github.com/spf13/cobra":        {"cmd"},
	"github.com/jedib0t/go-pretty":  {"cmd"},
	"charm.land/bubbletea":          {"cmd/kg/top"},
	"github.com/golang-jwt/jwt":     {"internal/auth", "internal/remote/wire"},
	"golang.org/x/crypto":           {"internal/auth", "internal/certificates"}, // passwords; ACME
	"github.com/yuin/goldmark":      {"internal/extract", "internal/ingest", "internal/http/reference"},
	"gonum.org/v1/gonum":            {"internal/graph", "internal/projection", "test/ranking"},
	"golang.org/x/image/font":       {"cmd/kg/draw"},
	"github.com/gabriel-vasile":     {"internal/formats"}, // names the formats that are refused
	"github.com/JohannesKaufmann":   {"internal/formats"}, // pages become Markdown
	"github.com/klippa-app":         {"internal/formats"}, // PDFium
	"github.com/tetratelabs/wazero": {"internal/formats"}, // its sandbox
	"golang.org/x/net/html":         {"internal/formats", "test/formats"},
	"codeberg.org/readeck":          {"internal/formats"}, // which part of a page is its main text

	"github.com/klauspost/compress":   {"internal/backup", "internal/http", "internal/graph/export/parquet"}, // zstd, answers, and pages of tables
	"github.com/modelcontextprotocol": {"cmd/kg/mcp", "cmd/kg/e2e", "test/agent", "test/protocol"},
	"github.com/google/jsonschema-go": {"cmd/kg/mcp"}, // arguments and answers of tools
	"github.com/tiktoken-go":          {"internal/llm"},
	"golang.org/x/text":               {"internal/formats", "internal/auth", "internal/retrieval/words", "internal/static", "test/formats"}, // encodings; forms of names, passwords and words
	"github.com/mtibben":              {"internal/auth"},                                                                                    // names that look alike
	"github.com/trustelem":            {"internal/auth"},                                                                                    // the most common passwords
	"github.com/santhosh-tekuri":      {"internal/http/apitest"},                                                                            // answers are held to their schemas
	"github.com/xuri/excelize":        {"internal/formats"},                                                                                 // workbooks
	"github.com/richardlehane":        {"internal/formats"},                                                                                 // the containers of older Office
	"github.com/emersion":             {"internal/formats"},                                                                                 // e-mail
	"github.com/alecthomas/chroma":    {"internal/formats"},                                                                                 // comments and names of source code
}

// sourceFiles calls visit with every Go file of the module, in folders at any depth.
// It parses the files itself: what another tool says may come from a cache.
func sourceFiles(t *testing.T, mode parser.Mode, visit func(name string, file *ast.File)) {
	t.Helper()
	files := 0
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
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, mode)
		if err != nil {
			return err
		}
		files++
		visit(filepath.ToSlash(name), file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 300 {
		t.Fatalf("only %d files were found: the test does not see the module", files)
	}
}

// TestImportRule reads the imports of every file of the module.
func TestImportRule(t *testing.T) {
	sourceFiles(t, parser.ImportsOnly, func(name string, file *ast.File) {
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if problem := forbidden(path.Dir(name), imported, strings.HasSuffix(name, "_test.go")); problem != "" {
				t.Errorf("%s imports %s: %s", name, imported, problem)
			}
		}
	})
}

// forbidden returns the rule that an import breaks, or "".
func forbidden(from, imported string, test bool) string {
	own, isOwn := strings.CutPrefix(imported, module+"/")
	switch {
	case standard(imported), imported == module:
		return ""
	case from == "." && test:
		return ""
	case from == ".":
		return "the root package imports the standard library only"
	case rooms[from] != nil && !(test && !isOwn):
		if isOwn && (own == check && from != check || slices.Contains(rooms[from], own) || test && (rooms[own] != nil || own == from)) {
			return ""
		}
		return "a room of the domain imports the root, the rooms that are drawn for it, and the standard library"
	case isOwn && rooms[own] != nil && (own != check || below(from, "internal") || wires(from)):
		return ""
	case !isOwn:
		return thirdParty(from, imported, test)
	case from == own, below(own, from):
		return ""
	case siblings[from+" → "+own] != "", test && slices.Contains(testHelpers, own):
		return ""
	case below(from, own):
		if routers[own] != "" {
			return ""
		}
		return "a package never imports the one that it is below"
	case wires(from) && !wires(own), shared[own] != "" && below(from, path.Dir(own)):
		return ""
	case wires(from):
		return "programs, and the packages below one program, do not import each other"
	}
	return "a package imports the domain, what is below itself, the standard library and third parties, never a sibling"
}

// below reports whether one package is in a folder below another.
func below(p, above string) bool { return strings.HasPrefix(p, above+"/") }

// wires reports whether a package belongs to a program: it may know every package
// that is not a part of a program.
func wires(p string) bool { return below(p, "cmd") || below(p, "test") }

// thirdParty returns the rule that an import of a third party breaks, or "".
func thirdParty(from, imported string, test bool) string {
	if test {
		return ""
	}
	for prefix, allowed := range homes {
		if imported != prefix && !below(imported, prefix) {
			continue
		}
		for _, home := range allowed {
			if from == home || below(from, home) {
				return ""
			}
		}
		return "it has its home in " + strings.Join(allowed, ", ")
	}
	if from == "client" || below(from, "client") {
		return "whoever imports the client gets the standard library and the third parties that homes allows"
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
	const own = module + "/"
	for _, c := range []struct {
		from, imported string
		test, allowed  bool
	}{
		{".", "strings", false, true},
		{".", "github.com/jackc/pgx/v5", false, false},
		{".", own + "internal/lanes", false, false},
		{".", own + "internal/lanes", true, true},
		{"internal/lanes", module, false, true},
		// Rooms import what is drawn for them, and everybody imports rooms.
		{"work", own + "corpus", false, true},
		{"corpus", own + "work", false, false},
		{"corpus", own + "work", true, true},
		{"knowledge/questions", own + "knowledge", false, true},
		{"knowledge", own + "knowledge/questions", false, false},
		{"access", own + "internal/check", false, true},
		{"access", own + "internal/auth", false, false},
		{"access", own + "internal/auth", true, false},
		{"access", "golang.org/x/text/unicode/norm", false, false},
		{"access", module, false, true},
		{".", own + "work", false, false},
		{"internal/lanes", own + "work", false, true},
		{"internal/lanes", own + "internal/check", false, true},
		{"internal/check", own + "work", false, false},
		{"cmd/kg/cli", own + "knowledge/questions", false, true},

		{"internal/lanes", own + "internal/postgres", false, false},
		{"internal/lanes", own + "internal/lanes", true, true},
		{"internal/lanes", own + "internal/pgtest", true, true},
		{"internal/lanes", own + "internal/pgtest", false, false},
		{"internal/lanes", "github.com/jackc/pgx/v5", false, false},
		{"internal/lanes", "github.com/jackc/pgx/v5", true, true},
		{"internal/postgres", "github.com/jackc/pgx/v5/pgxpool", false, true},

		// Downwards, at any depth; never upwards, never sideways.
		{"internal/postgres", own + "internal/postgres/db", false, true},
		{"internal/postgres", own + "internal/postgres/db/deeper", false, true},
		{"internal/postgres/db", own + "internal/postgres", false, false},
		{"internal/postgres/db", own + "internal/postgres/other", false, false},
		{"internal/postgres", own + "internal/postgresql", false, false},
		{"internal/notify", own + "internal/postgres/db", false, false},
		{"internal/extract/english", own + "internal/lanes", false, false},
		{"internal/extract/english", own + "internal/pgtest", true, true},

		// A resource imports the router, and no other resource.
		{"internal/http/jobs", own + "internal/http", false, true},
		{"internal/http", own + "internal/http/jobs", false, true},
		{"internal/http/jobs", own + "internal/http/graph", false, false},
		{"internal/http/jobs", own + "internal/http/graph", true, false},
		{"internal/http/jobs", own + "internal/auth", false, false},
		{"internal/http", own + "internal/auth", false, false},
		{"internal/http", "github.com/gin-gonic/gin", false, true},
		{"internal/http/jobs", "github.com/danielgtaylor/huma/v2", false, true},
		{"internal/httpd", "github.com/gin-gonic/gin", false, false},
		{"internal/graph", "github.com/gin-gonic/gin", false, false},

		// Programs wire everything, and stay apart.
		{"cmd/kg", own + "internal/postgres", false, true},
		{"cmd/kg", own + "cmd/kg/cli", false, true},
		{"cmd/kg/cli", own + "client", false, true},
		{"cmd/kg/serve", own + "internal/http/jobs", false, true},
		{"cmd/kg/cli", own + "cmd/kg", false, false},
		{"cmd/kg/cli", own + "cmd/kg/serve", false, false},
		{"cmd/kg/cli", own + "cmd/kg/exit", false, true},
		{"cmd/kg-data", own + "cmd/kg/exit", false, false},
		{"cmd/kg/exit", own + "cmd/kg/cli", false, false},
		{"cmd/kg", own + "cmd/kg-data", false, false},
		{"cmd/kg", own + "test/campaign", false, false},
		{"test/campaign", own + "internal/postgres", false, true},
		{"test/campaign", own + "test/campaign/history", false, true},
		{"test/campaign", own + "test/evaluation", false, false},
		{"test/campaign", own + "cmd/kg/serve", false, false},
		{"internal/lanes", own + "cmd/kg/serve", false, false},
		{"internal/lanes", own + "test/campaign", false, false},
		{"internal/graph", "github.com/duckdb/duckdb-go/v2", false, false},
		{"cmd/kg-data", "github.com/duckdb/duckdb-go/v2", false, true},

		// Other people import the client, and get no more than it needs.
		{"client", module, false, true},
		{"client", own + "knowledge/questions", false, true},
		{"client", own + "api", false, true},
		{"internal/http/jobs", own + "api", false, true},
		{"work", own + "api", false, false},
		{"client", own + "internal/check", false, false},
		{"client", own + "internal/auth", false, false},
		{"client", "github.com/coder/websocket", false, true},
		{"client", "golang.org/x/sync/errgroup", false, false},
		{"client", "go.uber.org/goleak", true, true},
		{"internal/remote", "github.com/coder/websocket", false, true},
		{"internal/http", "github.com/coder/websocket", false, false},
		{"internal/lanes", own + "client", false, false},
	} {
		if problem := forbidden(c.from, c.imported, c.test); (problem == "") != c.allowed {
			t.Errorf("%s imports %s (test %v): allowed %v, want %v (%s)", c.from, c.imported, c.test, problem == "", c.allowed, problem)
		}
	}
}
