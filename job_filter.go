package kappa

import "strconv"

// JobFilter selects jobs. The zero value selects all.
type JobFilter struct {
	Status   Status // "" = any
	Ontology string // "" = any
	Type     string // "" = any
	User     string // a user id or a username; "" = any
	Limit    int    // 1 to 500
	Offset   int
}

// Validate reports every rule that f breaks, in the names of the API's query.
func (f JobFilter) Validate() error {
	var r rules
	r.add("query", "ontology", checkOptionalName(f.Ontology, MaxOntologyName))
	r.add("query", "job_type", checkOptionalName(f.Type, maxJobTypeName))
	r.add("query", "client_id", checkOptionalName(f.User, MaxUsername))
	r.add("query", "limit", checkRange(f.Limit, 1, MaxJobList))
	r.add("query", "offset", checkRange(f.Offset, 0, maxOffset))
	return r.err()
}

// NarrowJobs returns f narrowed to the jobs that p may read, and false when those are
// none: p may read no jobs, or f asks for those of somebody else.
func (p Principal) NarrowJobs(f JobFilter) (JobFilter, bool) {
	own := strconv.Itoa(p.User.ID)
	switch p.Reach(JobsRead) {
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
