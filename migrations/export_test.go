package migrations

import (
	"context"
	"io/fs"
	"log/slog"
	"time"

	"github.com/pressly/goose/v3"
)

// UpFrom is Up with the files given, and with a short timeout.
func UpFrom(ctx context.Context, dsn string, files fs.FS) error {
	return UpLogged(ctx, dsn, files, slog.New(slog.DiscardHandler))
}

// UpLogged is UpFrom with a log.
func UpLogged(ctx context.Context, dsn string, files fs.FS, log *slog.Logger) error {
	m := migrator{files: files, lockTimeout: 100 * time.Millisecond, attempts: 3, pause: 200 * time.Millisecond, log: log}
	return m.up(ctx, dsn)
}

// Down takes every migration back.
func Down(ctx context.Context, dsn string) error {
	db, err := migrator{lockTimeout: time.Second}.open(dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithTableName(versionTable), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	_, err = provider.DownTo(ctx, 0)
	return err
}

// Files returns the embedded migrations.
func Files() fs.FS { return files }
