// Command judged measures what people who read the sentence say of typed relationships: it draws some
// from texts of others, by a seed, for somebody to judge, and counts what was judged.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
)

func main() {
	var o options
	flag.StringVar(&o.data, "data", "", "draw from the texts of this `folder`: squad2-20-articles.json, test.conllu, inspec/, docs/ and licences/, as far as they are there")
	flag.IntVar(&o.number, "number", 30, "how many to draw of each kind of text")
	flag.StringVar(&o.seed, "seed", "kappa", "what the draw depends on")
	flag.StringVar(&o.known, "known", "", "take the verdicts of this `file` where it has the same relationship of the same sentence")
	flag.StringVar(&o.except, "except", "", "draw none that are in this `file`: what was seen while rules were made")
	flag.Parse()
	if err := run(context.Background(), o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "judged:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	data, seed, known, except string
	number                    int
}

// run draws and prints, or counts what the files say.
func run(ctx context.Context, o options, files []string) error {
	if o.data != "" {
		return draw(ctx, o, os.Stdout)
	}
	if len(files) == 0 {
		return fmt.Errorf("nothing to count: name files that were judged, or -data")
	}
	for _, file := range files {
		list, err := readJudged(file)
		if err != nil {
			return err
		}
		printTable(os.Stdout, file, list)
	}
	return nil
}
