package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/documents"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/follow"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/work"
)

// ingestFlags are the flags that all ways of submitting share.
type ingestFlags struct {
	ontology     string
	wait         bool
	noApprove    bool
	force        bool
	replace      bool
	asNew        bool
	key          string
	nameFrom     string
	mode         string
	targetWords  int
	overlapWords int
	budget       string
}

// NewIngestCommand returns kg ingest, which submits documents.
func NewIngestCommand(a *App) *cobra.Command {
	var in ingestFlags
	cmd := &cobra.Command{
		Use:   "ingest [PATH | URL | -]...",
		Short: "Submit documents: files, directories, URLs, a text",
		Long: `Submit documents to an ontology: files, the documents of directories, what is at
URLs, and what comes on standard input ("-"). The commands below do the same for one
kind, with more to say. Each document becomes a job: the server analyses it and
estimates its cost, and with --no-approve waits for kg jobs approve before it
spends anything.

A document that the ontology already has is not ingested again; --force does. A file or
URL that has changed becomes a new version, which takes the place of the one before
when it is complete; --as-new keeps both. kg document versions lists them, and kg
document compare says what has changed. A text is known by --key alone.`,
		Example: "  kg ingest report.pdf minutes/ --ontology board --wait\n  kg ingest https://go.dev/ref/spec --ontology web",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return a.submitAny(cmd, &in, args)
		},
	}
	cmd.SuggestionsMinimumDistance = 2 // letters
	flags := cmd.PersistentFlags()
	in.add(flags)
	flags.BoolVar(&in.force, "force", false, "ingest a document again that the ontology has already")
	flags.BoolVar(&in.replace, "replace", false, "refuse a document that cannot take the place of an earlier version; others do so anyway")
	flags.BoolVar(&in.asNew, "as-new", false, "a version of nothing: it stands beside what was ingested from the same place")
	flags.StringVar(&in.key, "key", "", "what the document is known by in the ontology, in place of where it comes from; for one document")
	flags.StringVar(&in.nameFrom, "name-from", nameFromFile, "what documents are called: name, or path (as it is given; below a directory from there)")
	completeWith(cmd, "mode", work.ModeSerial, work.ModeParallel)
	completeWith(cmd, "name-from", nameFromFile, nameFromPath)
	cmd.AddCommand(newIngestFileCommand(a, &in), newIngestTextCommand(a, &in), newIngestDirectoryCommand(a, &in), newIngestURLCommand(a, &in), newIngestDatasetCommand(a, &in))
	return cmd
}

// add adds the flags that say how documents are submitted.
func (in *ingestFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&in.ontology, "ontology", "", "the ontology to submit to (KG_ONTOLOGY, or ontology in the configuration)")
	flags.BoolVar(&in.wait, "wait", false, "follow the jobs to their end; with --no-approve until they are analysed")
	flags.BoolVar(&in.noApprove, "no-approve", false, "let the jobs wait for kg jobs approve")
	flags.StringVar(&in.mode, "mode", "", "serial or parallel: whether chunks are read ahead (default: the server's)")
	flags.IntVar(&in.targetWords, "target-words", 0, fmt.Sprintf("words in a chunk, %d to %d (default: the server's)", corpus.MinTargetWords, corpus.MaxTargetWords))
	flags.IntVar(&in.overlapWords, "overlap-words", 0, fmt.Sprintf("words that a chunk repeats of the one before, 0 to %d (default: the server's)", corpus.MaxOverlapWords))
	flags.StringVar(&in.budget, "budget", "", "what each job may spend on models before it pauses: 2.50 are US dollars, 50000tokens tokens, with a comma both, or none (default: the server's)")
}

// document returns what the flags say about every document.
func (a *App) document(cmd *cobra.Command, in *ingestFlags) (client.Document, error) {
	d := client.Document{Ontology: in.ontology, Force: in.force, Replace: in.replace, New: in.asNew, Key: in.key, AutoApprove: !in.noApprove, ProcessingMode: in.mode}
	if d.Ontology == "" {
		d.Ontology = a.getenv("KG_ONTOLOGY")
	}
	if d.Ontology == "" {
		file, err := a.readConfig()
		if err != nil {
			return d, err
		}
		d.Ontology = file.Ontology
	}
	if d.Ontology == "" {
		return d, &exit.Error{Code: exit.Misused, Err: fmt.Errorf("the ontology is missing"), Hint: "say where it belongs: --ontology NAME, or set KG_ONTOLOGY"}
	}
	if in.mode != "" && in.mode != work.ModeSerial && in.mode != work.ModeParallel {
		return d, exit.Usage("--mode must be serial or parallel, got %q", in.mode)
	}
	if err := in.checkVersion(); err != nil {
		return d, err
	}
	if err := checkBudgetFlag(in.budget); err != nil {
		return d, err
	}
	d.Budget = in.budget
	if cmd.Flags().Changed("target-words") {
		d.Chunking.TargetWords = &in.targetWords
	}
	if cmd.Flags().Changed("overlap-words") {
		d.Chunking.OverlapWords = &in.overlapWords
	}
	if _, _, err := d.Chunking.Options(); err != nil {
		return d, &exit.Error{Code: exit.Misused, Err: err}
	}
	d.SourceHostname, _ = os.Hostname() // the server can do without
	return d, nil
}

// What documents may be called by.
const (
	nameFromFile = "name"
	nameFromPath = "path"
)

// checkVersion checks what the flags say of the names and versions of documents.
func (in *ingestFlags) checkVersion() error {
	switch {
	case in.replace && in.asNew:
		return exit.Usage("--replace contradicts --as-new")
	case in.key != "" && in.asNew:
		return exit.Usage("--key contradicts --as-new")
	case utf8.RuneCountInString(in.key) > corpus.MaxDocumentKey:
		return exit.Usage("--key has %d characters at most", corpus.MaxDocumentKey)
	case in.nameFrom != "" && in.nameFrom != nameFromFile && in.nameFrom != nameFromPath:
		return exit.Usage("--name-from must be name or path, got %q", in.nameFrom)
	}
	return nil
}

// checkBudgetFlag checks what --budget says; "" says nothing.
func checkBudgetFlag(text string) error {
	if text == "" {
		return nil
	}
	if _, err := corpus.ParseBudget(text); err != nil {
		return exit.Usage("--budget %w, got %q", err, text)
	}
	return nil
}

// submitAny submits what the arguments name. Where the first is neither there nor a URL, it may have
// been meant for a command.
func (a *App) submitAny(cmd *cobra.Command, in *ingestFlags, args []string) error {
	d, err := a.document(cmd, in)
	if err != nil {
		return err
	}
	inputs, err := a.anyInputs(d.Ontology, args)
	if err != nil {
		return err
	}
	err = a.submitAll(cmd, in, d, inputs)
	if alike := cmd.SuggestionsFor(args[0]); len(alike) > 0 && errors.Is(err, fs.ErrNotExist) {
		code, _ := exit.CodeOf(err)
		return &exit.Error{Code: code, Err: err, Hint: "did you mean the command: " + cmd.CommandPath() + " " + alike[0]}
	}
	return err
}

// newIngestTextCommand submits what is on the command line or standard input.
func newIngestTextCommand(a *App, in *ingestFlags) *cobra.Command {
	return &cobra.Command{
		Use:     "text TEXT",
		Short:   `Submit a text; "-" reads it from standard input`,
		Example: "  kg ingest text --ontology notes \"A lane is a named group of job types.\"\n  pandoc report.docx -t markdown | kg ingest text --ontology reports -",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := a.document(cmd, in)
			if err != nil {
				return err
			}
			submit, err := a.newSubmission(in)
			if err != nil {
				return err
			}
			defer submit.client.Close()
			if args[0] == "-" {
				err = submit.standardInput(cmd.Context(), d)
			} else {
				d.Filename, d.Body, d.SourceType = corpus.DefaultTextInputFilename, []byte(args[0]), "api"
				err = submit.one(cmd.Context(), d)
			}
			if err != nil {
				return err
			}
			return submit.finish(cmd.Context())
		},
	}
}

// standardInput submits what is on standard input.
func (s *submission) standardInput(ctx context.Context, d client.Document) (err error) {
	d.Filename, d.SourceType = corpus.DefaultTextInputFilename, "stdin"
	if d.Body, err = documents.ReadAll(s.app.in, "standard input"); err != nil {
		return err
	}
	return s.one(ctx, d)
}

// submission submits documents one after the other, and follows their jobs.
type submission struct {
	app     *App
	client  *client.Client
	flags   *ingestFlags
	answers []json.RawMessage
	jobs    []follow.Job
	// unapproved are the jobs that were there already, and that nobody has approved.
	unapproved []string
}

func (a *App) newSubmission(in *ingestFlags) (*submission, error) {
	c, err := a.client()
	if err != nil {
		return nil, err
	}
	return &submission{app: a, client: c, flags: in}, nil
}
