package main

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the driver

	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// fts is a table of SQLite's FTS5 on the disk, with Porter's stemmer and BM25.
type fts struct {
	file  string
	db    *sql.DB
	tx    *sql.Tx
	count int
}

func openFTS(dir string) (*fts, error) {
	f := &fts{file: filepath.Join(dir, "fts.sqlite")}
	if err := f.open(); err != nil {
		return nil, err
	}
	_, err := f.db.Exec("CREATE VIRTUAL TABLE passages USING fts5(body, content='', tokenize='porter unicode61')")
	return f, err
}

func (f *fts) open() (err error) {
	if f.db, err = sql.Open("sqlite", f.file+"?_pragma=journal_mode(wal)&_pragma=synchronous(normal)&_pragma=cache_size(-200000)"); err != nil {
		return err
	}
	f.db.SetMaxOpenConns(1)
	return f.db.Ping()
}

func (f *fts) add(id int, passage string) (err error) {
	if f.tx == nil {
		if f.tx, err = f.db.Begin(); err != nil {
			return err
		}
	}
	if _, err := f.tx.Exec("INSERT INTO passages(rowid, body) VALUES (?, ?)", id+1, passage); err != nil {
		return err
	}
	if f.count++; f.count%batchSize > 0 {
		return nil
	}
	return f.flush()
}

func (f *fts) flush() error {
	if f.tx == nil {
		return nil
	}
	err := f.tx.Commit()
	f.tx = nil
	return err
}

func (f *fts) addOne(id int, passage string) error {
	_, err := f.db.Exec("INSERT INTO passages(rowid, body) VALUES (?, ?)", id+1, passage)
	return err
}

func (f *fts) find(ctx context.Context, question string, most int) (int, error) {
	var asked []string
	for _, w := range words.Cut(question, true).Words {
		if !words.Function(w.Text) {
			asked = append(asked, `"`+w.Text+`"`)
		}
	}
	rows, err := f.db.QueryContext(ctx, "SELECT rowid FROM passages WHERE passages MATCH ? ORDER BY rank LIMIT ?", strings.Join(asked, " OR "), most)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		n++
	}
	return n, rows.Err()
}

func (f *fts) close() error { return f.db.Close() }

func (f *fts) size() size { return size{} }
