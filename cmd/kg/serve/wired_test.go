package serve

import (
	"context"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/local"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/migrations"
)

// mayBeMissing are the parts that a server may be without, and why.
var mayBeMissing = map[string]string{
	"dataset.ServiceConfig.Files": "there is no kg-data beside the test",
	"http.Config.TLS":             "plain HTTP on loopback; TestTLS of cmd/kg/e2e has certificates",
	"http.Config.Tracer":          "traces are recorded where a collector is named",
	"notify.ListenConfig.Hook":    "failpoints, which are for tests",
	"notify.WALConfig.Hook":       "failpoints, which are for tests",
}

// TestWiredWhole builds servers as kg serve does, and asks every configuration in them for
// every part. A part that only tests give is one that users do not have.
func TestWiredWhole(t *testing.T) {
	t.Parallel()
	for name, values := range map[string]map[string]string{
		"built-in models": {},
		"models behind an API": {
			"KG_EXTRACTOR": "openai", "OPENAI_API_KEY": "sk-nobody", "KG_OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "KG_EMBEDDER": "openai", "KG_VISION": "openai", "KG_EVENTS": "wal",
			"KG_WORKER_SECRET": strings.Repeat("w", 40), "KG_NATS_URL": "nats://127.0.0.1:9",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := wiredServer(t, values)
			found := wiring{seen: map[any]bool{}, missing: map[string]bool{}}
			found.ask(reflect.ValueOf(s))
			if found.configs < 30 {
				t.Errorf("only %d configurations were found", found.configs)
			}
			for _, part := range slices.Sorted(maps.Keys(found.missing)) {
				if mayBeMissing[part] == "" {
					t.Errorf("%s is missing", part)
				}
			}
		})
	}
}

// wiredServer wires a server on a database of its own; nothing of it runs.
func wiredServer(t *testing.T, values map[string]string) *server {
	t.Helper()
	values["KG_DATA_DIR"] = t.TempDir()
	settings, err := readSettings(func(name string) (string, bool) { v, ok := values[name]; return v, ok }, settingsFile{})
	check(t, err)
	log := slog.New(slog.DiscardHandler)
	dsn := pgtest.NewDSN(t)
	check(t, migrations.Up(t.Context(), dsn, log))
	second, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	s, err := wire(t.Context(), second, settings, local.NewServer("http://127.0.0.1:1"), dsn, false, log)
	check(t, err)
	t.Cleanup(s.db.Close)
	return s
}

// wiring walks through all that a server consists of.
type wiring struct {
	seen    map[any]bool
	configs int
	missing map[string]bool
}

type place struct {
	at uintptr
	of reflect.Type
}

func (w *wiring) ask(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			w.ask(v.Elem())
		}
	case reflect.Pointer:
		if p := (place{v.Pointer(), v.Type()}); !v.IsNil() && !w.seen[p] {
			w.seen[p] = true
			w.ask(v.Elem())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			w.ask(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			w.ask(v.MapIndex(key))
		}
	case reflect.Struct:
		w.askStruct(v)
	default: // a value without parts
	}
}

func (w *wiring) askStruct(v reflect.Value) {
	if !strings.HasPrefix(v.Type().PkgPath(), "github.com/kappagraph/kappa") {
		return
	}
	isConfig := strings.HasSuffix(v.Type().Name(), "Config")
	if isConfig {
		w.configs++
	}
	for i := range v.NumField() {
		field := v.Field(i)
		switch field.Kind() {
		case reflect.Func, reflect.Interface, reflect.Pointer, reflect.Map:
			if isConfig && v.Type().Field(i).IsExported() && field.IsNil() {
				w.missing[strings.TrimPrefix(v.Type().PkgPath(), "github.com/kappagraph/kappa/internal/")+"."+v.Type().Name()+"."+v.Type().Field(i).Name] = true
			}
		default:
		}
		w.ask(field)
	}
}

// TestTypesReachTheReader adds a relationship type and merges another one: the handler of
// documents knows of both.
func TestTypesReachTheReader(t *testing.T) {
	t.Parallel()
	s := wiredServer(t, map[string]string{})
	check(t, s.db.Vocabulary().AddType(t.Context(), vocabulary.NewType{Name: "PHOSPHORYLATES", Category: "causation", By: "admin"}))
	names, err := s.typeNames(func(ctx context.Context, _ string, call func(context.Context) error) error { return call(ctx) })(t.Context())
	check(t, err)
	builtin := vocabulary.BuiltinTypeNames().Active
	if len(names.Active) != len(builtin)+1 || names.Active[len(builtin)] != "PHOSPHORYLATES" {
		t.Errorf("the reader is told of %v", names.Active)
	}
}
