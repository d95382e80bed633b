package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/follow"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/backup"
	"github.com/kappagraph/kappa/storage"
)

// newBackupCommand returns kg admin backup.
func newBackupCommand(a *App) *cobra.Command {
	var ontology string
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Download an archive of the graph with its documents, or of one ontology",
		Long: `kg admin backup writes the graph as it is at one moment to a new file: JSON lines,
compressed with zstd, with a checksum. It holds ontologies, documents, concepts,
quotes and relationships; accounts, jobs and settings are not in it. - is standard output.`,
		Example: "  kg admin backup kappa.jsonl.zst\n  kg admin backup --ontology demo demo.jsonl.zst",
		Args:    cobra.ExactArgs(1),
	}
	cmd.Flags().StringVar(&ontology, "ontology", "", "only this ontology")
	cmd.RunE = a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
		if args[0] == "-" {
			_, err := c.Backups.Download(cmd.Context(), ontology, a.out)
			return err //nolint:wrapcheck // it says what failed
		}
		file, err := os.OpenFile(args[0], os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return &exit.Error{Code: exit.Misused, Err: err}
		}
		_, err = c.Backups.Download(cmd.Context(), ontology, file)
		var summary storage.BackupSummary
		if err == nil {
			err = file.Sync()
		}
		if err == nil {
			_, err = file.Seek(0, 0)
		}
		if err == nil {
			summary, err = backup.Verify(file) // what is not read again is no backup
		}
		if err = errors.Join(err, file.Close()); err != nil {
			return errors.Join(err, os.Remove(args[0]))
		}
		return a.showArchive(args[0], summary)
	})
	return cmd
}

// newVerifyBackupCommand returns kg admin verify-backup, which asks no server.
func newVerifyBackupCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:     "verify-backup FILE",
		Short:   "Check that an archive is whole, without a server",
		Example: "  kg admin verify-backup kappa.jsonl.zst",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			summary, err := verifyArchive(args[0])
			if err != nil {
				return err
			}
			return a.showArchive(args[0], summary)
		},
	}
}

// verifyArchive reads an archive from its first line to its last.
func verifyArchive(path string) (storage.BackupSummary, error) {
	file, err := os.Open(path)
	if err != nil {
		return storage.BackupSummary{}, &exit.Error{Code: exit.Misused, Err: err}
	}
	defer func() { _ = file.Close() }() // it was only read
	summary, err := backup.Verify(file)
	if err != nil {
		return summary, fmt.Errorf("%s: %w", path, err)
	}
	return summary, nil
}

func (a *App) showArchive(path string, s storage.BackupSummary) error {
	return a.show(s, func() {
		of := "the whole graph"
		if s.Ontology != nil {
			of = "the ontology " + show.OneLine(*s.Ontology)
		}
		fmt.Fprintf(a.out, "%s: %s of %s, whole: %s of lines\n", show.OneLine(path), corpus.HumanSize(int(s.Bytes)), of, corpus.HumanSize(int(s.Expanded)))
		for _, table := range slices.Sorted(maps.Keys(s.Rows)) {
			fmt.Fprintf(a.out, "  %s  %s\n", show.Pad(table, 20), show.Number(int(s.Rows[table])))
		}
	})
}

// newRestoreCommand returns kg admin restore.
func newRestoreCommand(a *App) *cobra.Command {
	var mode string
	var yes, noWait, dry bool
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Restore an archive: all of it or nothing",
		Long: `kg admin restore sends an archive to the server, where a job checks and restores it in
one transaction: until that ends, everybody sees the graph as it was.

--mode merge adds what is missing and changes nothing that is there. --mode replace
removes what is there before: the whole graph, or the ontology of the archive.
With --dry-run the job does all of it, takes it back, and says what would change. Who
writes the graph waits for it as for a restore.`,
		Example: "  kg admin restore kappa.jsonl.zst\n  kg admin restore kappa.jsonl.zst --mode replace --yes",
		Args:    cobra.ExactArgs(1),
	}
	cmd.Flags().StringVar(&mode, "mode", storage.RestoreMerge, "merge or replace")
	cmd.Flags().BoolVar(&yes, "yes", false, "replace without a question")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would be added and removed")
	cmd.Flags().BoolVar(&noWait, "no-wait", false, "return when the job is submitted")
	completeWith(cmd, "mode", storage.RestoreMerge, storage.RestoreReplace)
	cmd.RunE = a.withChecked(func(_ *cobra.Command, _ []string) error {
		if err := storage.ValidateRestoreMode("flag", mode); err != nil {
			return exit.Usage("--mode: %w", err)
		}
		if mode == storage.RestoreReplace && !yes && !dry {
			return exit.Usage("replacing removes what is in the graph now; say --yes")
		}
		return nil
	}, func(cmd *cobra.Command, c *client.Client, args []string) error {
		if _, err := verifyArchive(args[0]); err != nil {
			return err
		}
		send := c.Backups.Restore
		if dry {
			send = c.Backups.PreviewRestore
		}
		submitted, err := send(cmd.Context(), args[0], mode)
		if err != nil {
			return fmt.Errorf("send the archive: %w", err)
		}
		if noWait {
			a.note("Watch with: kg jobs watch %s", submitted.JobID)
			return a.showAnswer("", func() { fmt.Fprintln(a.out, submitted.JobID+"  "+show.OneLine(submitted.Message)) })
		}
		if dry {
			return a.awaitResult(cmd.Context(), c, submitted.JobID, a.writeRestorePreview)
		}
		return a.followOne(cmd.Context(), c, follow.Job{ID: submitted.JobID, Name: "restore"})
	})
	return cmd
}

// writeRestorePreview shows what a dry run found.
func (a *App) writeRestorePreview(raw json.RawMessage) {
	var result struct {
		Stats storage.RestoreStats `json:"restore_stats"`
	}
	if json.Unmarshal(raw, &result) != nil {
		return
	}
	if r := result.Stats.Removed; r != nil {
		fmt.Fprintf(a.out, "would remove %s\n", restored(*r))
	}
	fmt.Fprintf(a.out, "would add %s\n", restored(result.Stats))
	if n := result.Stats.Outdated; n > 0 {
		fmt.Fprintf(a.out, "%s would have embeddings of another model: kg admin embeddings reembed\n", show.Counted(int(n), "concept"))
	}
}

// restored says what a restore adds or removes.
func restored(s storage.RestoreStats) string {
	return fmt.Sprintf("%s, %s, %s and %s", show.Counted(int(s.Sources), "chunk"), show.Counted(int(s.Concepts), "concept"),
		show.Counted(int(s.Instances), "quote"), show.Counted(int(s.Relationships), "relationship"))
}
