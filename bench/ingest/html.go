package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/kappagraph/kappa/bench/serving"
	"github.com/kappagraph/kappa/client"
)

// html measures what many small documents cost that need a parser, from submission to the
// written graph, and from submission to the analysis.
func (b *bench) html(ctx context.Context) error {
	started, err := serving.Start(ctx, b.kg)
	if err != nil {
		return err
	}
	defer started.Stop()
	server := &server{started.API}
	source := newCorpus(b.words, 3, vocabulary)
	if _, err := server.ingest(ctx, newCorpus(b.words, 1, vocabulary), 0, 10); err != nil { // so that everything is loaded
		return err
	}
	for _, approve := range []bool{false, true} {
		before := processorTime(started.PID())
		began := time.Now()
		var ids []string
		for n := range b.documents {
			body := fmt.Sprintf("<html><head><title>%d %v</title></head><body><h1>Report %d</h1><p>%s</p></body></html>", n, approve, n, strings.ReplaceAll(source.document(n), "\n\n", "</p><p>"))
			submitted, err := server.Documents.Submit(ctx, client.Document{Body: []byte(body), Filename: fmt.Sprintf("report-%d.html", n), Ontology: fmt.Sprint("html ", approve), AutoApprove: approve})
			if err != nil {
				return err
			}
			ids = append(ids, submitted.JobID)
		}
		submitted := time.Since(began)
		for _, id := range ids {
			if approve {
				_, err = server.await(ctx, id)
			} else {
				err = server.analysed(ctx, id)
			}
			if err != nil {
				return err
			}
		}
		took := time.Since(began)
		each := func(d time.Duration) string { return fmt.Sprintf("%.2f ms", d.Seconds()*1000/float64(b.documents)) }
		what := "analysed"
		if approve {
			what = "ingested"
		}
		fmt.Printf("html: %d documents of about %d words %s in %v (submitted in %v); processor time for each: server, its processes and the database %s\n",
			b.documents, b.words, what, took.Round(time.Millisecond), submitted.Round(time.Millisecond), each(processorTime(started.PID())-before))
	}
	return nil
}

// processorTime returns the processor time of a process and of what it has started.
func processorTime(pid int) (sum time.Duration) {
	const tick = 10 * time.Millisecond
	children := map[int][]int{}
	used := map[int]time.Duration{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		text, _ := os.ReadFile(file)
		id, _, _ := strings.Cut(string(text), " ")
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) < 15 {
			continue
		}
		n, _ := strconv.Atoi(id)
		parent, _ := strconv.Atoi(fields[1])
		children[parent] = append(children[parent], n)
		for _, field := range fields[11:15] { // its own, and of those that have ended
			ticks, _ := strconv.Atoi(field)
			used[n] += time.Duration(ticks) * tick
		}
	}
	var add func(pid int)
	add = func(pid int) {
		sum += used[pid]
		for _, child := range children[pid] {
			add(child)
		}
	}
	add(pid)
	return sum
}
