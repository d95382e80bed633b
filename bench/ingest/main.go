// Command ingest measures ingestion with the built-in extractor, from submission to the
// written graph, against what is demanded of it. It runs kg serve as a process of its own on
// a private PostgreSQL, and speaks to it over HTTP as any client. Each section measures one
// thing, in a file of its own.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

// options are the sizes of the run.
type options struct {
	kg     string
	only   string
	strict bool

	documents, words int // of the sections speed and graph

	concepts int // in the graph of the section graph

	megabytes int           // of the document of the section memory
	largeFor  time.Duration // how long it is read

	delayedChunks int // of each document of the section jobs
}

// section is something that is measured.
type section struct {
	name    string
	measure func(*bench, context.Context) error
}

// sections returns what can be measured, in the order of the report.
func sections() []section {
	return []section{{"speed", (*bench).speed}, {"graph", (*bench).graph}, {"memory", (*bench).memory}, {"jobs", (*bench).jobs}, {"lanes", (*bench).lanes}, {"hostile", (*bench).hostile}, {"html", (*bench).html}}
}

func sectionNames() []string {
	var names []string
	for _, s := range sections() {
		names = append(names, s.name)
	}
	return names
}

func main() {
	var o options
	flag.StringVar(&o.kg, "kg", "bin/kg", "the kg program")
	flag.StringVar(&o.only, "only", "", "sections to run, with commas: "+strings.Join(sectionNames(), ","))
	flag.BoolVar(&o.strict, "strict", false, "fail when a demand is missed")
	flag.IntVar(&o.documents, "documents", 1000, "speed: documents to ingest, 10 or more; graph: a fifth of them, twice")
	flag.IntVar(&o.words, "words", 600, "speed, graph: words in each document")
	flag.IntVar(&o.concepts, "concepts", 100_000, "graph: concepts in the graph that is not empty")
	flag.IntVar(&o.megabytes, "megabytes", 50, "memory: size of the document")
	flag.DurationVar(&o.largeFor, "large-for", 30*time.Second, "memory: how long the document is read before it is cancelled; 0 is to its end")
	flag.IntVar(&o.delayedChunks, "delayed-chunks", 20, "jobs: chunks of each document")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is one run.
type bench struct {
	options
	missed int // demands
}

func run(ctx context.Context, o options) error {
	if o.documents < 50 || o.words < 50 {
		return fmt.Errorf("at least 50 documents of 50 words, got %d of %d", o.documents, o.words)
	}
	chosen := sectionNames()
	if o.only != "" {
		chosen = strings.Split(o.only, ",")
	}
	b := &bench{options: o}
	for _, name := range chosen {
		i := slices.IndexFunc(sections(), func(s section) bool { return s.name == name })
		if i < 0 {
			return fmt.Errorf("-only must name sections of %s, got %q", strings.Join(sectionNames(), ","), name)
		}
		if err := sections()[i].measure(b, ctx); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Println()
	}
	if b.missed == 0 {
		fmt.Println("every demand is met")
		return nil
	}
	fmt.Printf("%d demands missed\n", b.missed)
	if o.strict {
		return errors.New("demands missed")
	}
	return nil
}

// verdict returns the word for a demand that was met or not.
func (b *bench) verdict(met bool) string {
	if met {
		return "ok"
	}
	b.missed++
	return "MISSED"
}
