package kappa

import "strconv"

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

	Visible *VisibleRows // no others; nil = any
}

// Place returns the place of a job in the list of jobs.
func (j Job) Place() Cursor {
	return Cursor{List: ListJobs, Keys: []int64{j.CreatedAt.UnixMicro()}, ID: j.ID}
}

// Validate reports every rule that f breaks, in the names of the API's query.
func (f JobFilter) Validate() error {
	var r rules
	r.add("query", "ontology", checkOptionalName(f.Ontology, MaxOntologyName))
	r.add("query", "job_type", checkOptionalName(f.Type, maxJobTypeName))
	r.add("query", "client_id", checkOptionalName(f.User, MaxUsername))
	if f.Parent != "" && !IsJobID(f.Parent) {
		r.add("query", "parent", "must be the id of a job: job_ and 12 hexadecimal digits")
	}
	r.add("query", "limit", checkRange(f.Limit, 1, MaxJobList))
	r.add("query", "offset", checkRange(f.Offset, 0, maxOffset))
	r.add("query", "cursor", checkCursor(ListJobs, f.Cursor, JobKeys, f.Offset))
	return r.err()
}

// NarrowJobs returns f narrowed to the jobs that p may read, and false when those are
// none: p may read no jobs, or f asks for those of somebody else.
func (p Principal) NarrowJobs(f JobFilter) (JobFilter, bool) {
	own := strconv.Itoa(p.User.ID)
	reach := p.Reach(JobsRead)
	if some := p.rows(JobsRead); !some.Empty() && reach < ReachAll {
		f.Visible = &VisibleRows{RowSet: some}
		if reach == ReachOwn {
			f.Visible.Owner = p.User.ID
		}
		return f, true
	}
	switch reach {
	case ReachAll:
		return f, true
	case ReachOwn:
		if f.User == "" || f.User == own || f.User == p.User.Username {
			f.User = own
			return f, true
		}
	}
	return f, false
}
