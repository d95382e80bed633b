package serve

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/internal/schedule"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/storage"
)

// TestDocumentedSettings compares the table of the settings with that of the
// documentation: names, flags, defaults and what a value must be.
func TestDocumentedSettings(t *testing.T) {
	page := readPage(t, "docs/configuration.md")
	documented := map[string][]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|(.*)\\|$").FindAllStringSubmatch(section(page, "## Server settings"), -1) {
		var cells []string
		for cell := range strings.SplitSeq(m[2], " | ") {
			cells = append(cells, strings.TrimSpace(strings.ReplaceAll(cell, "`", "")))
		}
		documented[m[1]] = cells
	}
	for _, row := range new(Settings).table() {
		cells := documented[row.name]
		delete(documented, row.name)
		switch {
		case row.tests:
			continue
		case len(cells) != 4:
			t.Errorf("docs/configuration.md lacks %s, or its row has %q", row.name, cells)
			continue
		}
		if flag := flags[row.name]; strings.TrimPrefix(cells[0], "--") != flag {
			t.Errorf("%s is documented with the flag %q, want %q", row.name, cells[0], flag)
		}
		if def, _, _ := strings.Cut(cells[1], " ("); def != row.def {
			t.Errorf("%s is documented with the default %q, want %q", row.name, def, row.def)
		}
		if rule := strings.TrimPrefix(row.rule, "a number from "); rule != "" && cells[2] != rule {
			t.Errorf("%s is documented with the range %q, want %q", row.name, cells[2], rule)
		}
	}
	for name := range documented {
		t.Errorf("docs/configuration.md has the setting %s, kg serve does not", name)
	}
	NewCommand("test", nil, nil).Flags().VisitAll(func(f *pflag.Flag) {
		if !strings.Contains(page, "`--"+f.Name+"`") {
			t.Errorf("docs/configuration.md lacks the flag --%s", f.Name)
		}
	})
}

// readPage returns a page of the documentation.
func readPage(t *testing.T, name string) string {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("..", "..", "..", name))
	check(t, err)
	return string(body)
}

// section returns what stands between a heading and the next one of its level.
func section(page, heading string) string {
	level := heading[:strings.IndexByte(heading, ' ')]
	_, after, _ := strings.Cut(page, "\n"+heading+"\n")
	section, _, _ := strings.Cut(after, "\n"+level+" ")
	return section
}

// TestDocumentedJobTypes checks that the page of the job types says of each when it runs,
// what it costs and how to undo it, and that its schedules are those that a server makes.
func TestDocumentedJobTypes(t *testing.T) {
	page := readPage(t, "docs/job-types.md")
	types := []string{questions.TypePolarity, curation.TypeProposalExecution, models.TypeReembed, storage.TypeRestore}
	table := section(page, "## The schedules that a server makes")
	for _, s := range schedule.MaintenanceSchedules() {
		types = append(types, s.JobType)
		row := regexp.MustCompile(`(?m)^\| ` + s.Name + ` \|.*$`).FindString(table)
		if condition := cmp.Or(s.Condition, "none"); !strings.Contains(row, "| `"+s.JobType+"` |") || !strings.Contains(row, condition) {
			t.Errorf("the schedule %s of %s while %s is documented as %q", s.Name, s.JobType, condition, row)
		}
	}
	for _, name := range types {
		about := section(page, "## "+name)
		for _, point := range []string{"When", "Cost", "Undo"} {
			if !strings.Contains(about, "- **"+point+"**: ") {
				t.Errorf("docs/job-types.md does not say of %s: %s", name, point)
			}
		}
	}
}

// servedRoutes returns the routes of the OpenAPI document, as "GET /jobs".
func servedRoutes(t *testing.T) []string {
	t.Helper()
	document, _ := apitest.ReadSpec(t, newWholeAPI(t))
	var routes []string
	for path, methods := range document.Paths {
		for method := range methods {
			routes = append(routes, strings.ToUpper(method)+" "+path)
		}
	}
	if len(routes) < 25 {
		t.Fatalf("only %d routes were found", len(routes))
	}
	slices.Sort(routes)
	return routes
}
