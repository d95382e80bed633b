package migrations

import (
	"context"
	"io/fs"
	"log/slog"
	"time"
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

// Files returns the embedded migrations.
func Files() fs.FS { return files }
