package postgres_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/work"
)

// TestVisibleJobs lists what is one's own and what was granted one by one or by what it
// is, a page at a time.
func TestVisibleJobs(t *testing.T) {
	t.Parallel()
	s, _ := newAccounts(t)
	var ids []string
	for i := range 6 {
		n := work.NewJob{Type: []string{"noop", "sleep"}[i%2], Queue: work.DefaultQueue, MaxRetries: 1, UserID: []int{access.SystemUserID, access.AdminUserID}[i/3]}
		job, err := s.Jobs().SubmitJob(t.Context(), n)
		must(t, err)
		ids = append(ids, job.ID)
	}
	for name, c := range map[string]struct {
		filter work.JobFilter
		rows   access.VisibleRows
		want   []int
	}{
		"one by one":       {rows: access.VisibleRows{RowSet: access.RowSet{IDs: []string{ids[1], ids[4], "job_ffffffffffff"}}}, want: []int{4, 1}},
		"and one's own":    {rows: access.VisibleRows{Owner: access.SystemUserID, RowSet: access.RowSet{IDs: []string{ids[4]}}}, want: []int{4, 2, 1, 0}},
		"by the type":      {rows: access.VisibleRows{RowSet: access.RowSet{Filters: []access.RowFilter{{"job_type": "sleep"}}}}, want: []int{5, 3, 1}},
		"by the ontology":  {rows: access.VisibleRows{RowSet: access.RowSet{Filters: []access.RowFilter{{"ontology": "notes"}}}}},
		"nothing":          {},
		"of those granted": {filter: work.JobFilter{Type: "noop", User: "admin"}, rows: access.VisibleRows{RowSet: access.RowSet{IDs: ids}}, want: []int{4}},
	} {
		f := c.filter
		f.Visible = &c.rows
		var got []string
		for f.Limit = 2; ; {
			page, err := s.Jobs().Jobs(t.Context(), f)
			must(t, err)
			for _, j := range page {
				got = append(got, j.ID)
			}
			if len(page) < f.Limit {
				break
			}
			f.Cursor = page[len(page)-1].Place().String()
		}
		var want []string
		for _, i := range c.want {
			want = append(want, ids[i])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %s, want %s", name, fmt.Sprint(got), fmt.Sprint(want))
		}
	}
}
