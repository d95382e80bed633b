package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// maxEvidence is how many violations of one invariant are listed.
const maxEvidence = 20

// violation is an invariant that does not hold, and what shows it.
type violation struct{ Invariant, Evidence string }

// invariant is a law that every campaign ends in. over names the set that it
// holds for; see extents. find returns what breaks it.
type invariant struct {
	id, law, over string
	find          func(ctx context.Context, conn *pgx.Conn, o *outcome) ([]string, error)
}

// outcome is what a campaign leaves behind beside its database.
type outcome struct {
	config     config
	submitted  submissions
	sampled    samples
	steps      []witnessedStep
	followed   []followed
	visited    []visited
	faults     []injected
	exits      percentiles
	faultsOver time.Time
	logs       logCounts
	leftovers  []string
	usage      *usage // of a soak
}

// invariants returns the laws, in the order of their ids. Those that the sampler
// checks are not among them; see sampledLaws.
func invariants() []invariant {
	return []invariant{
		{"I01", "no job is lost: each accepted job exists and has ended", overJobs, i01NoLostJob},
		{"I01", "no job fails but by quarantine", overJobs, i01NoOtherFailure},
		{"I02", "no job is invented: each was submitted, once", overJobs, i02NoInventedJob},
		{"I03", "every step of a job's status is legal", overChanges, i03LegalSteps},
		{"I03", "the history of a job has no hole", overChanges, i03Continuous},
		{"I04", "each claim ends exactly once", overClaims, i04ClaimsEndOnce},
		{"I05", "the claim tokens of a job increase", overClaims, i05TokensIncrease},
		{"I05", "no pair of token and worker occurs twice", overClaims, i05PairsAreUnique},
		{"I06", "no effect is recorded under a claim that is not current", overEffects, i06NoStaleEffect},
		{"I06", "a claim is ended by the server that made it, unless it is rescued", overClaims, i06EndedByItsServer},
		{"I07", "a completed job has each of its effects once", overEffects, i07EffectsEqualSteps},
		{"I07", "an effect was witnessed, and not more often than the job was claimed", overEffects, i07Witnessed},
		{"I08", "effects are recorded under the job's claims, in their order", overEffects, i08EffectsOfClaims},
		{"I09", "attempts are counted at the claim, and handed back only by a release or beside a suspect", overClaims, i09Attempts},
		{"I09", "of a lost worker's jobs all are counted, or the suspects alone", overClaims, i09Blame},
		{"I09", "no two suspects run at once", overClaims, i09SuspectsAlone},
		{"I09", "crashes and retries stay within their limits", overJobs, i09Limits},
		{"I10", "every repetition has a fault that explains it", overClaims, i10Explained},
		{"I11", "what was cancelled is never completed", overCancels, i11CancelHolds},
		{"I13", "a claim takes jobs by priority, those of an owner by age, and leaves none behind that it could see and lock", overClaims, i13ClaimOrder},
		{"I16", "no handler works on after the end of its lease, but for the moment in which a stopped process wakes up", overSteps, i16NoHandlerPastItsFence},
		{"I17", "two handlers of one job overlap only while the earlier one wakes up without a lease; it records nothing", overSteps, i17FencedBeforeTheNext},
		{"I18", "the terms of leaders increase", overTerms, i18TermsIncrease},
		{"I19", "each due instant of a schedule is answered", overInstants, i19EachInstantAnswered},
		{"I19", "an instant has one answer, an answer one job", overInstants, i19AnsweredOnce},
		{"I19", "a skip has its reason", overInstants, i19SkipsHaveTheirReason},
		{"I20", "events are numbered 1, 2, 3 without a hole, in the order of time", overEvents, i20Events},
		{"I21", "the events end in the state of the job", overEvents, i21Replay},
		{"I21", "the events show each change of a status, and who claimed the job", overChanges, i21Changes},
		{"I21", "exactly one terminal event ends a job", overJobs, i21OneEnd},
		{"I22", "the ids of a stream increase", overStreams, i22IDsIncrease},
		{"I22", "over its streams a client misses no state event", overFollowed, i22NothingMissing},
		{"I22", "what a stream shows is stored", overStreams, i22ShownExisted},
		{"I22", "a client sees the end of a job once, and is then asked to stay away", overFollowed, i22OneEnd},
		{"I24", "a principal is shown nothing that it may not read", overShown, i24OnlyWhatItMayRead},
		{"I24", "nothing that a right covers arrives later than 5 s after its end, and no later request is answered", overRights, i24NothingAfterIt},
		{"I24", "the streams of a right end with it, and say so", overRights, i24StreamsEnd},
		{"I27", "no secret is in a server's log", overServers, i27NoSecrets},
		{"I28", "nothing is left over", overServers, i28Leftovers},
		{"I29", "no handler panicked", overServers, i29Panics},
		{"I30", "the campaign did its work: each kind of fault took place and was felt", overFaults, i30DidWork},
		{"I31", "every rule of the graph holds, as kg doctor --deep checks them", overRules, i31GraphIsSound},
	}
}

// verify checks every invariant.
func verify(ctx context.Context, dsn string, o *outcome) ([]violation, error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, fmt.Errorf("check the invariants: %w", err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, historyIndexes); err != nil {
		return nil, fmt.Errorf("make the indexes of the history: %w", err)
	}
	violations := o.sampled.Violations
	if o.usage != nil {
		violations = append(violations, judgeSoak(o)...)
	}
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
