package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/corpus"
)

func newArtifactsDownloadCommand(a *App) *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:     "download ID",
		Short:   "Download the file of a result, such as that of a dataset job",
		Example: "  kg artifacts download 7 --to answer.parquet",
		Args:    cobra.ExactArgs(1),
	}
	cmd.Flags().StringVar(&to, "to", "", "the file to write, which must not exist; - is standard output")
	id := 0
	cmd.RunE = a.withChecked(func(_ *cobra.Command, args []string) (err error) {
		if id, err = numberOf(args[0], "the id of an artifact", ""); err != nil {
			return err
		}
		if to == "" {
			return exit.Usage("say where it goes: --to FILE")
		}
		return nil
	}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
		return a.download(cmd.Context(), c, id, to)
	})
	return cmd
}

// download writes the file of an artifact to a new file; see saveTo.
func (a *App) download(ctx context.Context, c *client.Client, id int, to string) error {
	n, err := a.saveTo(to, func(w io.Writer) (int64, error) { return c.Artifacts.Download(ctx, id, w) })
	if err != nil || to == "-" {
		return err
	}
	a.note("%s: %s", to, corpus.HumanSize(int(n)))
	if a.output != formatTable {
		return a.show(map[string]any{"artifact_id": id, "file": to, "bytes": n}, nil)
	}
	return nil
}

// saveTo writes what is downloaded to a new file, which is removed when it cannot be
// written whole, or for "-" to standard output.
func (a *App) saveTo(to string, download func(w io.Writer) (int64, error)) (int64, error) {
	if to == "-" {
		return download(a.out)
	}
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) // what a user writes for themselves
	if err != nil {
		return 0, &exit.Error{Code: exit.Misused, Err: err}
	}
	n, err := download(io.Writer(file))
	if err = errors.Join(err, file.Close()); err != nil {
		return 0, errors.Join(err, os.Remove(to))
	}
	return n, nil
}

// saveAnswer downloads the answer of a dataset job.
func (a *App) saveAnswer(ctx context.Context, c *client.Client, jobID, to string) error {
	job, err := c.Jobs.Get(ctx, jobID)
	if err != nil {
		return fmt.Errorf("read the job: %w", err)
	}
	id, err := artifactOf(job)
	if err != nil {
		return err
	}
	return a.download(ctx, c, id, to)
}
