// Command definitions measures how often the first passage that answers "What is X?" says what X
// is, on documents of others in one library: those of the list documents.tsv that are in a folder.
//
// Exit codes: 0 measured, 1 it failed, 2 wrong flags, or documents that are missing.
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
	data, text string
	missed     bool
}

// run is the program; it returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var o options
	flags := flag.NewFlagSet("definitions", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.data, "data", "", "the `folder` with the documents of documents.tsv")
	flags.StringVar(&o.text, "text", "", "print the passages of the document of this `name`, and measure nothing")
	flags.BoolVar(&o.missed, "missed", false, "also print what comes first where it says nothing of the kind; never of the documents that are held out")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if o.data == "" || flags.NArg() > 0 {
		fmt.Fprintln(stderr, "definitions: -data FOLDER is needed, and no other arguments")
		return 2
	}
	if err := work(ctx, o, stdout); err != nil {
		fmt.Fprintf(stderr, "definitions: %v\n", err)
		if errors.Is(err, errInput) {
			return 2
		}
		return 1
	}
	return 0
}
