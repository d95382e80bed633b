// Command ranking learns what the features of the ranking are worth, and measures it, on
// questions in the format of SQuAD: for each paragraph, those that it answers.
//
// Exit codes: 0 done, 1 it failed, 2 wrong flags, or data that is missing or malformed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

// errInput marks failures of what the user gave: exit code 2.
var errInput = errors.New("unusable input")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// options are the flags.
type options struct {
	data, write   string
	embedding     string
	writeSimilar  string
	without, held bool
}

// run is the program; it returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var o options
	flags := flag.NewFlagSet("ranking", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.data, "data", "", "the `folder` with squad*.json and xquad.LANGUAGE.json; .xz may follow, with the program xz installed")
	flags.StringVar(&o.write, "write", "", "learn from all English articles, write the weights to this `file`, and measure nothing")
	flags.StringVar(&o.embedding, "embedding", "", "learn what similarity in meaning is worth beside the words, by the static embedding in this `folder`, and print it")
	flags.StringVar(&o.writeSimilar, "write-similar", "", "with -embedding: write what it is worth to this `file`")
	flags.BoolVar(&o.without, "without", false, "also leave each feature out, and print what that costs")
	flags.BoolVar(&o.held, "held-out", false, "measure on the articles that are held out, after learning from the others")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if o.data == "" || flags.NArg() > 0 {
		fmt.Fprintln(stderr, "ranking: -data FOLDER is needed, and no other arguments")
		return 2
	}
	if err := work(ctx, o, stdout); err != nil {
		fmt.Fprintf(stderr, "ranking: %v\n", err)
		if errors.Is(err, errInput) {
			return 2
		}
		return 1
	}
	return 0
}
