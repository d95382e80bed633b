package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// maxEvidence is how many violations of one invariant are told.
const maxEvidence = 20

// violation is an invariant that does not hold, and what shows it.
type violation struct{ Invariant, Evidence string }

// invariant is a law that every campaign ends in. find returns what breaks it.
type invariant struct {
	id, law string
	find    func(ctx context.Context, conn *pgx.Conn, o *outcome) ([]string, error)
}

// outcome is what a campaign leaves behind beside its database.
type outcome struct {
	config    config
	submitted submissions
	sampled   samples
	witnessed map[witnessedStep]int
	faults    []injected
	logs      logCounts
	leftovers []string
}

// invariants returns the laws, in the order of their ids.
func invariants() []invariant {
	return []invariant{
		{"I01", "no job is lost: each accepted job exists and has ended", i01NoLostJob},
		{"I01", "no job fails but by quarantine", i01NoOtherFailure},
		{"I02", "no job is invented: each was submitted, once", i02NoInventedJob},
		{"I03", "every step of a job's status is legal", i03LegalSteps},
		{"I03", "the history of a job has no hole", i03Continuous},
		{"I04", "each claim ends exactly once", i04ClaimsEndOnce},
		{"I05", "the claim tokens of a job increase", i05TokensIncrease},
		{"I05", "no pair of token and worker occurs twice", i05PairsAreUnique},
		{"I06", "no effect is recorded under a claim that is not current", i06NoStaleEffect},
		{"I06", "a claim is ended by the server that made it, unless it is rescued", i06EndedByItsServer},
		{"I07", "a completed job has each of its effects once", i07EffectsEqualSteps},
		{"I07", "an effect was witnessed, and not more often than the job was claimed", i07Witnessed},
		{"I08", "effects are recorded under the job's claims, in their order", i08EffectsOfClaims},
		{"I09", "attempts are counted at the claim, and handed back only by a release", i09Attempts},
		{"I09", "crashes and retries stay within their limits", i09Limits},
		{"I10", "every repetition has a fault that explains it", i10Explained},
		{"I11", "what was cancelled is never completed", i11CancelHolds},
		{"I18", "the terms of leaders increase", i18TermsIncrease},
		{"I20", "events are numbered 1, 2, 3 without a hole, in the order of time", i20Events},
		{"I21", "the events end in the state of the job", i21Replay},
		{"I21", "exactly one terminal event ends a job", i21OneEnd},
		{"I28", "nothing is left over", i28Leftovers},
		{"I29", "no handler panicked", i29Panics},
		{"I30", "the campaign did its work: each kind of fault took place and was felt", i30DidWork},
	}
}

// verify checks every invariant.
func verify(ctx context.Context, dsn string, o *outcome) ([]violation, error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, fmt.Errorf("check the invariants: %w", err)
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing is lost with it
	violations := o.sampled.Violations
	for _, law := range invariants() {
		found, err := law.find(ctx, conn, o)
		if err != nil {
			return nil, fmt.Errorf("check %s (%s): %w", law.id, law.law, err)
		}
		for n, evidence := range found {
			if n == maxEvidence {
				violations = append(violations, violation{law.id, fmt.Sprintf("… and %d more", len(found)-n)})
				break
			}
			violations = append(violations, violation{law.id, law.law + ": " + evidence})
		}
	}
	return violations, nil
}

// lines runs a query whose rows are evidence.
func lines(ctx context.Context, conn *pgx.Conn, sql string, args ...any) ([]string, error) {
	rows, err := conn.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
