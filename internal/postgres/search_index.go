package postgres

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/naming"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// GraphMark returns this moment, from which on GraphChanges returns what has changed.
func (s GraphStore) GraphMark(ctx context.Context) (knowledge.GraphMark, error) {
	conn, err := s.graph.acquire(ctx)
	if err != nil {
		return knowledge.GraphMark{}, translate(err, "read the moment of the graph")
	}
	defer conn.Release()
	row, err := db.New(trace(conn, s.graph.hook)).GraphMark(ctx)
	return knowledge.GraphMark{
		Epoch: row.Epoch, Snapshot: row.Snapshot, Origin: timelineOf(conn.Conn.Conn()) + "/" + row.Database + "/" + row.LogTable,
	}, translate(err, "read the moment of the graph")
}

// SearchPage returns what a search compares of the first concepts after a number, by
// number. An embedding of another model is none.
func (s GraphStore) SearchPage(ctx context.Context, model string, after, most int) ([]questions.SearchEntry, error) {
	rows, err := db.New(s.graph).SearchPage(ctx, model, int32(after), int32(most))
	if err != nil {
		return nil, translate(err, "read a page of concepts")
	}
	entries := make([]questions.SearchEntry, len(rows))
	for i, r := range rows {
		entries[i] = toSearchEntry(db.SearchEntriesRow(r))
	}
	return entries, nil
}

// SearchEntries returns what a search compares of the concepts with the given numbers,
// in no order. A number that no concept has is left out.
func (s GraphStore) SearchEntries(ctx context.Context, model string, ids []int) ([]questions.SearchEntry, error) {
	rows, err := db.New(s.graph).SearchEntries(ctx, toInt32s(ids), model)
	if err != nil {
		return nil, translate(err, "read concepts")
	}
	entries := make([]questions.SearchEntry, len(rows))
	for i, r := range rows {
		entries[i] = toSearchEntry(r)
	}
	return entries, nil
}

func toSearchEntry(r db.SearchEntriesRow) questions.SearchEntry {
	return questions.SearchEntry{
		ID: int(r.ID), ConceptID: r.ConceptID, LabelKey: naming.LabelKey(r.Label), Terms: searchedTerms(r.TermKeys),
		Ontologies: toInts(r.Ontologies), Embedding: r.Vector, Signature: toSignature(r.Signature),
	}
}

// toSignature reads what signatureBits has made.
func toSignature(b pgtype.Bits) (s models.Signature) {
	for i, octet := range b.Bytes {
		s[i/8] |= uint64(octet) << (i % 8 * 8)
	}
	return s
}

// OntologyNumbers returns the numbers of the ontologies by their names.
func (s GraphStore) OntologyNumbers(ctx context.Context) (map[string]int, error) {
	rows, err := db.New(s.graph).OntologyNumbers(ctx)
	numbers := make(map[string]int, len(rows))
	for _, r := range rows {
		numbers[r.Name] = int(r.ID)
	}
	return numbers, translate(err, "read the ontologies")
}

// searchedTerms returns the names of a concept that are searched for.
func searchedTerms(keys []string) []string {
	return slices.DeleteFunc(keys, func(k string) bool { return strings.HasPrefix(k, identityMark) })
}
