package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/cmd/kg/cli"
	"github.com/kappagraph/kappa/docs"
)

// TestDocumentedQuestions compares the page about the graph with the commands that ask it:
// each is in its table of questions, with a request that the API has, and each is shown
// with an answer.
func TestDocumentedQuestions(t *testing.T) {
	p := page{"docs/graph.md", readPage(t, "docs/graph.md")}
	questions := p.section("## Questions to the graph")
	table := map[string]bool{}
	requests := regexp.MustCompile("`(GET|POST) (/[^`]*)`")
	api := served(t)
	for row := range strings.Lines(questions) {
		cells := strings.Split(row, "|")
		if len(cells) != 5 || !strings.Contains(cells[2], "`kg ") {
			continue
		}
		for command := range strings.SplitSeq(cells[2], ",") {
			table[strings.Trim(command, " `")] = true
		}
		asked := requests.FindAllStringSubmatch(cells[3], -1)
		if len(asked) == 0 {
			t.Errorf("no request for %s", cells[1])
		}
		for _, r := range asked {
			if !api[r[1]+" "+r[2]] {
				t.Errorf("the API does not have %s %s", r[1], r[2])
			}
		}
	}
	shown := map[string]bool{}
	measures := page{"docs/measures.md", readPage(t, "docs/measures.md")}
	answered := regexp.MustCompile("(?s)```sh\n((?:[^`]|`[^`])*?)```\n\n(?:```text|!\\[)")
	for _, m := range answered.FindAllStringSubmatch(p.text+measures.text, -1) {
		for _, words := range shellCommands(m[1]) {
			for command := range table {
				if strings.HasPrefix(strings.Join(words, " ")+" ", command+" ") {
					shown[command] = true
				}
			}
		}
	}
	for _, command := range slices.Sorted(maps.Keys(table)) {
		if !shown[command] {
			t.Errorf("%s has no answer on the pages", command)
		}
	}
	forEachCommand(newRootCommand(cli.New(cli.Config{Env: os.LookupEnv}), "test", nil), func(c *cobra.Command) {
		asks := regexp.MustCompile(`^kg (search|graph|polarity|connect|ontology about)\b`).MatchString(c.CommandPath())
		if asks && !c.HasSubCommands() && !table[c.CommandPath()] {
			t.Errorf("%s is not in the table of questions", c.CommandPath())
		}
	})
	for _, m := range regexp.MustCompile(`!\[[^\]]*\]\(([^)]*)\)`).FindAllStringSubmatch(p.text+measures.text, -1) {
		if _, err := os.Stat(filepath.Join(repository, "docs", m[1])); err != nil {
			t.Errorf("the picture %s is missing: %v", m[1], err)
		}
	}
}

// served returns the routes of the OpenAPI document, as "GET /jobs".
func served(t *testing.T) map[string]bool {
	t.Helper()
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(docs.OpenAPI, &document); err != nil {
		t.Fatal(err)
	}
	routes := map[string]bool{}
	for path, methods := range document.Paths {
		for method := range methods {
			routes[strings.ToUpper(method)+" "+path] = true
		}
	}
	return routes
}
