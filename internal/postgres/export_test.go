package postgres

import (
	"context"
	"slices"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// For the tests that read its plan, or run it in a transaction of their own.
var (
	ClaimSQL  = claimSQL
	ClaimArgs = claimArgs
)

// RegisteredOn has a worker registered on a timeline; 0 is none.
func (p *Primary) RegisteredOn(timeline int) { p.registered = timeline }

// See has a server say what it is, as Validate does.
func (p *Primary) See(system string, timeline int) error { return p.see(system, timeline) }

// RemoteClaimSQL is for the test that reads its plan.
var RemoteClaimSQL = remoteClaimSQL

// JobPageSQL is the statement that reads a page of jobs, and its parameters.
func JobPageSQL(f work.JobFilter) (string, []any) {
	s := newJobSearch(f)
	after, _ := kappa.ParseCursor(kappa.ListJobs, f.Cursor, f.Sort.Keys())
	if !f.Sort.Indexed() {
		return s.sorted(after, f.Limit+1), s.args
	}
	return s.page(after, f.Limit+1), s.args
}

// ScanAtMost has pages look for jobs among so many, and returns what undoes it.
func ScanAtMost(n int64) func() {
	before := mostScanned
	mostScanned = n
	return func() { mostScanned = before }
}

// ActByJob has a job do an act on any number of jobs.
func (s JobStore) ActByJob(ctx context.Context, a work.JobAct) (work.ActReport, error) {
	return s.actByJob(ctx, a)
}

// ActPart is how many jobs are acted on in one transaction.
func ActPart() int { return actPart }

func init() { actPart = 10 } //nolint:gochecknoinits // so that few jobs are several parts

// AllErrors is for the test that reads its plan.
const AllErrors = allErrors

// BackupOf says what is wrong with how backups treat a table, of which some columns refer
// to rows of others; "" is nothing.
func BackupOf(table string, references []string) string {
	at := slices.IndexFunc(backupTables, func(t backupTable) bool { return t.name == table })
	if _, left := notInBackups[table]; left == (at >= 0) {
		return table + " must be in backupTables or in notInBackups, and not in both"
	}
	for _, column := range references {
		if at >= 0 && backupTables[at].keys[column] == "" && !slices.Contains(backupTables[at].omit, column) {
			return table + "." + column + " is the number of a row: an archive needs its natural key, or must leave it out"
		}
	}
	return ""
}

// LooksUp reports whether a restore writes a table without a check of its references.
func LooksUp(table string) bool {
	at := slices.IndexFunc(backupTables, func(t backupTable) bool { return t.name == table })
	return at >= 0 && backupTables[at].looksUp
}

// LookedUp says what is wrong with how such a table finds the rows that columns refer to.
func LookedUp(table, to string, columns []string) string {
	t := backupTables[slices.IndexFunc(backupTables, func(t backupTable) bool { return t.name == table })]
	for _, column := range columns {
		if t.columns[column] == "" {
			return table + "." + column + " refers to " + to + " and is not looked up"
		}
	}
	if !strings.Contains(t.find, "JOIN kg_api."+to+" ") && (to != "sources" || !strings.Contains(t.find, "JOIN restored_at ")) {
		return table + " refers to " + to + ", which is not looked up"
	}
	return ""
}
