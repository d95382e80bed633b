package built_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/kappagraph/kappa/internal/built"
	"github.com/kappagraph/kappa/internal/pgtest"
)

// TestMethodsThatNothingCalls finds the function by which a template of the standard library
// calls any method by its name. A program that has it, by itself or by a library, keeps every
// exported method of every type that it uses: kg was 12 MB larger.
func TestMethodsThatNothingCalls_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	path, err := built.Shipped(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(program, []byte("github.com/spf13/cobra.(*Command).ExecuteContext")) {
		t.Fatal("the names of its functions are not found in the program")
	}
	if bytes.Contains(program, []byte("text/template.(*state).evalField")) {
		t.Error("kg executes templates: go build -ldflags=-dumpdep says which way it gets to evalField")
	}
}
