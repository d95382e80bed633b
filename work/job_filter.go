package work

import (
	"strconv"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/check"
)

// JobFilter selects jobs. The zero value selects all.
type JobFilter struct {
	Status   Status // "" = any
	Ontology string // "" = any
	Type     string // "" = any
	User     string // a user id or a username; "" = any
	Parent   string // the job that made them; "" = any or none
	Limit    int    // 1 to 500
	Offset   int
	Cursor   string // of the page before; "" = the first one

	Visible *access.VisibleRows // no others; nil = any
}

// Place returns the place of a job in the list of jobs.
func (j Job) Place() kappa.Cursor {
	return kappa.Cursor{List: kappa.ListJobs, Keys: []int64{j.CreatedAt.UnixMicro()}, ID: j.ID}
}

// Validate reports every rule that f breaks, in the names of the API's query.
func (f JobFilter) Validate() error {
	var r check.Rules
	r.Add("query", "ontology", check.OptionalName(f.Ontology, kappa.MaxOntologyName))
	r.Add("query", "job_type", check.OptionalName(f.Type, check.MaxJobType))
	r.Add("query", "client_id", check.OptionalName(f.User, access.MaxUsername))
	if f.Parent != "" && !kappa.IsJobID(f.Parent) {
		r.Add("query", "parent", "must be the id of a job: job_ and 12 hexadecimal digits")
	}
	r.Add("query", "limit", check.Range(f.Limit, 1, MaxJobList))
	r.Add("query", "offset", check.Range(f.Offset, 0, check.MaxOffset))
	r.Add("query", "cursor", check.Cursor(kappa.ListJobs, f.Cursor, kappa.JobKeys, f.Offset))
	return r.Err()
}

// Narrow returns f narrowed to the jobs that p may read, and false when those are
// none: p may read no jobs, or f asks for those of somebody else.
func (f JobFilter) Narrow(p access.Principal) (JobFilter, bool) {
	own := strconv.Itoa(p.User.ID)
	reach := p.Reach(access.JobsRead)
	if some := p.Granted(access.JobsRead); !some.Empty() && reach < access.ReachAll {
		f.Visible = &access.VisibleRows{RowSet: some}
		if reach == access.ReachOwn {
			f.Visible.Owner = p.User.ID
		}
		return f, true
	}
	switch reach {
	case access.ReachAll:
		return f, true
	case access.ReachOwn:
		if f.User == "" || f.User == own || f.User == p.User.Username {
			f.User = own
			return f, true
		}
	}
	return f, false
}
