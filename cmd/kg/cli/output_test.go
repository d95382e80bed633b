package cli

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

const twoJobs = `[{"job_id":"job_0123456789ab","job_type":"ingestion","status":"processing","filename":"a very long name of a document, much longer than fits.md",
 "created_at":"2020-01-31T08:00:00.123Z","progress":{"percent":42},"unknown_member":1.50},
{"job_id":"job_0123456789cd","job_type":"noop","status":"awaiting_approval","ontology":"de\u001b[31mmo","created_at":"2020-01-31T08:00:00.123Z"}]`

func TestOutput(t *testing.T) {
	f := newFakeAPI(t)
	f.answer("GET /jobs", twoJobs)
	f.answer("GET /ontology/", `{"count":1,"ontologies":[{"ontology":"demo","file_count":1200,"extra":true}]}`)
	f.answer("GET /health", `{"status":"healthy","components":{"api":{"status":"healthy"}}}`)
	c := f.console(t)

	t.Run("a table fits into 80 columns and shows no control characters", func(t *testing.T) {
		c.run(t.Context(), "jobs", "list")
		lines := strings.Split(strings.TrimRight(c.out, "\n"), "\n")
		if c.code != exit.OK || len(lines) != 4 || lines[3] != "  until it is approved" || !strings.HasPrefix(lines[0], "JOB               STATUS             TYPE       DONE") {
			t.Fatalf("code %d, got\n%s%s", c.code, c.out, c.err)
		}
		for _, line := range lines {
			if n := len([]rune(line)); n > 80 {
				t.Errorf("%d columns: %s", n, line)
			}
		}
		if !strings.Contains(lines[1], "42 %") || !strings.Contains(lines[1], "a very") || !strings.HasSuffix(lines[1], "…") || strings.Contains(c.out, "\x1b") {
			t.Errorf("got\n%q", c.out)
		}
	})
	t.Run("json is what the API sent, with members that kg does not know", func(t *testing.T) {
		c.run(t.Context(), "jobs", "list", "-o", "json")
		if strings.Join(strings.Fields(c.out), "") != strings.Join(strings.Fields(twoJobs), "") || c.err != "" {
			t.Errorf("got %s", c.out)
		}
	})
	t.Run("jsonl is an object a line", func(t *testing.T) {
		c.run(t.Context(), "jobs", "list", "-o", "jsonl")
		lines := strings.Split(strings.TrimRight(c.out, "\n"), "\n")
		if len(lines) != 2 || !strings.HasPrefix(lines[0], `{"job_id":"job_0123456789ab"`) || !strings.Contains(lines[0], `"unknown_member":1.50`) {
			t.Errorf("got %s", c.out)
		}
	})
	t.Run("jsonl takes the list out of its object", func(t *testing.T) {
		c.run(t.Context(), "ontology", "list", "-o", "jsonl")
		if c.out != `{"ontology":"demo","file_count":1200,"extra":true}`+"\n" {
			t.Errorf("got %s", c.out)
		}
	})
	t.Run("jsonl of one object is one line", func(t *testing.T) {
		c.run(t.Context(), "health", "-o", "jsonl")
		if c.out != `{"status":"healthy","components":{"api":{"status":"healthy"}}}`+"\n" {
			t.Errorf("got %s", c.out)
		}
	})
	t.Run("numbers are grouped and aligned", func(t *testing.T) {
		c.run(t.Context(), "ontology", "list")
		if want := "ONTOLOGY  FILES  CHUNKS  CONCEPTS  STATE\ndemo      1,200       0         0\n"; c.out != want {
			t.Errorf("got\n%swant\n%s", c.out, want)
		}
	})
}

func TestEmptyLists(t *testing.T) {
	f := newFakeAPI(t)
	f.answer("GET /jobs", `[]`)
	c := f.console(t)
	if c.run(t.Context(), "jobs", "list"); c.out != "" || c.err != "No jobs.\n" {
		t.Errorf("table: stdout %q, stderr %q", c.out, c.err)
	}
	if c.run(t.Context(), "jobs", "list", "-o", "json"); c.out != "[]\n" {
		t.Errorf("json: %q", c.out)
	}
	if c.run(t.Context(), "jobs", "list", "-o", "jsonl"); c.out != "" {
		t.Errorf("jsonl: %q", c.out)
	}
}
