// Command eval measures the built-in extractor: keyphrases, concepts, entities,
// relationships and speed, on its own annotated passages or on a data set in the
// Inspec or Re-DocRED format from a folder.
//
// Exit codes: 0 measured, 1 the extractor failed, 2 wrong flags, or input that
// is missing or malformed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/kappagraph/kappa/internal/extract"
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
	sets, inspec, redocred, show string
	json, verbose                bool
}

// run is the program; it returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var o options
	flags := flag.NewFlagSet("eval", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.sets, "set", "", "measure these of the built-in `sets`, separated by commas: "+setNames()+" (default all)")
	flags.StringVar(&o.inspec, "inspec", "", "measure keyphrases on the Inspec-format `folder` (*.abstr with *.uncontr, *.txt with *.key, or docsutf8/ with keys/)")
	flags.StringVar(&o.redocred, "redocred", "", "measure entities on the Re-DocRED-format JSON `file or folder`")
	flags.StringVar(&o.show, "show", "", "print what is found in the text or Markdown `file`, and measure nothing")
	flags.BoolVar(&o.json, "json", false, "print the figures as JSON")
	flags.BoolVar(&o.verbose, "v", false, "also print what is wrong and what is missed; of held-out sets only if -set names them")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "eval: unexpected argument %q\n", flags.Arg(0))
		return 2
	}
	if err := measureAll(ctx, o, stdout); err != nil {
		fmt.Fprintf(stderr, "eval: %v\n", err)
		if errors.Is(err, errInput) {
			return 2
		}
		return 1
	}
	return 0
}

// measureAll does what the flags ask for.
func measureAll(ctx context.Context, o options, w io.Writer) error {
	l, err := extract.Builtin()
	if err != nil {
		return err
	}
	if o.show != "" {
		return show(ctx, w, l, o.show)
	}
	sets, err := load(o)
	if err != nil {
		return err
	}
	var reports []report
	for _, s := range sets {
		r, err := evaluate(ctx, l, s)
		if err != nil {
			return err
		}
		if o.sets == "" && heldOut(s.name) {
			r.Notes = nil
		}
		reports = append(reports, r)
	}
	if o.json {
		return printJSON(w, reports)
	}
	printReports(w, reports, o.verbose)
	return nil
}

// load returns the sets to measure: those of the flags, or the built-in ones.
func load(o options) ([]set, error) {
	var sets []set
	if o.inspec != "" {
		s, err := readInspec(o.inspec)
		if err != nil {
			return nil, err
		}
		sets = append(sets, s)
	}
	if o.redocred != "" {
		s, err := readRedocred(o.redocred)
		if err != nil {
			return nil, err
		}
		sets = append(sets, s)
	}
	if len(sets) > 0 && o.sets == "" {
		return sets, nil
	}
	names := o.sets
	if names == "" {
		names = strings.ReplaceAll(setNames(), ", ", ",")
	}
	for _, name := range fields(names, ",") {
		s, err := readBuiltin(name)
		if err != nil {
			return nil, err
		}
		sets = append(sets, s)
	}
	return sets, nil
}
