//go:build linux

package read

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/formats"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/reading"
	"github.com/kappagraph/kappa/internal/sandbox/frame"
)

// start runs a Reader whose processes are this program, until the test ends.
func start(t *testing.T, command string, change func(c *reading.Config)) (r *reading.Reader, stop func()) {
	t.Helper()
	here := formats.NewReader()
	cfg := reading.Config{
		Bin: os.Args[0], Args: []string{command}, Children: 2, Local: here, Limit: time.Minute,
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
	if change != nil {
		change(&cfg)
	}
	r = reading.New(cfg)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := errors.Join(<-ended, here.Close(context.WithoutCancel(ctx))); err != nil {
			t.Error(err)
		}
		if s := r.Stats(); s.Alive != 0 || s.Busy != 0 {
			t.Errorf("left behind: %+v", s)
		}
		if pids := processes(); len(pids) > 0 {
			t.Errorf("processes that read are left: %v", pids)
		}
	})
	t.Cleanup(stop)
	return r, stop
}

// processes returns the processes of this one that read.
func processes() (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		text, _ := os.ReadFile(file)
		pid, rest, ok := strings.Cut(string(text), " (kg-read) ")
		if fields := strings.Fields(rest); ok && len(fields) > 1 && fields[0] != "Z" && fields[1] == strconv.Itoa(os.Getpid()) {
			n, _ := strconv.Atoi(pid)
			pids = append(pids, n)
		}
	}
	return pids
}

// html is a document that only a parser reads.
var html = []byte("<html><h1>Ice</h1><p>A glacier is a river of <b>ice</b>.</p><h2>Loss</h2><p>It calves.</p></html>")

// TestText has documents read by a real process, and compares what is read of them here.
func TestText(t *testing.T) {
	r, _ := start(t, Command, nil)
	here := formats.NewReader()
	large := []byte("# One\n\n" + strings.Repeat("A glacier is a river of ice.\n", 50_000) + "\n# Two\n\nEnd.\n")
	table := []byte("\uFEFFname;Größe\nAletsch;80\n" + strings.Repeat("Rhône;8\n", 2000))
	for name, d := range map[string]struct {
		body   []byte
		format corpus.ContentType
	}{
		"HTML":                    {html, corpus.ContentHTML},
		"large Markdown":          {large, corpus.ContentMarkdown},
		"a large text":            {large, corpus.ContentPlain},
		"a table":                 {table, corpus.ContentCSV},
		"JSON":                    {[]byte(`{"glacier": {"name": "Aletsch", "kilometres": 23}}`), corpus.ContentJSON},
		"mail":                    {[]byte("From: ada@example.org\r\nMessage-ID: <1@example.org>\r\nSubject: Glaciers\r\n\r\nA glacier is a river of ice.\r\n"), corpus.ContentEmail},
		"a short text, read here": {[]byte("Water boils."), corpus.ContentPlain},
	} {
		got, err := r.Text(t.Context(), d.body, d.format)
		want, err2 := here.Text(t.Context(), d.body, d.format)
		if err != nil || err2 != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v; got %.300q (%d places, %q), want %.300q (%d places, %q)", name, err, err2, got.Text, len(got.Places), got.Warnings, want.Text, len(want.Places), want.Warnings)
		}
	}
	for name, d := range map[string]struct {
		body   []byte
		format corpus.ContentType
	}{
		"a workbook that is none": {[]byte("PK\x03\x04 not a workbook"), corpus.ContentXLSX},
		"blank HTML":              {[]byte("<html></html>"), corpus.ContentHTML},
	} {
		_, err := r.Text(t.Context(), d.body, d.format)
		_, want := here.Text(t.Context(), d.body, d.format)
		if kappa.ErrorCode(err) != kappa.ErrorCode(want) || kappa.ErrorMessage(err) != kappa.ErrorMessage(want) || kappa.Retryable(err) {
			t.Errorf("%s: got %v, want %v", name, err, want)
		}
	}
	if s := r.Stats(); s.Tasks == 0 || s.Crashed+s.Killed > 0 {
		t.Errorf("%+v", s)
	}
}

// say has a process do what a document says.
func say(ctx context.Context, r *reading.Reader, document string) (corpus.DocumentText, error) {
	return r.Text(ctx, []byte(document), corpus.ContentHTML)
}

// TestFaults has documents that do harm: each is at fault for good, and the next one is read.
func TestFaults(t *testing.T) {
	r, _ := start(t, misread, func(c *reading.Config) { c.Limit, c.Children = 15*time.Second, 1 })
	for verb, want := range map[string]string{
		"die":     "2 processes that tried ended at it, as when memory runs out.",
		"leave":   "2 processes that tried ended at it, as when memory runs out.",
		"eat":     "that took more memory than 512 MB.",
		"garbage": "it broke the process that read it.",
		"flood":   "it broke the process that read it.",
		"markup":  "it broke the process that read it.",
		"place x": "it broke the process that read it.",
		"order x": "it broke the process that read it.",
		"binary":  "it broke the process that read it.",
		"warn":    "it broke the process that read it.",
		"both x":  "it broke the process that read it.",
		// What is said to be done must grow, and end.
		"steps 1 3 3": "it broke the process that read it.",
		"steps 0":     "it broke the process that read it.",
		"steps 10":    "it broke the process that read it.",
		"picture 4":   "it broke the process that read it.",
		"picture -1":  "it broke the process that read it.",
	} {
		_, err := say(t.Context(), r, verb)
		message := "The document could not be read: " + want + " Split it, or convert it to text, and submit that."
		if kappa.ErrorCode(err) != kappa.CodeMalformed || kappa.ErrorMessage(err) != message || kappa.Retryable(err) {
			t.Errorf("%s: got %v, want %s", verb, err, message)
		}
		if text, err := say(t.Context(), r, "fine ice"); err != nil || text.Text != "ice" {
			t.Errorf("after %s: %q, %v", verb, text.Text, err)
		}
	}
}

// TestProgress hears how many pages are read.
func TestProgress(t *testing.T) {
	r, _ := start(t, misread, nil)
	var said []int
	ctx := corpus.WithReadingProgress(t.Context(), func(done, of int) { said = append(said, done, of) })
	text, err := say(ctx, r, "steps 1 5 9")
	if want := []int{1, 9, 5, 9, 9, 9}; err != nil || text.Text != "1 5 9" || !slices.Equal(said, want) {
		t.Errorf("heard %v, read %q and %v, want %v", said, text.Text, err, want)
	}
}

func TestDeadline(t *testing.T) {
	r, _ := start(t, misread, func(c *reading.Config) { c.Limit, c.Children = 2*time.Second, 1 })
	_, err := say(t.Context(), r, "loop")
	if want := "The document could not be read: that took longer than 2s. Split it, or convert it to text, and submit that."; kappa.ErrorMessage(err) != want || kappa.Retryable(err) {
		t.Errorf("got %v, want %s", err, want)
	}
	stopped := errors.New("nobody waits any more")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(300*time.Millisecond, func() { cancel(stopped) })
	if _, err := say(ctx, r, "loop"); !errors.Is(err, stopped) {
		t.Errorf("got %v", err)
	}
	if text, err := say(t.Context(), r, "fine ice"); err != nil || text.Text != "ice" {
		t.Errorf("then %q, %v", text.Text, err)
	}
}

// TestKilled kills the process in the middle of a document: another one reads it.
func TestKilled(t *testing.T) {
	r, _ := start(t, misread, func(c *reading.Config) { c.Children = 1 })
	if _, err := say(t.Context(), r, "fine"); err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	done.Go(func() {
		await.That(t, "it is read", func() bool { return r.Stats().Busy == 1 })
		for _, pid := range processes() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	text, err := say(t.Context(), r, fmt.Sprint("survive ", time.Now().UnixNano(), " ice"))
	done.Wait()
	if s := r.Stats(); err != nil || text.Text != "ice" || s.Crashed != 1 {
		t.Errorf("got %q, %v; %+v", text.Text, err, s)
	}
}

// TestStop stops the server while documents are read.
func TestStop(t *testing.T) {
	r, stop := start(t, misread, nil)
	ctx, cancel := context.WithCancel(t.Context())
	var reading sync.WaitGroup
	var ready atomic.Int64
	for range 4 {
		reading.Go(func() {
			if _, err := say(t.Context(), r, "fine"); err != nil {
				t.Error(err)
			}
			ready.Add(1)
			_, _ = say(ctx, r, "loop")
		})
	}
	await.That(t, "they are in the middle of it", func() bool { return ready.Load() == 4 && r.Stats().Busy > 0 })
	reading.Go(stop)
	cancel() // as the server does with its jobs
	reading.Wait()
	if _, err := say(t.Context(), r, "fine"); kappa.ErrorCode(err) != kappa.CodeUnavailable {
		t.Errorf("after the end: %v", err)
	}
}

// TestRecycled reads more documents than a process may.
func TestRecycled(t *testing.T) {
	r, _ := start(t, misread, func(c *reading.Config) { c.Children = 4 })
	for range 120 {
		if _, err := say(t.Context(), r, "fine"); err != nil {
			t.Fatal(err)
		}
	}
	if s := r.Stats(); s.Retired != 2 || s.Started < 3 || s.Started > 6 || s.Crashed+s.Killed > 0 {
		t.Errorf("120 documents one after another: %+v, want two processes retired", s)
	}
}

// TestWalls has a process that was taken over look around.
func TestWalls(t *testing.T) {
	r, _ := start(t, misread, nil)
	text, err := say(t.Context(), r, "escape")
	if err != nil {
		t.Fatal(err)
	}
	h := r.Hello()
	t.Logf("in force: %q, not in force: %q", h.InForce, h.NotInForce)
	for _, wall := range []string{"landlock", "seccomp", frame.MemoryWatch} {
		if !slices.Contains(h.InForce, wall) {
			t.Skipf("this system does not offer %s: %q", wall, h.NotInForce)
		}
	}
	if len(text.Warnings) > 0 {
		t.Errorf("a process that reads documents can reach %q", text.Warnings)
	}
}

// TestNotStarted has a program that is not there: no document is at fault.
func TestNotStarted(t *testing.T) {
	r, _ := start(t, misread, func(c *reading.Config) { c.Bin = "/nowhere/kg" })
	_, err := say(t.Context(), r, "fine")
	if _, postponed := kappa.Postponed(err); kappa.ErrorCode(err) != kappa.CodeUnavailable || !postponed || !strings.Contains(kappa.ErrorMessage(err), "kg doctor says why") {
		t.Errorf("got %v", err)
	}
	if err := r.Check(t.Context()); kappa.ErrorCode(err) != kappa.CodeUnavailable {
		t.Errorf("the check says %v", err)
	}
	if text, err := r.Text(t.Context(), []byte("Water boils."), corpus.ContentPlain); err != nil || text.Text != "Water boils." {
		t.Errorf("a short text: %q, %v", text.Text, err)
	}
}

// TestAnalysesHaveTheirOwn has jobs read that never end: analyses are read all the same.
func TestAnalysesHaveTheirOwn(t *testing.T) {
	r, _ := start(t, misread, func(c *reading.Config) { c.Jobs = 1 })
	ctx, cancel := context.WithCancel(t.Context())
	var jobs sync.WaitGroup
	var ended atomic.Int64
	for range 3 {
		jobs.Go(func() {
			_, _ = say(ctx, r, "loop")
			ended.Add(1)
		})
	}
	await.That(t, "one of them is read", func() bool { return r.Stats().Busy == 1 })
	text, err := r.Analyses().Text(t.Context(), []byte("fine ice"), corpus.ContentHTML)
	if n := ended.Load(); err != nil || text.Text != "ice" || n > 0 {
		t.Errorf("%q, %v after %d jobs", text.Text, err, n)
	}
	cancel()
	jobs.Wait()
}

// TestPDF_Slow compiles what reads PDF, once, which takes a minute under the race detector,
// and has two processes use it.
func TestPDF_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	dir := t.TempDir()
	for path := dir; path != "/"; path = filepath.Dir(path) {
		if stat, err := os.Stat(path); err == nil && stat.Mode().Perm()&0o001 == 0 && path != "/" {
			_ = os.Chmod(path, 0o755) // the processes are another user
		}
	}
	r, _ := start(t, Command, func(c *reading.Config) { c.Dir = dir })
	if err := r.Prepare(t.Context(), nil, corpus.ContentPDF); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for n := range 3 {
		group.Go(func() {
			text, err := r.Text(t.Context(), pdf(fmt.Sprint("Glacier ", n)), corpus.ContentPDF)
			if err != nil || text.Text != fmt.Sprint("Glacier ", n) || len(text.Places) != 1 || text.Places[0].Page != 1 {
				t.Errorf("got %+v, %v", text, err)
			}
		})
	}
	group.Wait()
}

// pdf is a PDF with a line of text.
func pdf(line string) []byte {
	content := "BT /F 12 Tf 10 20 Td (" + line + ") Tj ET"
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 50]/Contents 4 0 R/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>",
		fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(content), content),
	}
	b := bytes.NewBufferString("%PDF-1.4\n")
	var offsets []int
	for i, o := range objects {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(b, "%d 0 obj%s endobj\n", i+1, o)
	}
	table := b.Len()
	fmt.Fprintf(b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(b, "trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table)
	return b.Bytes()
}
