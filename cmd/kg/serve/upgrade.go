package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/internal/pgembed"
	"github.com/kappagraph/kappa/migrations"
)

// newUpgradeCommand is kg serve upgrade-postgres.
func newUpgradeCommand(environ []string) *cobra.Command {
	var file, from, to string
	cmd := &cobra.Command{
		Use:     "upgrade-postgres",
		Short:   "Take the private PostgreSQL over to a newer version",
		Example: `  kg serve upgrade-postgres --data-dir /var/lib/kappa --to-bin /usr/lib/postgresql/18/bin`,
		Long: `Take the private PostgreSQL over to a newer version, while the server is stopped.

A new cluster is made beside the old one, every row is copied and compared, and
then the new one takes its place. The old one is kept; until that moment it stays
as it is, also when the command is interrupted. It takes the programs of both
versions and as much room on the disk again.`,
		Args: cobra.NoArgs,
	}
	cmd.Flags().String("data-dir", "", "directory of the server's files (KG_DATA_DIR)")
	cmd.Flags().StringVar(&file, "config", "", "settings file (default: serve.env below $XDG_CONFIG_HOME/kg)")
	cmd.Flags().StringVar(&from, "from-bin", "", "directory of the programs of the version that made the files (default: they are searched)")
	cmd.Flags().StringVar(&to, "to-bin", "", "directory of the programs of the new version (default: KG_PG_BIN, else the newest that are found)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		settings, err := loadSettings(cmd.Flags(), environ, file)
		if err != nil {
			return exit.Usage("settings of kg serve:\n  %s", strings.ReplaceAll(err.Error(), "\n", "\n  "))
		}
		if settings.DatabaseURL != "" {
			return exit.Usage("DATABASE_URL is set: the server uses a PostgreSQL that somebody else runs, and upgrades")
		}
		if to == "" {
			to = settings.PGBin
		}
		return upgradePostgres(cmd.Context(), settings, from, to, cmd.OutOrStdout(), cmd.ErrOrStderr())
	}
	return cmd
}

// upgradePostgres takes the private cluster over to another version, and says what it has done.
func upgradePostgres(ctx context.Context, settings *Settings, from, to string, out, logs io.Writer) error {
	log := slog.New(slog.NewTextHandler(logs, &slog.HandlerOptions{Level: settings.LogLevel}))
	done, err := pgembed.Upgrade(ctx, pgembed.UpgradeConfig{
		Config:    pgembed.Config{Dir: filepath.Join(settings.DataDir, "postgres"), BinDir: to, Log: log},
		OldBinDir: from,
		Schema:    func(ctx context.Context, dsn string) error { return migrations.Up(ctx, dsn, log) },
	})
	if locked, ok := errors.AsType[*pgembed.LockedError](err); ok {
		return fmt.Errorf("%w; an upgrade needs the server to be stopped", locked)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "The private PostgreSQL went over from version %d to %d: %d tables with %d rows were copied and compared.\n", done.From, done.To, done.Tables, done.Rows)
	fmt.Fprintf(out, "The old files are kept in %s. Start kg serve, look at kg doctor --deep, and remove them then.\n", done.Kept)
	if !done.Searched {
		fmt.Fprintf(out, "Set KG_PG_BIN=%s for kg serve, which does not find these programs by itself.\n", done.Bin)
	}
	return nil
}
