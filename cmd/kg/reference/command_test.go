package reference_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/cmd/kg/reference"
)

// run executes kg docs below a root with one other command, and returns what it wrote.
func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	root := &cobra.Command{Use: "kg", Short: "Root", SilenceErrors: true, SilenceUsage: true}
	greet := &cobra.Command{Use: "greet NAME", Short: "Say hello", Long: "Say hello to somebody.", Example: "  kg greet Ada", Run: func(*cobra.Command, []string) {}}
	greet.Flags().Bool("loud", false, "in capitals")
	root.AddCommand(greet, reference.NewCommand("v1.2.3"))
	root.SetOut(&out)
	root.SetArgs(append([]string{"docs"}, args...))
	err := root.Execute()
	return out.String(), err
}

func TestReferences(t *testing.T) {
	t.Run("the API as Markdown", func(t *testing.T) {
		text, err := run(t, "api")
		for _, want := range []string{"Kappa v1.2.3", "### POST /ingest\n", "Permission `ingest:create`", "### GET /jobs/{id}/stream\n", "`snapshot`", "### Problem\n"} {
			if err != nil || !strings.Contains(text, want) {
				t.Errorf("%v; the reference lacks %q", err, want)
			}
		}
	})
	t.Run("the OpenAPI document", func(t *testing.T) {
		text, err := run(t, "openapi")
		var document struct{ Info struct{ Version string } }
		if json.Unmarshal([]byte(text), &document) != nil || err != nil || document.Info.Version != "v1.2.3" {
			t.Errorf("%v, version %q", err, document.Info.Version)
		}
	})
	t.Run("the commands as Markdown", func(t *testing.T) {
		text, err := run(t, "cli")
		for _, want := range []string{"## kg greet\n", "Say hello to somebody.", "kg greet Ada", "--loud", "in capitals", "## kg docs api\n"} {
			if err != nil || !strings.Contains(text, want) {
				t.Errorf("%v; the reference lacks %q", err, want)
			}
		}
	})
	t.Run("the manual", func(t *testing.T) {
		folder := filepath.Join(t.TempDir(), "man1")
		_, err := run(t, "man", "--to", folder)
		page, readErr := os.ReadFile(filepath.Join(folder, "kg-greet.1"))
		if err != nil || readErr != nil || !strings.Contains(string(page), ".TH \"KG-GREET\" \"1\"") {
			t.Errorf("%v, %v, %.80s", err, readErr, page)
		}
		if _, err := run(t, "man"); err == nil || !strings.Contains(err.Error(), "--to is required") {
			t.Errorf("without a directory: %v", err)
		}
	})
	t.Run("a file", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "reference.md")
		text, err := run(t, "cli", "--to", file)
		body, readErr := os.ReadFile(file)
		if err != nil || readErr != nil || text != "" || !bytes.Contains(body, []byte("## kg greet\n")) {
			t.Errorf("%v, %v, printed %q, file %.40q", err, readErr, text, body)
		}
	})
}
