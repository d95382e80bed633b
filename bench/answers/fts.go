package main

import (
	"database/sql"
	"strings"
	"time"
	"unicode"

	_ "modernc.org/sqlite" // the driver
)

// fts is SQLite's full-text search over the same paragraphs.
type fts struct {
	db    *sql.DB
	query *sql.Stmt
	spans []asked // article and paragraph of each row, from 1
}

func newFTS(articles []article) (*fts, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // each connection has a memory of its own
	f := &fts{db: db}
	if _, err := db.Exec(`CREATE VIRTUAL TABLE paragraphs USING fts5(body, tokenize = 'porter unicode61')`); err != nil {
		return nil, err
	}
	for i, a := range articles {
		for n, p := range a.paragraphs {
			if _, err := db.Exec(`INSERT INTO paragraphs (body) VALUES (?)`, p); err != nil {
				return nil, err
			}
			f.spans = append(f.spans, asked{question{paragraph: n}, i})
		}
	}
	f.query, err = db.Prepare(`SELECT rowid FROM paragraphs WHERE paragraphs MATCH ? ORDER BY bm25(paragraphs) LIMIT 3`)
	return f, err
}

func (f *fts) close() { _ = f.db.Close() } // it is in memory

// match puts a question in the words of FTS5: any of its words.
func match(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	for i, w := range words {
		words[i] = `"` + w + `"`
	}
	return strings.Join(words, " OR ")
}

// ask returns the rows that are found, best first.
func (f *fts) ask(text string) ([]int, error) {
	rows, err := f.query.Query(match(text))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []int
	for rows.Next() {
		var id int
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		found = append(found, id)
	}
	return found, rows.Err()
}

// hits asks all questions.
func (f *fts) hits(all []asked) (hits, error) {
	var h hits
	for _, q := range all {
		found, err := f.ask(q.text)
		if err != nil {
			return h, err
		}
		h.add(placeOf(found, func(row int) bool {
			at := f.spans[row-1]
			return at.article == q.article && at.paragraph == q.paragraph
		}))
	}
	return h, nil
}

// times returns how long each question took.
func (f *fts) times(all []asked) ([]time.Duration, error) {
	took := make([]time.Duration, len(all))
	for i, q := range all {
		began := time.Now()
		if _, err := f.ask(q.text); err != nil {
			return nil, err
		}
		took[i] = time.Since(began)
	}
	return took, nil
}
