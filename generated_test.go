package kappa_test

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write sqlc.sum: make generate does, after sqlc")

// sumOfSQL has what sqlc made the Go code of, and that code, in one number.
const sumOfSQL = "sqlc.sum"

// TestGeneratedCode fails when internal/postgres/db is not what sqlc made of the statements and
// the schema: one of them was changed without the other. sqlc itself is only run by make
// generate, since to build it takes longer than all other checks. There is one sum of all files,
// so that two branches that both change some of them do not merge without another make generate.
func TestGeneratedCode(t *testing.T) {
	t.Parallel()
	sum := sumOf(t, "sqlc.yaml", "tools/go.mod", "migrations/*.sql", "queries/*.sql", "internal/postgres/db/*.go")
	if *update {
		if err := os.WriteFile(sumOfSQL, []byte(sum+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(sumOfSQL)
	if err != nil {
		t.Fatal(err)
	}
	if sum != strings.TrimSpace(string(want)) {
		t.Errorf("the generated code is not current: a statement, a migration or internal/postgres/db has changed since %s was written: run make generate", sumOfSQL)
	}
}

// sumOf returns one sum of the names and the content of files.
func sumOf(t *testing.T, patterns ...string) string {
	t.Helper()
	all := sha256.New()
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern) // in the order of their names
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files (%v)", pattern, err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(all, "%s %x\n", filepath.ToSlash(file), sha256.Sum256(content))
		}
	}
	return hex.EncodeToString(all.Sum(nil))
}
