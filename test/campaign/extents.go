package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/knowledge"
)

// What the invariants hold for.
const (
	overJobs     = "jobs"
	overChanges  = "changes of a status"
	overClaims   = "claims"
	overEffects  = "effects"
	overCancels  = "acknowledged cancels"
	overSteps    = "witnessed steps"
	overTerms    = "terms"
	overInstants = "due instants"
	overEvents   = "events"
	overStreams  = "streams"
	overFollowed = "clients of a job"
	overShown    = "events and answers"
	overRights   = "ended rights"
	overServers  = "servers"
	overFaults   = "faults"
	overSamples  = "samples"
	overRules    = "rules of the graph"
)

// sampledLaws are what the sampler checks while a campaign runs.
func sampledLaws() []invariant {
	return []invariant{
		{id: "I12", law: "no job is held by a dead worker for long", over: overSamples},
		{id: "I14", law: "a lane runs no more jobs than it has slots", over: overSamples},
		{id: "I15", law: "a disabled lane starts nothing", over: overSamples},
	}
}

// extents counts what the invariants were held against.
func extents(ctx context.Context, conn *pgx.Conn, o *outcome) (map[string]int, error) {
	n := map[string]int{
		overCancels: len(o.submitted.Cancelled), overSteps: len(o.steps), overFollowed: len(o.followed),
		overServers: o.config.Servers, overFaults: len(o.faults), overSamples: o.sampled.Taken, overRules: len(knowledge.GraphChecks()),
	}
	for _, f := range o.followed {
		for _, c := range f.connections {
			if len(c.frames) > 0 {
				n[overStreams]++
			}
		}
	}
	n[overShown], _ = countShown(o.visited)
	for _, ended := range countRights(o.visited) {
		n[overRights] += ended
	}
	for over, sql := range map[string]string{
		overJobs:     "SELECT count(*) FROM kg_api.jobs",
		overChanges:  "SELECT count(*) FROM campaign.history",
		overClaims:   `SELECT count(*) FROM campaign.history h WHERE h."is" = 'processing'`,
		overEffects:  "SELECT count(*) FROM kg_api.job_effects",
		overTerms:    "SELECT count(*) FROM campaign.terms",
		overInstants: "SELECT count(*) FROM kg_api.schedule_runs",
		overEvents:   "SELECT count(*) FROM kg_api.job_history",
	} {
		var count int
		if err := conn.QueryRow(ctx, sql).Scan(&count); err != nil {
			return nil, fmt.Errorf("count the %s: %w", over, err)
		}
		n[over] = count
	}
	return n, nil
}
