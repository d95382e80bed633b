package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kappagraph/kappa/bench/serving"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/work"
)

// The section hostile: how many documents nobody can read a user submits, and the demands
// on what others notice of them.
const (
	hostileDocuments = 60
	visitorDocuments = 60
	mostWait         = time.Second // from the submission of another user's document to its analysis, p99
	mostGrowth       = 64 << 20    // of the server's memory
	patience         = 30 * time.Second
)

// hostile has one user submit documents that take for ever to read, and measures how long
// those of another one wait for their analysis, and what the server and its processes hold.
func (b *bench) hostile(ctx context.Context) error {
	started, err := serving.Start(ctx, b.kg)
	if err != nil {
		return err
	}
	defer started.Stop()
	server := &server{started.API}
	visitor, err := started.User(ctx, "visitor", "contributor")
	if err != nil {
		return err
	}
	if _, err := server.ingest(ctx, newCorpus(b.words, 1, vocabulary), 0, 10); err != nil { // so that everything is loaded
		return err
	}
	before, err := held(started.PID())
	if err != nil {
		return err
	}
	for n := range hostileDocuments {
		if _, err := server.Documents.Submit(ctx, client.Document{Body: nestedForms(n), Filename: fmt.Sprintf("nested-%d.pdf", n), Ontology: "hostile", AutoApprove: true}); err != nil {
			return err
		}
	}
	var waits []time.Duration
	most, children := before, int64(0)
	for n := range visitorDocuments {
		began := time.Now()
		submitted, err := visitor.Documents.Submit(ctx, client.Document{Body: fmt.Appendf(nil, "Visitor %d reads a book about glaciers.", n), Filename: "visit.txt", Ontology: "visits"})
		if err != nil {
			return err
		}
		limited, cancel := context.WithTimeout(ctx, patience)
		err = server.analysed(limited, submitted.JobID)
		cancel()
		if err != nil && limited.Err() == nil {
			return err
		}
		waits = append(waits, time.Since(began))
		now, err := held(started.PID())
		if err != nil {
			return err
		}
		most, children = max(most, now), max(children, heldByChildren(started.PID()))
		if n >= 2 && slices.Min(waits) >= patience {
			fmt.Printf("given up after %d documents, none of which was analysed within %v\n", n+1, patience)
			break
		}
		time.Sleep(rand.N(500 * time.Millisecond))
	}
	slices.Sort(waits)
	p99 := waits[len(waits)*99/100]
	fmt.Printf("hostile: %d PDFs of %d bytes of one user, whose forms call each other without end; %d small documents of another one\n",
		hostileDocuments, len(nestedForms(0)), visitorDocuments)
	fmt.Printf("from submission to analysis: median %v, most %v, p99 %v, must be ≤ %v: %s\n", waits[len(waits)/2].Round(time.Millisecond),
		waits[len(waits)-1].Round(time.Millisecond), p99.Round(time.Millisecond), mostWait, b.verdict(p99 <= mostWait))
	fmt.Printf("memory of the server: %s before, %s at most, must grow by ≤ %s: %s; of its children together %s at most\n",
		mb(before), mb(most), mb(mostGrowth), b.verdict(most-before <= mostGrowth), mb(children))
	return nil
}

// analysed waits until a job has been analysed.
func (s *server) analysed(ctx context.Context, id string) error {
	for {
		job, err := s.Jobs.Get(ctx, id)
		if err != nil {
			return err
		}
		switch job.Status {
		case work.StatusPending:
		case work.StatusFailed, work.StatusCancelled:
			return fmt.Errorf("%s is %s: %v", id, job.Status, job.Error)
		default:
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// nestedForms is a PDF of a page whose form draws another one twenty times, over twelve
// levels. Each n is another document.
func nestedForms(n int) []byte {
	const levels, times = 12, 20
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<</XObject<</F 5 0 R>>>>/Contents 4 0 R>>",
		stream("", fmt.Sprintf("/F Do %%%d", n)),
	}
	for level := range levels - 1 {
		objects = append(objects, stream(fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F %d 0 R>>>>", 6+level), strings.Repeat("/F Do ", times)))
	}
	objects = append(objects, stream("/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>", "BT /F1 1 Tf (glacier) Tj ET"))
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	var offsets []int
	for i, o := range objects {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj%s endobj\n", i+1, o)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table)
	return b.Bytes()
}

func stream(entries, content string) string {
	return fmt.Sprintf("<<%s/Length %d>>stream\n%s\nendstream", entries, len(content), content)
}

// held returns the bytes that a process holds now.
func held(pid int) (int64, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text))
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize()), err
}

// heldByChildren returns what the processes hold that read documents for a server.
func heldByChildren(server int) (sum int64) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		text, _ := os.ReadFile(file)
		pid, rest, ok := strings.Cut(string(text), " (kg-read) ")
		fields := strings.Fields(rest)
		if !ok || len(fields) < 2 || fields[1] != strconv.Itoa(server) {
			continue
		}
		n, err := strconv.Atoi(pid)
		if err != nil {
			continue
		}
		if bytes, err := held(n); err == nil {
			sum += bytes
		}
	}
	return sum
}
