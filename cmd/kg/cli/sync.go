package cli

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/documents"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/folder"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/work"
)

// syncFlags say what kg sync brings up to date, and how.
type syncFlags struct {
	ingestFlags
	documents.Selection
	name                  string
	dryRun, remove, watch bool
}

// NewSyncCommand returns kg sync, which brings an ontology up to date with a folder.
func NewSyncCommand(a *App) *cobra.Command {
	in := syncFlags{Selection: documents.Selection{Depth: documents.AnyDepth}}
	cmd := &cobra.Command{
		Use:   "sync DIR",
		Short: "Bring an ontology up to date with a folder",
		Long: `Bring an ontology up to date with a folder: new files are submitted, changed ones
replace what was read of them before, moved ones keep it. What is gone from the folder
stays, unless --delete takes it out. What has not changed is not sent.

The server keeps which documents came from the folder, by its name and their paths in it:
several machines may do it, and a command that was stopped goes on when it is run again.
Hidden files, and what a file .kgignore leaves out (in the syntax of .gitignore), are not
submitted. --watch goes on when something changes, until it is stopped.`,
		Example: "  kg sync handbook --ontology handbook --dry-run\n  kg sync handbook --ontology handbook --delete --watch",
		Args:    cobra.ExactArgs(1),
	}
	flags := cmd.Flags()
	in.add(flags)
	flags.StringVar(&in.name, "name", "", "what the server knows the folder by (default: its own name)")
	flags.StringSliceVar(&in.Include, "include", documents.DefaultPatterns(), "patterns of file names, in letters of any case")
	flags.StringSliceVar(&in.Exclude, "exclude", nil, "patterns of names of files and directories that are left out")
	flags.BoolVar(&in.dryRun, "dry-run", false, "show what would be done, and do nothing")
	flags.BoolVar(&in.remove, "delete", false, "take documents out whose files are gone")
	flags.BoolVar(&in.watch, "watch", false, "go on when something changes")
	completeWith(cmd, "mode", work.ModeSerial, work.ModeParallel)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if in.watch && (in.dryRun || in.wait) {
			return exit.Usage("--watch goes neither with --dry-run nor with --wait")
		}
		d, err := a.document(cmd, &in.ingestFlags)
		if err != nil {
			return err
		}
		s, err := a.newFolderSync(&in, d, args[0])
		if err != nil {
			return err
		}
		defer s.client.Close()
		if in.watch {
			return s.watch(cmd.Context())
		}
		return s.run(cmd.Context())
	}
	return cmd
}

// folderSync brings an ontology up to date with a folder.
type folderSync struct {
	*submission
	in   *syncFlags
	dir  string
	name string
	each client.Document // what is said of every document
}

func (a *App) newFolderSync(in *syncFlags, d client.Document, dir string) (*folderSync, error) {
	name := strings.Trim(filepath.ToSlash(in.name), "/")
	if name == "" {
		whole, err := filepath.Abs(dir)
		if err != nil {
			return nil, fmt.Errorf("find %s: %w", dir, err)
		}
		name = filepath.Base(whole)
	}
	s, err := a.newSubmission(&in.ingestFlags)
	if err != nil {
		return nil, err
	}
	d.SourceHostname = "" // the folder is the same on any machine
	return &folderSync{submission: s, in: in, dir: dir, name: name, each: d}, nil
}

// run does it once.
func (s *folderSync) run(ctx context.Context) error {
	entries, left, err := s.plan(ctx)
	if err != nil {
		return err
	}
	if s.in.dryRun {
		return s.app.show(entries, func() {
			s.writeEntries(entries)
			s.writeTotals(entries, left)
		})
	}
	if s.app.output == formatTable {
		s.writeTotals(entries, left)
	}
	failed := s.apply(ctx, entries)
	return errors.Join(s.finish(ctx), failed)
}

// plan compares the folder with what the server has of it.
func (s *folderSync) plan(ctx context.Context) ([]folder.Entry, []documents.Left, error) {
	files, left, err := folder.Read(s.dir, s.in.Selection)
	if err != nil {
		return nil, nil, err
	}
	var stored []folder.Stored
	for f, err := range s.client.Ontologies.AllFiles(ctx, s.each.Ontology) {
		if kappa.ErrorCode(err) == kappa.CodeNotFound {
			break // the first document makes the ontology
		}
		if err != nil {
			return nil, nil, fmt.Errorf("list what the server has: %w", err)
		}
		within, below := strings.CutPrefix(f.FilePath, s.name+"/")
		if below && f.SourceType != nil && *f.SourceType == folder.SourceType {
			stored = append(stored, folder.Stored{DocumentID: f.DocumentID, Path: within})
		}
	}
	if s.in.remove && len(files) == 0 && len(stored) > 0 {
		return nil, nil, fmt.Errorf("%s has no document: --delete would take out all %d of %s; kg document delete does", s.dir, len(stored), s.each.Ontology)
	}
	return folder.Compare(files, stored), left, nil
}

// apply does what a plan says. What is refused does not keep the rest from being done. A document
// that has moved is known at its new path before others replace what was at the old one.
func (s *folderSync) apply(ctx context.Context, entries []folder.Entry) error {
	var failed error
	note := func(err error) error {
		if err == nil {
			return nil
		}
		if !aboutOneDocument(err) && kappa.ErrorCode(err) != kappa.CodeForbidden {
			return err
		}
		s.app.note("%s", show.Printable(err.Error()))
		code, _ := exit.CodeOf(err)
		failed = &exit.Error{Code: code, Err: errors.New("some documents are not up to date")}
		return nil
	}
	for _, state := range []folder.State{folder.Moved, folder.Changed, folder.New} {
		for _, e := range entries {
			if e.State != state {
				continue
			}
			if err := note(s.bring(ctx, e)); err != nil {
				return err
			}
		}
	}
	if !s.in.remove {
		return failed
	}
	for _, e := range entries {
		if e.State != folder.Gone {
			continue
		}
		_, err := s.client.Documents.Delete(ctx, e.DocumentID, s.each.Ontology)
		if err != nil {
			err = fmt.Errorf("take out %s: %w", e.Path, err)
		} else if s.app.output == formatTable {
			fmt.Fprintf(s.app.out, "taken out  %s\n", show.OneLine(e.Path))
		}
		if err := note(err); err != nil {
			return err
		}
	}
	return failed
}

// bring says where a document stands that has moved, and submits a new or changed one.
func (s *folderSync) bring(ctx context.Context, e folder.Entry) error {
	if e.State == folder.Moved {
		if err := s.client.Documents.Place(ctx, e.DocumentID, s.each.Ontology, path.Join(s.name, e.Path)); err != nil {
			return fmt.Errorf("move %s: %w", e.From, err)
		}
		if s.app.output == formatTable {
			fmt.Fprintf(s.app.out, "moved  %s\n", show.OneLine(movedName(e)))
		}
		return nil
	}
	d, err := documents.Read(s.each, filepath.Join(s.dir, filepath.FromSlash(e.Path)))
	if err != nil {
		return err
	}
	d.SourceType, d.SourcePath = folder.SourceType, path.Join(s.name, e.Path)
	d.Replace = e.State == folder.Changed
	return s.one(ctx, d)
}

func movedName(e folder.Entry) string { return e.From + " → " + e.Path }

// writeEntries shows what is to do, a line a document.
func (s *folderSync) writeEntries(entries []folder.Entry) {
	g := show.NewGrid(show.Column{Name: "state"}, show.Column{Name: "document", Flex: true}, show.Column{Name: "size", Right: true}, show.Column{Name: "words", Right: true})
	shown := 0
	for _, e := range entries {
		if e.State == folder.Unchanged {
			continue
		}
		shown++
		name, size, words := e.Path, corpus.HumanSize(e.Bytes), "–"
		switch e.State {
		case folder.Moved:
			name = movedName(e)
		case folder.Copy:
			name = e.Path + " of " + e.From
		case folder.Gone:
			size = "–"
		}
		if e.Words != nil {
			words = show.Number(*e.Words)
		}
		g.Add(string(e.State), name, size, words)
	}
	if shown > 0 {
		s.app.writeGrid(g, nil)
	}
}

// writeTotals says how much is to do, and how much is not.
func (s *folderSync) writeTotals(entries []folder.Entry, left []documents.Left) {
	counts := map[folder.State]int{}
	size, words := 0, 0
	for _, e := range entries {
		counts[e.State]++
		if e.State == folder.New || e.State == folder.Changed {
			size += e.Bytes
			if e.Words != nil {
				words += *e.Words
			}
		}
	}
	parts := []string{fmt.Sprintf("%s to read with %s words of text (%s)", show.Counted(counts[folder.New]+counts[folder.Changed], "document"), show.Number(words), corpus.HumanSize(size))}
	for _, state := range []folder.State{folder.Moved, folder.Unchanged} {
		if n := counts[state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", show.Number(n), state))
		}
	}
	fmt.Fprintln(s.app.out, strings.Join(parts, ", "))
	if n := counts[folder.Gone]; n > 0 && !s.in.remove {
		s.app.note("%d gone from the folder; --delete takes out what was read of it", n)
	}
	if len(left) > 0 {
		s.app.note("left out: %s", show.Printable(documents.Summary(left)))
	}
}
