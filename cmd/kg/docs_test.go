package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/cmd/kg/cli"
	"github.com/kappagraph/kappa/cmd/kg/exit"
)

const repository = "../.." // as seen from this package

// page is a page of the documentation.
type page struct {
	name string // in the repository
	text string
}

// documentation returns every page.
func documentation(t *testing.T) []page {
	t.Helper()
	var pages []page
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		paths, err := filepath.Glob(filepath.Join(repository, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			name, _ := filepath.Rel(repository, path)
			pages = append(pages, page{name, readPage(t, name)})
		}
	}
	if len(pages) < 10 {
		t.Fatalf("only %d pages were found", len(pages))
	}
	return pages
}

func readPage(t *testing.T, name string) string {
	t.Helper()
	body, err := os.ReadFile(filepath.Join(repository, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

var fence = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

// blocks returns the fenced blocks of one language.
func (p page) blocks(language string) []string {
	var found []string
	for _, m := range fence.FindAllStringSubmatch(p.text, -1) {
		if m[1] == language {
			found = append(found, m[2])
		}
	}
	return found
}

// prose returns the page without its fenced blocks.
func (p page) prose() string { return fence.ReplaceAllString(p.text, "") }

// section returns what stands between a heading and the next one of its level.
func (p page) section(heading string) string {
	level := heading[:strings.IndexByte(heading, ' ')]
	_, after, _ := strings.Cut(p.text, "\n"+heading+"\n")
	section, _, _ := strings.Cut(after, "\n"+level+" ")
	return section
}

func TestDocumentedCommands(t *testing.T) {
	t.Run("every command in a block to run exists, with its flags and arguments", func(t *testing.T) {
		checked := 0
		for _, p := range documentation(t) {
			for _, block := range p.blocks("sh") {
				for _, words := range shellCommands(block) {
					if words[0] != "kg" {
						continue
					}
					checked++
					if err := parseCommand(words[1:]); err != nil {
						t.Errorf("%s: %s: %v", p.name, strings.Join(words, " "), err)
					}
				}
			}
		}
		if checked < 40 {
			t.Errorf("only %d commands were checked", checked)
		}
	})
}

// parseCommand reads the arguments of kg as far as that is possible without
// running anything.
func parseCommand(args []string) error {
	root := newRootCommand(cli.New(cli.Config{Env: os.LookupEnv}), "test", nil)
	root.InitDefaultCompletionCmd(args...)
	c, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if err := c.ParseFlags(rest); err != nil {
		return err
	}
	if rest = c.Flags().Args(); c.HasSubCommands() && c.Args == nil && len(rest) > 0 {
		return fmt.Errorf("unknown command %q", rest[0])
	}
	return c.ValidateArgs(c.Flags().Args())
}

// forEachCommand calls f with every command that the help lists.
func forEachCommand(c *cobra.Command, f func(*cobra.Command)) {
	f(c)
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			forEachCommand(sub, f)
		}
	}
}

func TestDocumentedExitCodes(t *testing.T) {
	rows := func(text, row string) map[string]string {
		codes := map[string]string{}
		for _, m := range regexp.MustCompile(row).FindAllStringSubmatch(text, -1) {
			codes[m[1]] = m[2]
		}
		return codes
	}
	known := rows(exit.Help, `(?m)^ +(\d+)  (.+)$`)
	documented := rows(page{text: readPage(t, "docs/configuration.md")}.section("## Exit codes"), `(?m)^\| (\d+) \| (.+) \|$`)
	for _, code := range []int{exit.OK, exit.Failed, exit.Misused, exit.NotFound, exit.NotAllowed, exit.Unreachable, exit.JobFailed, exit.JobCancelled, exit.TimedOut, exit.Interrupted} {
		if known[fmt.Sprint(code)] == "" {
			t.Errorf("kg help exit-codes lacks %d", code)
		}
	}
	for code, meaning := range known {
		if documented[code] != meaning {
			t.Errorf("exit code %s is documented as %q, want %q", code, documented[code], meaning)
		}
	}
	if len(documented) != len(known) {
		t.Errorf("documented are %d exit codes, want %d", len(documented), len(known))
	}
}

func TestDocumentedLinks(t *testing.T) {
	pages := documentation(t)
	headings := map[string][]string{}
	for _, p := range pages {
		for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(p.prose(), -1) {
			headings[p.name] = append(headings[p.name], anchor(m[1]))
		}
	}
	checked := 0
	for _, p := range pages {
		for _, m := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(p.prose(), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			checked++
			path, fragment, _ := strings.Cut(m[1], "#")
			target := p.name
			if path != "" {
				target = filepath.Join(filepath.Dir(p.name), path)
			}
			if _, err := os.Stat(filepath.Join(repository, target)); err != nil {
				t.Errorf("%s links to %s, which does not exist", p.name, m[1])
			} else if fragment != "" && !slices.Contains(headings[target], fragment) {
				t.Errorf("%s links to %s, but %s has no such heading", p.name, m[1], target)
			}
		}
	}
	if checked < 20 {
		t.Errorf("only %d links were checked", checked)
	}
}

// anchor returns the name under which a heading is linked to.
func anchor(heading string) string {
	kept := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case strings.ContainsRune("`.,:;?!/()'\"{}*&", r):
			return -1
		}
		return r
	}, heading)
	return strings.ToLower(kept)
}

func TestDocumentedTargets(t *testing.T) {
	targets := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^([a-z][a-z-]*):`).FindAllStringSubmatch(readPage(t, "Makefile"), -1) {
		targets[m[1]] = true
	}
	code := regexp.MustCompile("(?ms)^```.*?^```$|`[^`\n]+`")
	call := regexp.MustCompile(`\bmake ([a-z][a-z-]*)`)
	checked := 0
	for _, p := range documentation(t) {
		for _, block := range code.FindAllString(p.text, -1) {
			for _, m := range call.FindAllStringSubmatch(block, -1) {
				checked++
				if !targets[m[1]] {
					t.Errorf("%s mentions make %s, which the Makefile does not have", p.name, m[1])
				}
			}
		}
	}
	if checked < 10 {
		t.Errorf("only %d targets were checked", checked)
	}
}

// TestDocumentedTests wants the tests that the documentation names to exist.
func TestDocumentedTests(t *testing.T) {
	exists := map[string]bool{}
	err := filepath.WalkDir(repository, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		code, err := os.ReadFile(path)
		for _, m := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`).FindAllStringSubmatch(string(code), -1) {
			exists[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, p := range documentation(t) {
		for _, m := range regexp.MustCompile("`((?:Test|Fuzz)\\w+)`").FindAllStringSubmatch(p.text, -1) {
			checked++
			if !exists[m[1]] {
				t.Errorf("%s names the test %s, which does not exist", p.name, m[1])
			}
		}
	}
	if checked < 60 {
		t.Errorf("only %d tests were checked", checked)
	}
}
