package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestVersion shows what a release stamped, with the DuckDB of kg-data, and of a kg-data
// that says something else nothing.
func TestVersion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	says, odd := filepath.Join(dir, "says"), filepath.Join(dir, "odd")
	for path, text := range map[string]string{says: "[ \"$1\" = version ] && echo v1.5.5", odd: "echo flag provided but not defined"} {
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	show := func(args string, is Build) string {
		var out bytes.Buffer
		a := New(Config{Out: &out, Err: &out, Env: os.LookupEnv, Version: is.Version, Build: is})
		a.Run(t.Context(), a.Root(Group{Commands: []*cobra.Command{NewVersionCommand(a)}}), strings.Fields(args))
		return out.String()
	}
	is := Build{Version: "0.1.0", Commit: "1234abcd", Date: "2026-11-29T08:00:00Z", Go: "go1.26.8", System: "linux/amd64", Schema: 30, DataProgram: says}
	if got, want := show("version", is), "kg 0.1.0 (go1.26.8, linux/amd64)\ncommit 1234abcd 2026-11-29T08:00:00Z\nschema 30\nDuckDB v1.5.5\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	json := strings.Join(strings.Fields(show("version -o json", is)), "")
	if want := `{"version":"0.1.0","commit":"1234abcd","date":"2026-11-29T08:00:00Z","go":"go1.26.8","system":"linux/amd64","schema":30,"duckdb":"v1.5.5"}`; json != want {
		t.Errorf("got %s, want %s", json, want)
	}
	is.DataProgram, is.Commit, is.Date = odd, "", ""
	if got, want := show("version", is), "kg 0.1.0 (go1.26.8, linux/amd64)\nschema 30\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
