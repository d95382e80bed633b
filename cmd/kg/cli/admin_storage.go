package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/follow"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/storage"
	"github.com/kappagraph/kappa/work"
)

// newStorageCommand returns kg admin storage, which shows what the database holds.
func newStorageCommand(a *App) *cobra.Command {
	var tables bool
	cmd := &cobra.Command{
		Use: "storage", Short: "Show what the database holds, by kind", Args: cobra.NoArgs,
		Long: `Show what the database holds, by kind: about how many rows there are, and how much
they and their indexes take. It reads the catalogue of the database alone, so rows that
have just been written may not be counted yet.`,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			use, err := c.Storage.Use(cmd.Context())
			if err != nil {
				return fmt.Errorf("read what is stored: %w", err)
			}
			return a.showAnswer("kinds", func() { a.writeStorage(use, tables) })
		}),
	}
	cmd.Flags().BoolVar(&tables, "tables", false, "each table by itself")
	cmd.AddCommand(newStorageCheckCommand(a), newStorageRetentionCommand(a), newStorageListCommand(a))
	return cmd
}

func (a *App) writeStorage(use storage.Use, tables bool) {
	g := show.NewGrid(show.Column{Name: "kind", Flex: true}, show.Column{Name: "rows", Right: true}, show.Column{Name: "data", Right: true}, show.Column{Name: "indexes", Right: true})
	for _, k := range use.Kinds {
		if !tables {
			g.Add(k.Kind, show.Number(int(k.Rows)), megabytes(k.TableBytes), megabytes(k.IndexBytes))
			continue
		}
		for _, t := range k.Tables {
			g.Add(k.Kind+" / "+t.Name, show.Number(int(t.Rows)), megabytes(t.TableBytes), megabytes(t.IndexBytes))
		}
	}
	a.writeGrid(g, nil)
	fmt.Fprintf(a.out, "\ndatabase %s: %s\n", show.OneLine(use.Database), megabytes(use.Bytes))
}

func newStorageCheckCommand(a *App) *cobra.Command {
	var parts []string
	var noWait bool
	cmd := &cobra.Command{
		Use: "check", Short: "Check every hash and every offset of what is stored; exit code 1 when something is damaged", Args: cobra.NoArgs,
		Long: `Have a job read all of what is stored: the hash of every document, the offsets and
hashes of every chunk, that every quote and every sentence of a relationship stands where
it says, that embeddings are of their texts, and that files are whole. It changes nothing,
and says of everything that is wrong what repairs it. Ctrl-C leaves the job running; kg
jobs cancel ends it.`,
		Example: "  kg admin storage check\n  kg admin storage check --part documents --part quotes",
		RunE: a.withChecked(func(*cobra.Command, []string) error {
			return misused(storage.CheckParts("flag", "part", parts))
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			reply, err := c.Storage.Check(cmd.Context(), parts)
			if err != nil {
				return fmt.Errorf("have it checked: %w", err)
			}
			if noWait {
				a.note("Watch with: kg jobs watch %s", reply.JobID)
				return a.showAnswer("", func() { fmt.Fprintln(a.out, reply.JobID+"  submitted") })
			}
			return a.awaitStorageCheck(cmd, c, reply.JobID)
		}),
	}
	cmd.Flags().StringSliceVar(&parts, "part", nil, "only this: documents, chunks, passages, quotes, statements, embeddings or artifacts; may be given again")
	cmd.Flags().BoolVar(&noWait, "no-wait", false, "do not wait for the job")
	completeWith(cmd, "part", storage.Parts()...)
	return cmd
}

// awaitStorageCheck follows a check to its end, and shows what it has found.
func (a *App) awaitStorageCheck(cmd *cobra.Command, c *client.Client, id string) error {
	jobs := []follow.Job{{ID: id, Name: storage.TypeCheck}}
	f := follow.New(c, follow.NewDisplay(a.screen(a.err), jobs))
	if a.output == formatJSONL {
		f.Observe = a.writeEvent
	}
	if _, err := f.Run(cmd.Context(), jobs); err != nil {
		return a.interrupted(err, jobs)
	}
	job, err := c.Jobs.Get(cmd.Context(), id)
	if err != nil {
		return fmt.Errorf("read the result: %w", err)
	}
	if job.Status != work.StatusCompleted {
		return &exit.Error{Code: exit.Failed, Err: fmt.Errorf("the check is %s: kg jobs status %s", job.Status, id)}
	}
	var found client.StorageCheckResult
	if err := json.Unmarshal(job.Result, &found); err != nil {
		return fmt.Errorf("read the result: %w", err)
	}
	err = a.showAnswer("", func() { a.writeStorageCheck(found) })
	if err == nil && !found.Consistent {
		err = &exit.Error{Code: exit.Failed}
	}
	return err
}

func (a *App) writeStorageCheck(found client.StorageCheckResult) {
	g := show.NewGrid(show.Column{Name: "part", Flex: true}, show.Column{Name: "checked", Right: true})
	for _, part := range storage.Parts() {
		if n, checked := found.Checked[part]; checked {
			g.Add(part, show.Number(n))
		}
	}
	a.writeGrid(g, nil)
	if found.Consistent {
		fmt.Fprintln(a.out, "\nnothing is damaged")
		return
	}
	for _, f := range found.Faults {
		fmt.Fprintf(a.out, "\n%s %s: %s\n  repair: %s\n", show.OneLine(f.Part), show.OneLine(f.Object), show.OneLine(f.Problem), show.OneLine(f.Repair))
	}
	if more := found.FaultCount - len(found.Faults); more > 0 {
		fmt.Fprintf(a.out, "\nand %s more\n", show.Number(more))
	}
}

func newStorageRetentionCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "retention", Short: "Show what is kept for how long, and what the next cleanup would remove", Long: `Say what is kept for how long, by which setting, and what the next cleanup would
remove.`,
		Example: `  kg admin storage retention`, Args: cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			kept, err := c.Storage.Retention(cmd.Context())
			if err != nil {
				return fmt.Errorf("read what is kept: %w", err)
			}
			return a.showAnswer("", func() {
				g := show.NewGrid(show.Column{Name: "what"}, show.Column{Name: "due now", Right: true}, show.Column{Name: "setting"}, show.Column{Name: "kept", Flex: true})
				for _, name := range slices.Sorted(maps.Keys(kept.Policies)) {
					p := kept.Policies[name]
					due := show.Number(int(p.DueNow))
					if p.DueNow >= storage.MostDue {
						due += " or more"
					}
					g.Add(name, due, p.Setting, p.Keep)
				}
				a.writeGrid(g, nil)
				if kept.NextCleanup != nil {
					a.note("The next cleanup is at %s; kg admin scheduler cleanup runs one now.", kept.NextCleanup)
				}
			})
		}),
	}
}

func newStorageListCommand(a *App) *cobra.Command {
	p := storage.StoredObjectPage{}
	cmd := &cobra.Command{
		Use: "list", Short: "List the stored documents by their hash", Args: cobra.NoArgs,
		RunE: a.withChecked(func(cmd *cobra.Command, _ []string) error { return inFlagsOf(cmd, p.Validate(), nil) }, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			objects, total, err := c.Storage.Objects(cmd.Context(), p)
			if err != nil {
				return fmt.Errorf("list the stored documents: %w", err)
			}
			return a.showAnswer("objects", func() {
				g := show.NewGrid(show.Column{Name: "bytes", Right: true}, show.Column{Name: "stored"}, show.Column{Name: "key", Flex: true})
				for _, o := range objects {
					g.Add(show.Number(int(o.Size)), o.LastModified.String(), o.Key)
				}
				a.writeGrid(g, nil)
				if last := p.Offset + len(objects); last < total {
					a.note("%s more; the next ones: --offset %d", show.Number(total-last), last)
				}
			})
		}),
	}
	cmd.Flags().StringVar(&p.Prefix, "prefix", "", "only keys that begin so, for example sources/sha256:1f")
	cmd.Flags().IntVar(&p.Limit, "limit", 50, "how many to list at most, 1 to 500")
	cmd.Flags().IntVar(&p.Offset, "offset", 0, "how many to leave out, to page on")
	return cmd
}
