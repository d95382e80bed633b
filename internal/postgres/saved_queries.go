package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge/programs"
)

// SavedQueryStore keeps questions that users ask again.
type SavedQueryStore struct{ *base }

// SavedQueries returns the store of saved queries.
func (d *DB) SavedQueries() SavedQueryStore { return SavedQueryStore{&d.base} }

// AddQuery keeps a query. It returns CodeConflict for a name that the account has used, and
// CodeTooLarge for an account that has as many as it may.
func (s SavedQueryStore) AddQuery(ctx context.Context, n programs.NewSavedQuery) (programs.SavedQuery, error) {
	parameters, err := json.Marshal(append([]programs.QueryParameter{}, n.Parameters...)) // a list, without any too
	if err != nil {
		return programs.SavedQuery{}, fmt.Errorf("encode parameters: %w", err)
	}
	var row db.KgApiSavedQuery
	err = inTx(ctx, s.jobs, func(q *db.Queries) (err error) {
		if err := beginSubmission(ctx, q); err != nil {
			return err
		}
		if err := q.SavedQueryAccountLock(ctx, int32(n.OwnerID)); err != nil {
			return err
		}
		row, err = q.SavedQueryInsert(ctx, db.SavedQueryInsertParams{
			Name: n.Name, DefinitionType: n.Type, Definition: n.Definition, Parameters: parameters, Metadata: n.Metadata, OwnerID: new(int32(n.OwnerID)), Most: programs.MaxSavedQueries,
		})
		return err
	})
	switch {
	case isNoRows(err):
		return programs.SavedQuery{}, kappa.NewError(kappa.CodeTooLarge, fmt.Sprintf("An account keeps at most %d queries: delete some that are not needed", programs.MaxSavedQueries))
	case err != nil:
		return programs.SavedQuery{}, queryError(err, n.Name, "save a query")
	}
	return toSavedQuery(row)
}

// Query returns a saved query, or CodeNotFound.
func (s SavedQueryStore) Query(ctx context.Context, id int) (programs.SavedQuery, error) {
	row, err := s.q().SavedQueryByID(ctx, int64(id))
	switch {
	case isNoRows(err):
		return programs.SavedQuery{}, queryNotFound(id)
	case err != nil:
		return programs.SavedQuery{}, translate(err, "read a saved query")
	}
	return toSavedQuery(row)
}

// ChangeQuery stores what is changed of a query that was read. It returns CodePrecondition
// when it was changed or deleted since, and CodeConflict for a name that its owner has used.
func (s SavedQueryStore) ChangeQuery(ctx context.Context, read programs.SavedQuery, c programs.SavedQueryChange) (programs.SavedQuery, error) {
	p := db.SavedQueryUpdateParams{ID: int64(read.ID), ReadAt: read.UpdatedAt.Time, Name: c.Name, Definition: c.Definition, Metadata: c.Metadata}
	name := read.Name
	if c.Name != nil {
		name = *c.Name
	}
	if c.Parameters != nil {
		parameters, err := json.Marshal(append([]programs.QueryParameter{}, *c.Parameters...))
		if err != nil {
			return programs.SavedQuery{}, fmt.Errorf("encode parameters: %w", err)
		}
		p.Parameters = parameters
	}
	row, err := s.q().SavedQueryUpdate(ctx, p)
	switch {
	case isNoRows(err):
		return programs.SavedQuery{}, kappa.NewError(kappa.CodePrecondition, fmt.Sprintf("Saved query %d was changed or deleted meanwhile; read it again", read.ID))
	case err != nil:
		return programs.SavedQuery{}, queryError(err, name, "change a saved query")
	}
	return toSavedQuery(row)
}

// RemoveQuery deletes a saved query, or returns CodeNotFound.
func (s SavedQueryStore) RemoveQuery(ctx context.Context, id int) error {
	_, err := s.q().SavedQueryDelete(ctx, int64(id))
	if isNoRows(err) {
		return queryNotFound(id)
	}
	return translate(err, "delete a saved query")
}

// ListQueries returns the queries that f selects, newest first, and how many there are in all.
func (s SavedQueryStore) ListQueries(ctx context.Context, f programs.SavedQueryFilter) (list []programs.SavedQuery, total int, err error) {
	after, _ := kappa.ParseCursor(kappa.ListSavedQueries, f.Cursor, kappa.SavedQueryKeys)
	p := db.SavedQueryListParams{Before: after.Key(0, math.MaxInt64), DefinitionType: f.Type, Name: f.Name, Search: f.Search, Skip: int32(f.Offset), Most: int32(f.Limit)}
	if f.OwnerID != nil {
		p.OwnerID = new(int32(*f.OwnerID))
	}
	if v := f.Visible; v != nil {
		p.Narrowed, p.Viewer, p.Visible = true, int32(v.Owner), v.IDs
		_, p.VisibleTypes = filterColumns(v.Filters, "definition_type")
	}
	rows, err := s.q().SavedQueryList(ctx, p)
	if err != nil {
		return nil, 0, translate(err, "list saved queries")
	}
	for _, row := range rows {
		q, err := toSavedQuery(row)
		if err != nil {
			return nil, 0, err
		}
		list = append(list, q)
	}
	n, err := s.q().SavedQueryCount(ctx, db.SavedQueryCountParams{
		DefinitionType: p.DefinitionType, Name: p.Name, Search: p.Search, OwnerID: p.OwnerID, Narrowed: p.Narrowed, Viewer: p.Viewer, Visible: p.Visible, VisibleTypes: p.VisibleTypes,
	})
	return list, int(n), translate(err, "count saved queries")
}

func queryNotFound(id int) error { return notFound("Saved query not found: %d", id) }

// queryError says which name is taken.
func queryError(err error, name, what string) error {
	if violates(err, "saved_query_name_of_an_owner_is_unique") {
		return conflict("There is a saved query called %q already; choose another name, or change that one", name)
	}
	return translate(err, what)
}

func toSavedQuery(r db.KgApiSavedQuery) (programs.SavedQuery, error) {
	q := programs.SavedQuery{
		ID: int(r.ID), Name: r.Name, Type: r.DefinitionType, Definition: r.Definition, Parameters: []programs.QueryParameter{}, Metadata: r.Metadata,
		CreatedAt: kappa.At(r.CreatedAt), UpdatedAt: kappa.At(r.UpdatedAt),
	}
	if r.OwnerID != nil {
		q.OwnerID = new(int(*r.OwnerID))
	}
	if err := json.Unmarshal(r.Parameters, &q.Parameters); err != nil {
		return q, fmt.Errorf("read the parameters of saved query %d: %w", q.ID, err)
	}
	return q, nil
}
