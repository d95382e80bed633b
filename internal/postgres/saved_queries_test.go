package postgres_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/knowledge/programs"
)

func TestSavedQueries(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	conn := connect(t, dsn)
	execSQL(t, dsn, "INSERT INTO kg_api.users (id, username, role) VALUES (1001, 'ada', 'contributor'), (1002, 'bob', 'contributor')")
	queries, me, other := s.SavedQueries(), 1001, 1002
	add := func(owner int, kind, name string) (programs.SavedQuery, error) {
		return queries.AddQuery(t.Context(), programs.NewSavedQuery{
			Name: name, Type: kind, Definition: []byte(`{"query":"$q","metadata":{"description":"About ICE"}}`), OwnerID: owner,
			Parameters: []programs.QueryParameter{{Name: "q", Type: programs.ParameterString}},
		})
	}
	first, err := add(me, programs.QuerySearch, "ice")
	must(t, err)
	if first.Parameters[0].Name != "q" || *first.OwnerID != me || first.Metadata != nil {
		t.Errorf("kept %+v", first)
	}
	if _, err := add(me, programs.QuerySearch, "ice"); kappa.ErrorCode(err) != kappa.CodeConflict || !strings.Contains(err.Error(), `"ice"`) {
		t.Errorf("the same name: %v", err)
	}
	theirs, err := add(other, programs.QueryProgram, "ice")
	must(t, err)
	unnamed, err := add(me, programs.QueryProgram, "")
	must(t, err)
	if want := fmt.Sprintf("Program %d", unnamed.ID); unnamed.Name != want {
		t.Errorf("called %q, want %q", unnamed.Name, want)
	}

	t.Run("lists", func(t *testing.T) {
		list := func(f programs.SavedQueryFilter) string {
			f.Limit = max(f.Limit, 1)
			found, total, err := queries.ListQueries(t.Context(), f)
			must(t, err)
			names := []string{fmt.Sprint(total)}
			for _, q := range found {
				names = append(names, fmt.Sprint(q.ID-first.ID))
			}
			return strings.Join(names, " ")
		}
		next := kappa.Cursor{List: kappa.ListSavedQueries, Keys: []int64{int64(unnamed.ID)}}.String()
		for name, c := range map[string]struct {
			filter programs.SavedQueryFilter
			want   string
		}{
			"all, newest first":        {programs.SavedQueryFilter{Limit: 9}, fmt.Sprintf("3 %d %d 0", unnamed.ID-first.ID, theirs.ID-first.ID)},
			"a page":                   {programs.SavedQueryFilter{Limit: 1, Cursor: next}, fmt.Sprintf("3 %d", theirs.ID-first.ID)},
			"of a type":                {programs.SavedQueryFilter{Limit: 9, Type: programs.QuerySearch}, "1 0"},
			"of a name":                {programs.SavedQueryFilter{Limit: 9, Name: "ic"}, "0"},
			"what is searched for":     {programs.SavedQueryFilter{Limit: 9, Search: "about ice"}, fmt.Sprintf("3 %d %d 0", unnamed.ID-first.ID, theirs.ID-first.ID)},
			"a pattern is only a text": {programs.SavedQueryFilter{Limit: 9, Search: "%"}, "0"},
			"of an owner":              {programs.SavedQueryFilter{Limit: 9, OwnerID: &other}, fmt.Sprintf("1 %d", theirs.ID-first.ID)},
			"one's own":                {programs.SavedQueryFilter{Limit: 9, Visible: &access.VisibleRows{Owner: other}}, fmt.Sprintf("1 %d", theirs.ID-first.ID)},
			"one's own and a shared":   {programs.SavedQueryFilter{Limit: 9, Visible: &access.VisibleRows{Owner: other, RowSet: access.RowSet{IDs: []string{fmt.Sprint(first.ID)}}}}, fmt.Sprintf("2 %d 0", theirs.ID-first.ID)},
			"those of a type":          {programs.SavedQueryFilter{Limit: 9, Visible: &access.VisibleRows{RowSet: access.RowSet{Filters: []access.RowFilter{{"definition_type": "search"}}}}}, "1 0"},
			"none":                     {programs.SavedQueryFilter{Limit: 9, Visible: &access.VisibleRows{}}, "0"},
		} {
			if got := list(c.filter); got != c.want {
				t.Errorf("%s: %s, want %s", name, got, c.want)
			}
		}
	})
	t.Run("changes what was read", func(t *testing.T) {
		changed, err := queries.ChangeQuery(t.Context(), first, programs.SavedQueryChange{Name: new("snow")})
		must(t, err)
		if changed.Name != "snow" || len(changed.Parameters) != 1 || !changed.UpdatedAt.After(first.UpdatedAt.Time) {
			t.Errorf("became %+v", changed)
		}
		if _, err := queries.ChangeQuery(t.Context(), first, programs.SavedQueryChange{Name: new("rain")}); kappa.ErrorCode(err) != kappa.CodePrecondition {
			t.Errorf("what was changed since: %v", err)
		}
		if _, err := queries.ChangeQuery(t.Context(), changed, programs.SavedQueryChange{Name: &unnamed.Name}); kappa.ErrorCode(err) != kappa.CodeConflict {
			t.Errorf("a name that is taken: %v", err)
		}
		changed, err = queries.ChangeQuery(t.Context(), changed, programs.SavedQueryChange{Parameters: &[]programs.QueryParameter{}})
		if err != nil || len(changed.Parameters) != 0 {
			t.Errorf("%+v, %v", changed, err)
		}
	})
	t.Run("deletes", func(t *testing.T) {
		must(t, queries.RemoveQuery(t.Context(), unnamed.ID))
		if err := queries.RemoveQuery(t.Context(), unnamed.ID); kappa.ErrorCode(err) != kappa.CodeNotFound {
			t.Errorf("twice: %v", err)
		}
		if _, err := queries.Query(t.Context(), unnamed.ID); kappa.ErrorCode(err) != kappa.CodeNotFound {
			t.Errorf("it is there: %v", err)
		}
	})
	t.Run("outlives its account", func(t *testing.T) {
		execSQL(t, dsn, "DELETE FROM kg_api.users WHERE id = 1001")
		if q, err := queries.Query(t.Context(), first.ID); err != nil || q.OwnerID != nil {
			t.Errorf("%+v, %v", q, err)
		}
	})
	t.Run("an account keeps so many", func(t *testing.T) {
		_, err := conn.Exec(t.Context(), `INSERT INTO kg_api.saved_queries (name, definition_type, definition, owner_id) SELECT 'n' || i, 'search', '{}', $1 FROM generate_series(1, $2) i`, other, programs.MaxSavedQueries-1)
		must(t, err)
		if _, err := add(other, programs.QuerySearch, "one more"); kappa.ErrorCode(err) != kappa.CodeTooLarge {
			t.Errorf("%v", err)
		}
	})
}
