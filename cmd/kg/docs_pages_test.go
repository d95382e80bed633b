package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kappagraph/kappa/cmd/kg/cli"
)

const longestPage = 400 // lines: what is longer is two pages, or says things twice

// TestPagesAreShort bounds every page.
func TestPagesAreShort(t *testing.T) {
	for _, p := range documentation(t) {
		if lines := strings.Count(p.text, "\n"); lines > longestPage {
			t.Errorf("%s has %d lines, want %d at most", p.name, lines, longestPage)
		}
	}
}

// TestCommandsSayWhatTheyDo: the reference of the commands is made of their help, so that
// what this lacks stands nowhere. The examples in it are checked as those of the pages are.
func TestCommandsSayWhatTheyDo(t *testing.T) {
	commands, examples := 0, 0
	forEachCommand(newRootCommand(cli.New(cli.Config{Env: os.LookupEnv}), "test", nil), func(c *cobra.Command) {
		commands++
		if c.Short == "" {
			t.Errorf("%s has no summary", c.CommandPath())
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%s: --%s does not say what it is for", c.CommandPath(), f.Name)
			}
		})
		for _, words := range shellCommands(c.Example) {
			if words[0] != "kg" {
				continue
			}
			examples++
			if err := parseCommand(words[1:]); err != nil {
				t.Errorf("the example of %s: %s: %v", c.CommandPath(), strings.Join(words, " "), err)
			}
		}
	})
	if commands < 200 || examples < 150 {
		t.Errorf("only %d commands and %d examples were seen", commands, examples)
	}
}

// TestPagesThatCodeNames wants the pages that messages, help and comments name to exist,
// and the headings that they give behind the name of a page, as in "(docs/api.md, Errors)".
func TestPagesThatCodeNames(t *testing.T) {
	named := regexp.MustCompile(`(docs/[\w-]+\.md)(?:, ([A-Z][\w ]+?)(?:[).;"]|$))?`)
	checked := 0
	err := filepath.WalkDir(repository, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			if entry != nil && slices.Contains([]string{".git", "bin", "node_modules"}, entry.Name()) {
				return filepath.SkipDir
			}
			return err
		}
		isText := strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") || strings.Contains(path, "descriptions") || entry.Name() == "Makefile"
		if !isText {
			return nil
		}
		text, err := os.ReadFile(path)
		for line := range strings.Lines(string(text)) {
			for _, m := range named.FindAllStringSubmatch(strings.TrimSuffix(line, "\n"), -1) {
				checked++
				page, readErr := os.ReadFile(filepath.Join(repository, m[1]))
				if readErr != nil {
					t.Errorf("%s names %s, which does not exist", path, m[1])
				} else if m[2] != "" && !regexp.MustCompile(`(?m)^#+ `+regexp.QuoteMeta(m[2])+`$`).Match(page) {
					t.Errorf("%s names %q of %s, which has no such heading", path, m[2], m[1])
				}
			}
		}
		return err
	})
	if err != nil || checked < 30 {
		t.Errorf("%v, only %d names were checked", err, checked)
	}
}

// TestNamedTestsExist wants every test that a page names as a proof to be there.
func TestNamedTestsExist(t *testing.T) {
	tests := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
	err := filepath.WalkDir(repository, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{".git", "bin", "node_modules"}, entry.Name()):
			return filepath.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range function.FindAllStringSubmatch(string(text), -1) {
			tests[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named, checked := regexp.MustCompile("`((?:Test|Fuzz|Benchmark)[A-Z]\\w+)`"), 0
	for _, page := range documentation(t) {
		for _, m := range named.FindAllStringSubmatch(page.text, -1) {
			if checked++; !tests[m[1]] {
				t.Errorf("%s names %s, and there is no such test", page.name, m[1])
			}
		}
	}
	if checked < 200 {
		t.Errorf("only %d names were checked", checked)
	}
}
