package demo

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

func TestDemoDocuments(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if _, err := readDocuments(nil); err == nil || !strings.Contains(err.Error(), "neither README.md nor docs/") {
		t.Errorf("an empty directory: %v", err)
	}
	writeFile(t, "README.md", "# Read me")
	writeFile(t, "docs/a.md", "A")
	writeFile(t, "docs/copy.md", "A")
	writeFile(t, "docs/empty.md", " \n")
	writeFile(t, "docs/picture.png", "P")
	writeFile(t, "other.md", "O")
	documents, err := readDocuments(nil)
	var paths []string
	for _, d := range documents {
		paths = append(paths, d.path)
	}
	if want := []string{"README.md", "docs/a.md"}; err != nil || !slices.Equal(paths, want) {
		t.Errorf("read %q, %v, want %q", paths, err, want)
	}
	if documents, err := readDocuments([]string{"docs"}); err != nil || len(documents) != 1 {
		t.Errorf("a given directory: %v, %v, want one", documents, err)
	}
	if documents, err := readDocuments([]string{"other.md"}); err != nil || len(documents) != 1 {
		t.Errorf("a given file: %v, %v", documents, err)
	}
	if _, err := readDocuments([]string{"missing.md"}); err == nil {
		t.Error("no error for a missing file")
	}
}

func TestPlaceOfAQuote(t *testing.T) {
	body := []byte("# Title\n\nFirst line.\nSecond ünd line.\n")
	d := document{path: "docs/a.md", body: body, hash: corpus.ContentHash(body)}
	evidence := func(quote string) knowledge.Evidence {
		start := strings.Index(string(body), quote)
		return knowledge.Evidence{Quote: quote, DocumentID: d.hash, Span: corpus.Span{Start: start, End: start + len(quote)}}
	}
	if where, ok := d.place(evidence("First line.")); !ok || where != "docs/a.md:3" {
		t.Errorf("got %q, %t", where, ok)
	}
	if where, ok := d.place(evidence("ünd line.")); !ok || where != "docs/a.md:4" {
		t.Errorf("got %q, %t", where, ok)
	}
	other, wrong, outside := evidence("First line."), evidence("First line."), evidence("First line.")
	other.DocumentID = "sha256:0"
	wrong.Quote = "Last line.."
	outside.End = 1000
	for _, e := range []knowledge.Evidence{other, wrong, outside, {}} {
		if where, ok := d.place(e); ok {
			t.Errorf("%+v stands at %s", e, where)
		}
	}
}

func TestMeasure(t *testing.T) {
	ms := func(n int) *kappa.Time {
		at := kappa.At(time.UnixMilli(int64(n)))
		return &at
	}
	job := func(id string, approved, started, completed int) work.Job {
		return work.Job{ID: id, JobTimes: work.JobTimes{ApprovedAt: ms(approved), StartedAt: ms(started), CompletedAt: ms(completed)}}
	}
	jobs := []work.Job{
		job("c", 10, 205, 300), // waited for a, which ended at 200
		job("a", 0, 2, 200),
		job("b", 5, 9, 250),
		job("d", 270, 280, 400), // a slot was free since 250, so it counts from its approval
		{ID: "e"},               // never started
		job("f", 10, 303, 500),  // waited for c, which ended at 300
	}
	got := measure(jobs, 2, map[string]time.Time{"a": ms(50).Time, "c": ms(260).Time})
	if !slices.Equal(got.free, []time.Duration{2 * time.Millisecond, 4 * time.Millisecond}) ||
		!slices.Equal(got.freed, []time.Duration{5 * time.Millisecond, 10 * time.Millisecond, 3 * time.Millisecond}) ||
		!slices.Equal(got.chunk, []time.Duration{50 * time.Millisecond}) {
		t.Errorf("got %+v", got)
	}
	lane := work.Lane{Name: "interactive", PollIntervalMS: 2000}
	said := strings.Join(got.describe(lane), "\n")
	if want := `approval → being read       2 ms median, 4 ms at most (2 jobs with a free slot)
approval → first chunk done 50 ms, as heard here
slot free → next job read   5 ms median, 10 ms at most
The lane interactive polls every 2000 ms only: the approval's notification woke it.`; said != want {
		t.Errorf("said\n%s", said)
	}
	got.free = []time.Duration{1500 * time.Millisecond}
	if said := strings.Join(got.describe(lane), "\n"); !strings.Contains(said, "no notification woke it") {
		t.Errorf("a job that waited for the poll: %s", said)
	}
	if said := (dispatch{}).describe(lane); said != nil {
		t.Errorf("without jobs: %q", said)
	}
}

func TestTree(t *testing.T) {
	root := &branch{label: "job", below: []*branch{
		{id: "worker_1", label: "worker", kind: "RELATED_TO"},
		{id: "lane_1", label: "lane", kind: "RELATED_TO"},
		{label: "slot", kind: "USES", forward: true, below: []*branch{{label: "group", kind: "PART_OF"}}},
	}}
	root.keep(2, map[string]int{"lane_1": 2, "worker_1": 1})
	want := `job
├─ —USES→ slot
│   └─ ←PART_OF— group
├─ —RELATED_TO— lane
└─ and 1 more`
	if got := strings.Join(root.draw(show.Paint{}), "\n"); got != want {
		t.Errorf("drew\n%s\nwant\n%s", got, want)
	}
	root.keep(1, nil)
	root.hidden = 0
	if got := strings.Join(root.draw(show.Paint{}), "\n"); got != "job\n└─ —USES→ slot\n    └─ ←PART_OF— group" {
		t.Errorf("drew\n%s", got)
	}
}

func TestDullness(t *testing.T) {
	path := func(types ...string) questions.Path { return questions.Path{Relationships: types, Hops: len(types)} }
	inOrder := []questions.Path{
		path("USES", "PART_OF", "PREVENTS"), path("USES", "PART_OF"), path("USES", "RELATED_TO", "PART_OF"),
		path("RELATED_TO", "USES"), path("RELATED_TO", "RELATED_TO"), path("RELATED_TO", "RELATED_TO", "RELATED_TO", "RELATED_TO"),
	}
	for i := range len(inOrder) - 1 {
		if dullness(inOrder[i]) >= dullness(inOrder[i+1]) {
			t.Errorf("%v is not better than %v", inOrder[i].Relationships, inOrder[i+1].Relationships)
		}
	}
}

func TestDemoEnvironment(t *testing.T) {
	got := environment([]string{"PATH=/bin", "DATABASE_URL=postgres://production", "KG_ADDR=:80", "KG_DATA_DIR=/srv", "KG_PG_BIN=/pg", "MAX_LANE_SLOTS=1", "KG_ADMIN_PASSWORD=x", "KG_TEST_TYPES=1"})
	if want := []string{"PATH=/bin", "KG_PG_BIN=/pg", "KG_TEST_TYPES=1"}; !slices.Equal(got, want) {
		t.Errorf("kept %q, want %q", got, want)
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// script writes a program that stands in for kg serve.
func script(t *testing.T, text string) (program, dir string) {
	t.Helper()
	dir = t.TempDir()
	program = filepath.Join(dir, "server.sh")
	writeFile(t, program, "#!/bin/sh\n"+text)
	if err := os.Chmod(program, 0o700); err != nil {
		t.Fatal(err)
	}
	return program, dir
}

func TestDemoServer(t *testing.T) {
	t.Run("it is ready when it says so, and stops when asked", func(t *testing.T) {
		program, dir := script(t, `trap 'echo stopped >&2; exit 0' TERM; echo "$KG_ADMIN_PASSWORD $*" >"$(dirname "$0")/seen"
echo "kg: some notice"; echo "kg: serving on http://127.0.0.1:4711"; while :; do sleep 0.05; done`)
		s, err := startServer(t.Context(), program, dir, "", "pw")
		if err != nil || s.url != "http://127.0.0.1:4711" {
			t.Fatalf("address %q, %v", s.url, err)
		}
		if group, err := syscall.Getpgid(s.cmd.Process.Pid); err != nil || group != s.cmd.Process.Pid {
			t.Errorf("its process group is %d, %v: Ctrl-C would reach it", group, err)
		}
		if err := s.stop(t.Context()); err != nil {
			t.Error(err)
		}
		seen, _ := os.ReadFile(filepath.Join(dir, "seen"))
		if want := "pw serve --addr 127.0.0.1:0 --data-dir " + dir + "/data --config /dev/null\n"; string(seen) != want {
			t.Errorf("started with %q, want %q", seen, want)
		}
		if tail := lastLines(filepath.Join(dir, serverLog), 5); tail != "stopped" {
			t.Errorf("its log ends with %q", tail)
		}
	})
	t.Run("one that fails tells why", func(t *testing.T) {
		program, dir := script(t, "echo 'PostgreSQL is missing' >&2; exit 1")
		_, err := startServer(t.Context(), program, dir, "", "pw")
		if err == nil || !strings.Contains(err.Error(), "ended before it was ready") || !strings.HasSuffix(err.Error(), "\nPostgreSQL is missing") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("one that is interrupted while it starts is stopped", func(t *testing.T) {
		program, dir := script(t, `echo $$ >"$(dirname "$0")/pid"; while :; do sleep 0.05; done`)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(200*time.Millisecond, cancel)
		if _, err := startServer(ctx, program, dir, "", "pw"); err == nil || ctx.Err() == nil {
			t.Fatalf("got %v", err)
		}
		pid, _ := os.ReadFile(filepath.Join(dir, "pid"))
		if err := exec.Command("kill", "-0", strings.TrimSpace(string(pid))).Run(); err == nil {
			t.Errorf("process %s still runs", pid)
		}
	})
	t.Run("one that does not stop is killed", func(t *testing.T) {
		program, dir := script(t, `trap '' TERM; echo "kg: serving on http://127.0.0.1:4711"; while :; do sleep 0.05; done`)
		s, err := startServer(t.Context(), program, dir, "", "pw")
		if err != nil {
			t.Fatal(err)
		}
		s.stopWithin = 100 * time.Millisecond
		if err := s.stop(t.Context()); err == nil || !strings.Contains(err.Error(), "was killed") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a program that does not exist", func(t *testing.T) {
		if _, err := startServer(t.Context(), "/nowhere/kg", t.TempDir(), "", "pw"); err == nil {
			t.Error("no error")
		}
	})
}

func TestClumsiness(t *testing.T) {
	inOrder := []string{
		"A lane is a named group of job types with its own slots, poll interval and stale timeout.",
		"A lane has slots.",
		"lanes and slots",
		"It is a named group of job types with its own slots, poll interval and stale timeout.",
		"lane | a named group of job types with its own slots, poll interval and stale timeout",
	}
	for i := range len(inOrder) - 1 {
		if clumsiness(inOrder[i], "Lane") >= clumsiness(inOrder[i+1], "Lane") {
			t.Errorf("%q is not better than %q", inOrder[i], inOrder[i+1])
		}
	}
}

func TestBestQuote(t *testing.T) {
	c := questions.ConceptDetails{Label: "lane", Instances: []knowledge.Evidence{
		{Quote: "A lane has slots.", Document: "demo", Paragraph: 3}, {Quote: "| lane |", Document: "demo"},
	}}
	d := &demo{}
	e, where, ok := d.bestQuote(c, map[string]bool{})
	if !ok || e.Quote != "A lane has slots." || where != "demo, chunk 3, bytes 0–0" {
		t.Errorf("got %q at %s", e.Quote, where)
	}
	if e, _, _ := d.bestQuote(c, map[string]bool{"A lane has slots.": true}); e.Quote != "| lane |" {
		t.Errorf("a quote is shown twice: %q", e.Quote)
	}
	if _, _, ok := d.bestQuote(questions.ConceptDetails{}, nil); ok {
		t.Error("a concept without quotes has one")
	}
}

func TestCompare(t *testing.T) {
	job := func(chunks, low, high int, result string) work.Job {
		a := &corpus.Analysis{FileStats: corpus.FileStats{Chunks: chunks}}
		a.Cost.Embeddings.ConceptsLow, a.Cost.Embeddings.ConceptsHigh = low, high
		a.Cost.Total.CostHigh = 0.25
		return work.Job{ID: "job_1", Analysis: a, Result: []byte(result)}
	}
	got, err := compare([]work.Job{
		job(2, 10, 20, `{"stats":{"chunks_processed":2,"concepts_created":9,"concepts_linked":2},"cost":{"total_usd":0.5}}`),
		job(3, 30, 40, `{"stats":{"chunks_processed":4,"concepts_created":41}}`),
		{ID: "no analysis"},
	})
	want := took{
		chunksEstimated: 5, chunks: 6, conceptsLow: 40, conceptsHigh: 60, concepts: 52, documents: 2, withinBand: 1, chunksExpected: 1,
		estimate: corpus.CostRange{CostHigh: 0.5}, cost: 0.5,
	}
	if err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if _, err := compare([]work.Job{job(1, 1, 1, "{")}); err == nil || !strings.Contains(err.Error(), "job_1") {
		t.Errorf("a result that cannot be read: %v", err)
	}
}

// TestMadePDF looks up each object where the table of the file says that it stands.
func TestMadePDF(t *testing.T) {
	body := string(pdf([]string{"One.", "Two."}, []string{"Three."}))
	at := strings.Index(body, "xref\n")
	rows := strings.Split(body[at:], "\n")[3:]
	for i := range 7 {
		start, err := strconv.Atoi(rows[i][:10])
		if want := strconv.Itoa(i+1) + " 0 obj\n"; err != nil || !strings.HasPrefix(body[start:], want) {
			t.Errorf("row %q does not lead to object %d: %v", rows[i], i+1, err)
		}
	}
	if !strings.HasSuffix(body, "startxref\n"+strconv.Itoa(at)+"\n%%EOF\n") {
		t.Errorf("the end of the file does not lead to the table at %d", at)
	}
	made := madeDocuments()
	if len(made) != 2 || made[0].hash == made[1].hash || !strings.HasPrefix(string(made[0].body), "%PDF-") {
		t.Errorf("made %d documents", len(made))
	}
}
