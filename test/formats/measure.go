package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/formats"
)

// The goals of a file that is read.
const (
	goalRecall = 0.98
	goalOrder  = 0.95
)

// figures are those of a kind.
type figures struct {
	program                  string
	tried, read, refused     int
	compared, good           int // with a trusted program; those of them within the goals
	faults                   int // files of which the trusted program reads what is not there, or loses what is
	words, lost              int // of the trusted program; those of them that were not read, of files of which nothing is said
	lostFiles                int // with such words
	recall, precision, order []float64
	headings, headingsRead   int
	rows, rowsRead           int
	slowest                  time.Duration
	slowestFile              string
	allocated                uint64 // bytes, in all, of the file that takes most
	reasons                  map[string]int
}

// measuring is a run.
type measuring struct {
	reader  *formats.Reader
	verbose bool
	office  office
	faults  map[string]string // of the trusted program, by the hashes of the files
	of      map[string]*figures
}

func newMeasuring(files []file, faults map[string]string, verbose bool) (*measuring, error) {
	folder, err := os.MkdirTemp("", "formats")
	if err != nil {
		return nil, err
	}
	return &measuring{reader: formats.NewReader(), verbose: verbose, of: map[string]*figures{}, faults: faults, office: office{folder: folder, files: files, ran: map[string]bool{}}}, nil
}

func (m *measuring) close(ctx context.Context) {
	if err := errors.Join(m.reader.Close(ctx), os.RemoveAll(m.office.folder)); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// measure reads a file, beside the trusted program. Only an interrupt is an error.
func (m *measuring) measure(ctx context.Context, f file) error {
	k := m.of[f.kind]
	if k == nil {
		k = &figures{reasons: map[string]int{}}
		m.of[f.kind] = k
	}
	body, err := os.ReadFile(f.full)
	if err != nil {
		return err
	}
	k.tried++
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	text, err := m.read(ctx, f, body)
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	k.allocated = max(k.allocated, after.TotalAlloc-before.TotalAlloc)
	if took > k.slowest {
		k.slowest, k.slowestFile = took, f.path
	}
	if err != nil {
		k.refused++
		k.reasons[reasonOf(err)]++
		m.say("%s: refused: %v", f.path, err)
		if strings.Contains(err.Error(), "no text") {
			m.compareNothing(k, f, text, m.readPeer(ctx, f, body))
		}
		return nil
	}
	k.read++
	if p := m.readPeer(ctx, f, body); p != nil {
		m.compare(k, f, text, p)
	}
	return nil
}

func (m *measuring) read(ctx context.Context, f file, body []byte) (corpus.DocumentText, error) {
	format, err := m.reader.Recognise(body, filepath.Base(f.path), "")
	if err != nil || format.IsImage() {
		return corpus.DocumentText{}, err
	}
	return m.reader.Text(ctx, body, format)
}

// compareNothing counts a file that is said to have no text, when the trusted program finds words.
func (m *measuring) compareNothing(k *figures, f file, nothing corpus.DocumentText, p *peerText) {
	if p != nil && len(p.words) > 0 {
		m.compare(k, f, nothing, p)
	}
}

// compare counts how far a text agrees with that of a trusted program.
func (m *measuring) compare(k *figures, f file, d corpus.DocumentText, p *peerText) {
	text, words := d.Text, wordsOf(d.Text)
	if peers[f.kind][1] == "csv" {
		words = sheetWords(text)
	}
	p.besides(words, d.Warnings)
	a := agree(words, p.words)
	if p.ordered != nil {
		a.order = inOrder(words, p.ordered)
	}
	k.program = p.program
	if why := m.faults[f.hash]; why != "" {
		k.faults++
		m.say("%s: recall %.3f precision %.3f order %.3f, not counted: %s", f.path, a.recall, a.precision, a.order, why)
		return
	}
	k.compared++
	k.words += len(p.words)
	lost, more := missing(words, p.words), missing(p.words, words)
	if len(lost) > 0 && !saysSo(d.Warnings) {
		k.lost += len(lost)
		k.lostFiles++
	}
	k.recall, k.precision, k.order = append(k.recall, a.recall), append(k.precision, a.precision), append(k.order, a.order)
	if a.recall >= goalRecall && a.order >= goalOrder {
		k.good++
	} else {
		m.say("%s: recall %.3f precision %.3f order %.3f", f.path, a.recall, a.precision, a.order)
		m.say("\tnot read: %s\n\tnot in %s: %s", shown(lost), p.program, shown(more))
	}
	headings := map[string]bool{}
	var all strings.Builder
	for line := range strings.Lines(text) {
		words := joined(line)
		if strings.HasPrefix(line, "#") {
			headings[words] = true
		}
		all.WriteString(" " + words + " \n")
	}
	lines := all.String()
	for _, h := range p.headings {
		if h == "" {
			continue
		}
		k.headings++
		if headings[h] {
			k.headingsRead++
		}
	}
	for _, row := range p.rows {
		if row == "" {
			continue
		}
		k.rows++
		if strings.Contains(lines, " "+row+" ") {
			k.rowsRead++
		}
	}
}

func (m *measuring) say(format string, arguments ...any) {
	if m.verbose {
		fmt.Printf(format+"\n", arguments...)
	}
}

// shown returns the first words of a list.
func shown(words []string) string {
	const most = 60
	return fmt.Sprint(strings.Join(words[:min(len(words), most)], " "), " (", len(words), ")")
}

// reasonOf returns the beginning of what a refusal says.
func reasonOf(err error) string {
	const words = 9
	fields := strings.Fields(kappa.ErrorMessage(err))
	return strings.Join(fields[:min(len(fields), words)], " ")
}

// print writes the table of the kinds, and why files were refused.
func (m *measuring) print(out io.Writer) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "kind\ttried\tread\trefused\tbeside\tcompared\tits faults\twithin goals\trecall\tprecision\torder\tsilently lost\theadings\trows\tslowest\tmost allocated")
	for _, kind := range slices.Sorted(maps.Keys(m.of)) {
		k := m.of[kind]
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s of words, %d files\t%s\t%s\t%v\t%d MB\n", kind, k.tried, k.read, k.refused, k.program, k.compared, k.faults, part(k.good, k.compared),
			mean(k.recall), mean(k.precision), mean(k.order), tenths(k.lost, k.words), k.lostFiles, part(k.headingsRead, k.headings), part(k.rowsRead, k.rows), k.slowest.Round(time.Millisecond), k.allocated>>20)
	}
	if err := table.Flush(); err != nil {
		return
	}
	for _, kind := range slices.Sorted(maps.Keys(m.of)) {
		for _, reason := range slices.Sorted(maps.Keys(m.of[kind].reasons)) {
			fmt.Fprintf(out, "%s refused %d: %s\n", kind, m.of[kind].reasons[reason], reason)
		}
	}
}

func part(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(n)/float64(of))
}

func tenths(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(of))
}

// saysSo reports whether warnings say that something of a document is not read, or not well.
func saysSo(warnings []string) bool {
	return slices.ContainsFunc(warnings, func(w string) bool {
		return strings.Contains(w, "not read") || strings.Contains(w, "lost its spaces") || strings.Contains(w, "could not be") || strings.Contains(w, "broken")
	})
}

func mean(list []float64) string {
	if len(list) == 0 {
		return "–"
	}
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return fmt.Sprintf("%.3f", sum/float64(len(list)))
}
