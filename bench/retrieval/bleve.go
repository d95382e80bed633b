package main

import (
	"context"
	"path/filepath"
	"strconv"

	"github.com/blevesearch/bleve/v2"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/en" // its analyzer
	"github.com/blevesearch/bleve/v2/mapping"
	api "github.com/blevesearch/bleve_index_api"
)

// bleved is an index of bleve on the disk, with its English analyzer and BM25.
type bleved struct {
	dir   string
	index bleve.Index
	batch *bleve.Batch
}

type bleveDocument struct {
	Text string `json:"text"`
}

func bleveMapping() mapping.IndexMapping {
	field := bleve.NewTextFieldMapping()
	field.Analyzer = "en"
	field.Store, field.IncludeInAll, field.IncludeTermVectors, field.DocValues = false, false, false, false
	document := bleve.NewDocumentStaticMapping()
	document.AddFieldMappingsAt("text", field)
	m := bleve.NewIndexMapping()
	m.DefaultMapping = document
	m.ScoringModel = api.BM25Scoring
	return m
}

func openBleve(dir string) (*bleved, error) {
	b := &bleved{dir: filepath.Join(dir, "bleve")}
	var err error
	if b.index, err = bleve.New(b.dir, bleveMapping()); err != nil {
		return nil, err
	}
	b.batch = b.index.NewBatch()
	return b, nil
}

func (b *bleved) add(id int, passage string) error {
	if err := b.batch.Index(strconv.Itoa(id), bleveDocument{passage}); err != nil || b.batch.Size() < batchSize {
		return err
	}
	return b.flush()
}

func (b *bleved) flush() error {
	err := b.index.Batch(b.batch)
	b.batch.Reset()
	return err
}

func (b *bleved) addOne(id int, passage string) error {
	return b.index.Index(strconv.Itoa(id), bleveDocument{passage})
}

func (b *bleved) find(ctx context.Context, question string, most int) (int, error) {
	q := bleve.NewMatchQuery(question)
	q.SetField("text")
	found, err := b.index.SearchInContext(ctx, bleve.NewSearchRequestOptions(q, most, 0, false))
	if err != nil {
		return 0, err
	}
	return len(found.Hits), nil
}

func (b *bleved) open() (err error) {
	b.index, err = bleve.Open(b.dir)
	return err
}

func (b *bleved) close() error { return b.index.Close() }

func (b *bleved) size() size { return size{} }
