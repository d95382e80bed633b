// Command answers asks a server questions that others wrote, and says how often the right
// paragraph comes first, how long an answer takes, and how often a question that no
// document answers is denied; beside it SQLite's full-text search on the same paragraphs
// and questions, in the same run.
//
// The questions are read from files in the format of SQuAD, which XQuAD has too: articles,
// their paragraphs, and questions of each. An article is ingested as a document of plain
// text. A fifth of the articles of the first file is left out: their questions are those that
// no document answers.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// options are what is measured.
type options struct {
	kg        string
	only      string
	questions int
	at        int
	passages  string
	calls     int
	other     string
}

// section is one thing that can be measured.
type section struct {
	name    string
	measure func(*bench, context.Context) error
}

func sections() []section {
	return []section{
		{"quality", (*bench).quality},
		{"denied", (*bench).denied},
		{"speed", (*bench).speed},
		{"scale", (*bench).scale},
		{"same", (*bench).same},
	}
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
	flag.IntVar(&o.questions, "questions", 0, "so many questions of each file, spread over it; 0 is all")
	flag.IntVar(&o.at, "at", 16, "how many questions are asked at once where that is measured")
	flag.StringVar(&o.passages, "passages", "100000,1000000", "sizes of the libraries of the section scale")
	flag.IntVar(&o.calls, "calls", 500, "questions to each of those")
	flag.StringVar(&o.other, "other", "", "another kg program, whose answers the section same compares")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: answers [flags] FILE.json…")
		flag.PrintDefaults()
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is one run.
type bench struct {
	options

	sets []set
}

func run(ctx context.Context, o options, files []string) error {
	if len(files) == 0 {
		return errors.New("name at least one file of questions in the format of SQuAD, unpacked")
	}
	chosen := slices.DeleteFunc(sectionNames(), func(name string) bool { return name == "same" }) // it takes two programs
	if o.only != "" {
		chosen = strings.Split(o.only, ",")
	}
	for _, name := range chosen {
		if !slices.Contains(sectionNames(), name) {
			return fmt.Errorf("-only must name sections of %s, got %q", strings.Join(sectionNames(), ","), name)
		}
	}
	b := &bench{options: o}
	for _, file := range files {
		s, err := readSet(file)
		if err != nil {
			return err
		}
		b.sets = append(b.sets, s)
	}
	fmt.Println(machine())
	for _, s := range sections() {
		if !slices.Contains(chosen, s.name) {
			continue
		}
		if err := s.measure(b, ctx); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// machine says what the figures depend on: they mean little beside other work.
func machine() string {
	text := fmt.Sprintf("%d processors", runtime.NumCPU())
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		text += ", load " + strings.Fields(string(load))[0] + " at the start"
	}
	return text + "; client, server and private PostgreSQL on one machine"
}
