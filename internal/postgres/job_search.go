package postgres

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/work"
)

// mostScanned is how many jobs a page is looked for among: the next page goes on from there. It
// is less in tests.
var mostScanned int64 = 20_000

// mostSorted is how many may be put into an order that no index has. mostTold is how many
// are counted one by one. Each takes some tenths of a second at the most.
const (
	mostSorted = 50_000
	mostTold   = 100_000
	everything = 1 << 40
)

// jobSearch is a filter of jobs as the parts of a statement, and their parameters. Jobs are
// read from sources, each of which goes along an index, in the order of the list; what the
// index cannot tell is asked of each job that is read, as its conditions.
//
// The statement is built so that each filter has a plan of its own: with all conditions in
// one, PostgreSQL would plan for those that are not given. All texts in it are constants;
// values are parameters.
type jobSearch struct {
	filter     work.JobFilter
	args       []any
	span       []string // of when jobs were submitted: an index is read from there to there
	conditions []string
	waiting    string // the ids of those that wait for a provider; "" = not asked for
	scanned    int64  // how many jobs a page is looked for among
}

// newJobSearch returns the search for what f selects, but for its cursor.
func newJobSearch(f work.JobFilter) *jobSearch {
	s := &jobSearch{filter: f, scanned: mostScanned}
	if f.Offset > 0 || f.Full {
		s.scanned = everything
	}
	s.between(&s.span, "j.created_at", f.Submitted)
	s.between(&s.conditions, "j.started_at", f.Started)
	s.between(&s.conditions, "j.completed_at", f.Ended)
	s.addTexts()
	s.addStates()
	if f.Visible != nil {
		s.add(s.among(*f.Visible))
	}
	return s
}

// arg returns the place of a parameter.
func (s *jobSearch) arg(value any) string {
	s.args = append(s.args, value)
	return "$" + strconv.Itoa(len(s.args))
}

func (s *jobSearch) add(parts ...string) {
	s.conditions = append(s.conditions, strings.Join(parts, ""))
}

// between adds that a time is in a period.
func (s *jobSearch) between(to *[]string, column string, p work.Period) {
	add := func(m work.Moment, compare string) {
		switch {
		case m.IsZero():
		case m.Ago != 0:
			*to = append(*to, column+compare+"statement_timestamp() - "+s.arg(m.Ago)+"::interval")
		default:
			*to = append(*to, column+compare+s.arg(m.At.Time)+"::timestamptz")
		}
	}
	add(p.From, " >= ")
	add(p.To, " < ")
}

// addTexts adds what must be equal, or be in a text or a range.
func (s *jobSearch) addTexts() {
	f := s.filter
	for _, c := range [][2]string{
		{"j.ontology = ", f.Ontology},
		{"j.job_type = ", f.Type},
		{"j.lane = ", f.Lane},
		{"j.queue = ", f.Queue},
		{"j.error_key = ", f.ErrorKey},
		{"j.parent_id = ", f.Parent},
	} {
		if c[1] != "" {
			s.add(c[0], s.arg(c[1]))
		}
	}
	if f.Worker != "" {
		s.add("j.claimed_by = ", s.arg(f.Worker), "::uuid")
	}
	if f.User != "" {
		user := s.arg(f.User) + "::text"
		s.add("j.user_id IN (SELECT u.id FROM kg_api.users u WHERE lower(u.username) = lower(", user, ") OR u.id::text = ", user, ")")
	}
	if f.Error != "" {
		s.add("strpos(lower(j.error), lower(", s.arg(f.Error), "::text)) > 0")
	}
	if f.File != "" {
		s.add("strpos(lower(j.filename), lower(", s.arg(f.File), "::text)) > 0")
	}
	for _, d := range f.Data {
		s.add("j.data #>> ", s.arg(strings.Split(d.Name, ".")), "::text[] = ", s.arg(d.Value))
	}
	s.within("j.priority", f.Priority)
	s.within("j.attempt", f.Attempt)
}

func (s *jobSearch) within(column string, span work.Span) {
	if span.Least != nil {
		s.add(column, " >= ", s.arg(*span.Least))
	}
	if span.Most != nil {
		s.add(column, " <= ", s.arg(*span.Most))
	}
}

// isQuarantined and isPaused are what the words mean; see JobRescue and JobFinish.
const (
	isQuarantined = "(j.status = 'failed' AND j.crash_count >= "
	isPausedType  = "EXISTS (SELECT 1 FROM kg_api.pauses p WHERE p.scope = 'all' OR p.scope = 'type' AND p.value = j.job_type)"
	isLimited     = "(j.held_by = 0 AND j.limited && ARRAY(SELECT u.limit_key FROM kg_api.limit_use u WHERE u.room <= 0) COLLATE \"C\")"
	isPaused      = "(j.status = 'awaiting_approval' AND j.error IS NOT NULL)"
)

// addStates adds what a job is in, beside its status.
func (s *jobSearch) addStates() {
	f := s.filter
	if f.Quarantined != nil {
		s.add(unless(*f.Quarantined), isQuarantined, s.arg(work.QuarantineCrashes), ")")
	}
	if f.Paused != nil {
		s.add(unless(*f.Paused), isPaused)
	}
	switch f.WaitsFor.Kind() {
	case work.WaitTime:
		s.add("NOT j.due AND j.run_at > statement_timestamp()")
	case work.WaitPause:
		s.add("(j.held_by > 0 OR ", isPausedType, ")")
	case work.WaitLimit:
		s.add(isLimited, " AND NOT ", isPausedType)
	case work.WaitSlot:
		s.add("(j.due OR j.run_at <= statement_timestamp() AND coalesce(j.held_by, 0) = 0) AND NOT coalesce(", isLimited, ", false) AND NOT ", isPausedType)
	case work.WaitBudget:
		s.add(isPaused)
	case work.WaitApproval:
		s.add("NOT ", isPaused)
	case work.WaitProvider:
		s.waiting = "SELECT w.job_id FROM kg_api.provider_waits w WHERE " + s.arg(f.WaitsFor.Provider()) + "::text IN ('', w.provider)"
		s.add("j.job_id IN (", s.waiting, ")")
	}
	if can := f.CanBe(); len(can) < len(work.Statuses()) {
		s.add("j.status = ANY (", s.arg(texts(can)), "::text[])")
	}
}

func unless(is bool) string {
	if is {
		return ""
	}
	return "NOT "
}

func texts[T ~string](list []T) []string {
	words := make([]string, len(list))
	for i, w := range list {
		words[i] = string(w)
	}
	return words
}

// among returns the condition that a job is one of some rows.
func (s *jobSearch) among(v access.VisibleRows) string {
	var ways []string
	if v.Owner != 0 {
		ways = append(ways, "j.user_id = "+s.arg(v.Owner))
	}
	if len(v.IDs) > 0 {
		ways = append(ways, "j.job_id = ANY ("+s.arg(v.IDs)+"::text[])")
	}
	for _, f := range v.Filters {
		all := []string{"true"}
		for name, value := range f {
			switch name {
			case "ontology":
				all = append(all, "j.ontology = "+s.arg(value))
			case "job_type":
				all = append(all, "j.job_type = "+s.arg(value))
			default:
				all = append(all, "false")
			}
		}
		ways = append(ways, "("+strings.Join(all, " AND ")+")")
	}
	return "(" + strings.Join(append(ways, "false"), " OR ") + ")"
}

// matches returns the conditions as one.
func (s *jobSearch) matches() string {
	return "coalesce(" + strings.Join(append([]string{"true"}, s.conditions...), " AND ") + ", false)"
}

// inStatusIndex are the statuses that jobs_status_idx has.
var inStatusIndex = []work.Status{work.StatusPending, work.StatusAwaitingApproval, work.StatusApproved, work.StatusFailed, work.StatusCancelled}

// sources returns the conditions of the rows that jobs are looked for among, each of which one
// index has in the order of the list, but for those that are few. Every job that matches is in
// exactly one.
func (s *jobSearch) sources() (list []string) {
	can := s.filter.CanBe()
	add := func(condition string) {
		list = append(list, strings.Join(append([]string{condition}, s.span...), " AND "))
	}
	switch {
	case len(s.filter.IDs) > 0:
		add("j.job_id = ANY (" + s.arg(s.filter.IDs) + "::text[])")
		return list
	case s.filter.Parent != "":
		add("j.parent_id = " + s.arg(s.filter.Parent))
		return list
	case s.waiting != "":
		add("j.job_id = ANY (ARRAY(" + s.waiting + "))")
		return list
	}
	if slices.Contains(can, work.StatusProcessing) {
		add("j.status = 'processing'")
	}
	if slices.Contains(can, work.StatusCompleted) {
		add("j.status <> 'processing'")
		return list
	}
	for _, status := range inStatusIndex {
		if slices.Contains(can, status) {
			add("j.status = '" + string(status) + "'")
		}
	}
	return list
}

// all returns the rows of all sources, in no order.
func (s *jobSearch) all() string {
	var parts []string
	for _, source := range s.sources() {
		parts = append(parts, "SELECT j.* FROM kg_api.jobs j WHERE "+source)
	}
	return "(" + strings.Join(parts, " UNION ALL ") + ") j"
}

// The orders of a list in which an index is read.
const (
	newestFirst = "j.created_at DESC, j.job_id DESC"
	oldestFirst = "j.created_at, j.job_id"
)

// page returns the statement that reads a page of at most most jobs, after a place, in the
// order of an index: among the first mostScanned of each source, the last of which comes too,
// so that the next page can begin there. What is scanned comes in its order, and a page is the
// first of it: sorted once more, PostgreSQL would read all before it takes a page from it.
func (s *jobSearch) page(after kappa.Cursor, most int) string {
	order, compare := newestFirst, " < "
	if s.filter.Sort == work.SortOldest {
		order, compare = oldestFirst, " > "
	}
	if !after.IsZero() {
		s.span = append(s.span, "(j.created_at, j.job_id)"+compare+"("+s.arg(time.UnixMicro(after.Keys[0]))+"::timestamptz, "+s.arg(after.ID)+"::text)")
	}
	scanned, limit, skip := strconv.FormatInt(s.scanned, 10), " LIMIT "+strconv.Itoa(most+s.filter.Offset), " LIMIT "+strconv.Itoa(most)
	if s.filter.Offset > 0 {
		skip += " OFFSET " + strconv.Itoa(s.filter.Offset)
	}
	var parts []string
	for _, source := range s.sources() {
		parts = append(parts, "(SELECT s.job_id, s.created_at, s.found, s.n FROM (SELECT j.job_id, j.created_at, "+
			s.matches()+" AS found, row_number() OVER (ORDER BY "+order+") AS n FROM kg_api.jobs j WHERE "+source+" ORDER BY "+order+" LIMIT "+scanned+
			") s WHERE s.found OR s.n = "+scanned+limit+")")
	}
	return "SELECT j.found, j.n, 0::bigint AS key, v.* FROM (SELECT j.* FROM (" + strings.Join(parts, " UNION ALL ") + ") j ORDER BY " + order + skip +
		") j JOIN kg_api.shown_jobs v ON v.job_id = j.job_id ORDER BY " + order
}

// sortKeys are what lists are sorted by that no index is for, the largest first.
var sortKeys = map[work.JobSort]string{
	work.SortEnded:    "coalesce((extract(epoch FROM j.completed_at) * 1000000)::bigint, 0)",
	work.SortStarted:  "coalesce((extract(epoch FROM j.started_at) * 1000000)::bigint, 0)",
	work.SortPriority: "(j.priority + 100)::bigint",
}

// sorted returns the statement that reads a page of at most most jobs, after a place, in an
// order that no index has: it reads all that the sources have.
func (s *jobSearch) sorted(after kappa.Cursor, most int) string {
	key, from := sortKeys[s.filter.Sort], ""
	if !after.IsZero() {
		from = " AND (" + key + ", j.created_at, j.job_id) < (" + s.arg(after.Keys[0]) + "::bigint, " +
			s.arg(time.UnixMicro(after.Keys[1])) + "::timestamptz, " + s.arg(after.ID) + "::text)"
	}
	return "SELECT true AS found, 0::bigint AS n, p.key, v.* FROM (SELECT j.job_id, j.created_at, " + key + " AS key FROM " + s.all() + " WHERE " +
		s.matches() + from + " ORDER BY 3 DESC, 2 DESC, 1 DESC LIMIT " + s.arg(most) + " OFFSET " + s.arg(s.filter.Offset) + ") p JOIN kg_api.shown_jobs v ON v.job_id = p.job_id ORDER BY p.key DESC, p.created_at DESC, p.job_id DESC"
}

// counted returns the statement that counts what matches among the jobs of the sources, and
// these, up to one more than most.
func (s *jobSearch) counted(most int) string {
	return "SELECT count(*) FILTER (WHERE s.found), count(*) FROM (SELECT " + s.matches() + " AS found FROM " + s.all() + " LIMIT " + strconv.Itoa(most+1) + ") s"
}

// acted returns the statement that reads the ids of what matches, and whether each is one of
// those that may be acted on, up to one more than most, in no order.
func (s *jobSearch) acted(may *access.VisibleRows, most int) string {
	return "SELECT j.job_id, " + s.permitted(may) + " AS permitted FROM " + s.all() + " WHERE " + s.matches() + " LIMIT " + strconv.Itoa(most+1)
}

// countedActed returns the statement that counts what matches, and what of it may not be acted
// on, up to one more than most.
func (s *jobSearch) countedActed(may *access.VisibleRows, most int) string {
	return "SELECT count(*), count(*) FILTER (WHERE NOT s.permitted) FROM (" + s.acted(may, most) + ") s"
}

// storedParts returns the statement that stores what matches as the parts of an act, up to one
// more than most, in the order in which jobs were submitted. The job that does it is no part.
func (s *jobSearch) storedParts(may *access.VisibleRows, action string, size, most int) string {
	id := s.arg(action) + "::text"
	return "INSERT INTO kg_api.job_action_parts (action_id, part, job_ids, denied) SELECT " + id + ", (s.n - 1) / " + strconv.Itoa(size) + ", array_agg(s.job_id ORDER BY s.n), " +
		"coalesce(array_agg(s.job_id ORDER BY s.n) FILTER (WHERE NOT s.permitted), '{}') FROM (SELECT j.job_id, " + s.permitted(may) +
		" AS permitted, row_number() OVER (ORDER BY " + oldestFirst + ") AS n FROM " + s.all() + " WHERE " + s.matches() + " AND j.job_id <> " + id +
		" LIMIT " + strconv.Itoa(most+1) + ") s GROUP BY 2"
}

// permitted returns the condition that a job may be acted on.
func (s *jobSearch) permitted(may *access.VisibleRows) string {
	if may == nil {
		return "true"
	}
	return "coalesce(" + s.among(*may) + ", false)"
}

// estimated returns the statement that has the planner say how many match.
func (s *jobSearch) estimated() string {
	return "EXPLAIN (FORMAT JSON) SELECT FROM " + s.all() + " WHERE " + strings.Join(append([]string{"true"}, s.conditions...), " AND ")
}

// errors returns the statement that groups what a filter selects of the failed jobs that were
// submitted last.
func (s *jobSearch) errors(most int) string {
	return "SELECT g.job_type, g.error_key, g.jobs, g.first, g.last, g.total, g.errors, e.job_id, coalesce(e.error, '') FROM (" +
		"SELECT s.job_type, coalesce(s.error_key, '') AS error_key, count(*) AS jobs, min(s.completed_at) AS first, max(s.completed_at) AS last, " +
		"(sum(count(*)) OVER ())::bigint AS total, count(*) OVER () AS errors, (array_agg(s.job_id ORDER BY s.completed_at DESC))[1] AS job_id FROM (" +
		"SELECT j.job_id, j.job_type, j.error_key, j.completed_at, " + s.matches() + " AS found FROM " + s.all() + " ORDER BY " + newestFirst +
		" LIMIT " + strconv.Itoa(most) + ") s WHERE s.found GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT " + s.arg(work.MaxJobErrors) +
		") g JOIN kg_api.jobs e ON e.job_id = g.job_id ORDER BY g.jobs DESC, g.job_type, g.error_key"
}
