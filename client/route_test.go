package client

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

// TestRoutes checks what each method sends, and that it reads the answer.
func TestRoutes(t *testing.T) {
	half, ontology, slots, epoch := 0.5, "demo", 4, int64(7)
	ontologyName := &ontology
	for _, tt := range []struct {
		name     string
		call     func(context.Context, *Client) (any, error)
		request  string // method, path, query
		body     string // "" = not looked at
		answer   string
		expected string // JSON of what the method returns
	}{
		{
			name: "relationships by filter",
			call: func(ctx context.Context, c *Client) (any, error) {
				list, err := c.Edges.List(ctx, questions.EdgeFilter{FromID: "a_1", ToID: "b_2", Type: "USES", Ontology: "a b", MinConfidence: 0.5, Limit: 5, Offset: 10})
				return []int{len(list.Edges), list.Total}, err
			},
			request: "GET /edges?from_concept_id=a_1&limit=5&min_confidence=0.5&offset=10&ontology=a+b&relationship_type=USES&to_concept_id=b_2",
			answer:  `{"edges":[{"relationship_type":"USES"}],"total":11,"offset":10,"limit":5}`, expected: "[1,11]",
		},
		{
			name: "the graph around a concept",
			call: func(ctx context.Context, c *Client) (any, error) {
				n, err := c.Graph.Neighborhood(ctx, questions.NeighborhoodQuery{ConceptID: "a_1", MaxHops: 1, MinEpoch: &epoch, RelationshipFilter: questions.RelationshipFilter{Types: []string{"USES"}}})
				return []int64{int64(len(n.Nodes)), n.Epoch}, err
			},
			request: "POST /query/neighborhood", body: `{"concept_id":"a_1","max_hops":1,"min_epoch":7,"relationship_types":["USES"]}`,
			answer: `{"nodes":[{"concept_id":"a_1"}],"edges":[],"epoch":8}`, expected: "[1,8]",
		},
		{
			name: "paths and what is around them",
			call: func(ctx context.Context, c *Client) (any, error) {
				p, err := c.Graph.EnrichedPath(ctx, questions.EnrichedPathQuery{FromID: "a_1", ToID: "b_2", PerNode: 3, MinEpoch: &epoch})
				return []int64{int64(len(p.Surroundings)), p.Epoch}, err
			},
			request: "POST /query/enriched-path", body: `{"from_id":"a_1","to_id":"b_2","per_node":3,"min_epoch":7}`,
			answer: `{"paths":[],"surroundings":[{"concept_id":"a_1"}],"epoch":8}`, expected: "[1,8]",
		},
		{
			name: "jobs by filter",
			call: func(ctx context.Context, c *Client) (any, error) {
				jobs, err := c.Jobs.List(ctx, work.JobFilter{Statuses: []work.Status{"running"}, Ontology: "a/b c", Type: "noop", User: "admin", Limit: 5, Offset: 10})
				return len(jobs), err
			},
			request: "GET /jobs?client_id=admin&job_type=noop&limit=5&offset=10&ontology=a%2Fb+c&status=running",
			answer:  `[{"job_id":"job_1"},{"job_id":"job_2"}]`, expected: "2",
		},
		{
			name: "one job",
			call: func(ctx context.Context, c *Client) (any, error) {
				j, err := c.Jobs.Get(ctx, "../x")
				return j.Status, err
			},
			request: "GET /jobs/..%2Fx", answer: `{"job_id":"x","status":"processing"}`, expected: `"processing"`,
		},
		{
			name:    "approve",
			call:    func(ctx context.Context, c *Client) (any, error) { return c.Jobs.Approve(ctx, "job_1") },
			request: "POST /jobs/job_1/approve", answer: `{"job_id":"job_1","status":"approved","message":"m"}`,
			expected: `{"job_id":"job_1","status":"approved","message":"m"}`,
		},
		{
			name: "cancel",
			call: func(ctx context.Context, c *Client) (any, error) {
				r, err := c.Jobs.Cancel(ctx, "job_1")
				return r.Message, err
			},
			request: "DELETE /jobs/job_1", answer: `{"job_id":"job_1","cancelled":true,"message":"m"}`, expected: `"m"`,
		},
		{
			name: "retry",
			call: func(ctx context.Context, c *Client) (any, error) {
				r, err := c.Jobs.Retry(ctx, "job_1")
				return r.JobID, err
			},
			request: "POST /jobs/job_1/retry", answer: `{"job_id":"job_2","status":"approved","message":"m"}`, expected: `"job_2"`,
		},
		{
			name: "submit a job with gaps again",
			call: func(ctx context.Context, c *Client) (any, error) {
				r, err := c.Jobs.RetryWith(ctx, work.Retry{JobID: "job_1", Gaps: true})
				return r.JobID, err
			},
			request: "POST /jobs/job_1/retry?gaps=true", answer: `{"job_id":"job_2","status":"approved","message":"m"}`, expected: `"job_2"`,
		},
		{
			name: "delete a job, only by force when it runs",
			call: func(ctx context.Context, c *Client) (any, error) {
				r, err := c.Jobs.Delete(ctx, "job_1", true)
				return r.Message, err
			},
			request: "DELETE /jobs/job_1?force=true&purge=true", answer: `{"job_id":"job_1","deleted":true,"message":"m"}`, expected: `"m"`,
		},
		{
			name: "delete a job",
			call: func(ctx context.Context, c *Client) (any, error) {
				r, err := c.Jobs.Delete(ctx, "a/b", false)
				return r.Message, err
			},
			request: "DELETE /jobs/a%2Fb?purge=true", answer: `{"message":"m"}`, expected: `"m"`,
		},
		{
			name: "delete many jobs",
			call: func(ctx context.Context, c *Client) (any, error) {
				r, err := c.Jobs.Prune(ctx, Prune{Status: "failed", System: true, OlderThan: "7d", Type: "noop"})
				return r.Deleted, err
			},
			request: "DELETE /jobs?confirm=true&job_type=noop&older_than=7d&status=failed&system=true",
			answer:  `{"success":true,"jobs_deleted":4}`, expected: "4",
		},
		{
			name: "preview of that: nothing is confirmed, and what is not given is left out",
			call: func(ctx context.Context, c *Client) (any, error) {
				r, err := c.Jobs.PreviewPrune(ctx, Prune{})
				return []any{r.ToDelete, r.Jobs[0].JobID}, err
			},
			request: "DELETE /jobs?dry_run=true", answer: `{"dry_run":true,"jobs_to_delete":4,"jobs":[{"job_id":"job_1"}]}`, expected: `[4,"job_1"]`,
		},
		{
			name: "cancel a running job",
			call: func(ctx context.Context, c *Client) (any, error) {
				r, err := c.Jobs.CancelRunning(ctx, "job_1")
				return r.Message, err
			},
			request: "POST /admin/workers/jobs/job_1/cancel", answer: `{"message":"m"}`, expected: `"m"`,
		},
		{
			name:    "priority",
			call:    func(ctx context.Context, c *Client) (any, error) { return c.Jobs.Reprioritize(ctx, "job_1", -5) },
			request: "PATCH /admin/workers/jobs/job_1/priority?priority=-5", answer: `{"job_id":"job_1","old_priority":10,"new_priority":-5}`,
			expected: `{"job_id":"job_1","old_priority":10,"new_priority":-5}`,
		},
		{
			name: "graph status",
			call: func(ctx context.Context, c *Client) (any, error) {
				s, err := c.GraphAdmin.Status(ctx)
				return s.State, err
			},
			request: "GET /admin/graph/status", answer: `{"state":"ready"}`, expected: `"ready"`,
		},
		{
			name: "scheduler status",
			call: func(ctx context.Context, c *Client) (any, error) {
				s, err := c.Schedules.Status(ctx)
				return s.Config.CleanupInterval, err
			},
			request: "GET /admin/scheduler/status", answer: `{"running":true,"config":{"cleanup_interval":60}}`, expected: "60",
		},
		{
			name: "cleanup",
			call: func(ctx context.Context, c *Client) (any, error) {
				r, err := c.Schedules.CleanUp(ctx)
				return r.Jobs, err
			},
			request: "POST /admin/scheduler/cleanup", answer: `{"success":true,"note":"n","jobs_deleted":8}`, expected: "8",
		},
		{
			name: "schedules",
			call: func(ctx context.Context, c *Client) (any, error) {
				l, err := c.Schedules.List(ctx)
				return l[0].Name, err
			},
			request: "GET /admin/schedules", answer: `{"schedules":[{"name":"n"}]}`, expected: `"n"`,
		},
		{
			name: "runs of a schedule",
			call: func(ctx context.Context, c *Client) (any, error) {
				l, err := c.Schedules.Runs(ctx, "a/b", 7)
				return l[0].SkipReason, err
			},
			request: "GET /admin/schedules/a%2Fb/runs?limit=7", answer: `{"runs":[{"skip_reason":"busy"}]}`, expected: `"busy"`,
		},
		{
			name: "add a schedule",
			call: func(ctx context.Context, c *Client) (any, error) {
				s, err := c.Schedules.Add(ctx, work.NewSchedule{Name: "n", JobType: "noop", Cron: "0 * * * *"})
				return s.TimeZone, err
			},
			request: "POST /admin/schedules", answer: `{"name":"n","time_zone":"UTC"}`, expected: `"UTC"`,
			body: `{"name":"n","job_type":"noop","cron":"0 * * * *","time_zone":"","enabled":null,"condition":"","data":null,"priority":0}`,
		},
		{
			name: "a schedule's settings: only what changes",
			call: func(ctx context.Context, c *Client) (any, error) {
				s, err := c.Schedules.Update(ctx, "n", work.ScheduleUpdate{TimeZone: ontologyName})
				return s.Name, err
			},
			request: "PATCH /admin/schedules/n", body: `{"time_zone":"demo"}`, answer: `{"name":"n"}`, expected: `"n"`,
		},
		{
			name:    "remove a schedule",
			call:    func(ctx context.Context, c *Client) (any, error) { return "gone", c.Schedules.Remove(ctx, "n") },
			request: "DELETE /admin/schedules/n", expected: `"gone"`,
		},
		{
			name: "run a schedule",
			call: func(ctx context.Context, c *Client) (any, error) {
				r, err := c.Schedules.Run(ctx, "n")
				return r.JobID, err
			},
			request: "POST /admin/schedules/n/run", answer: `{"job_id":"job_1"}`, expected: `"job_1"`,
		},
		{
			name: "search",
			call: func(ctx context.Context, c *Client) (any, error) {
				r, err := c.Graph.Search(ctx, questions.SearchQuery{Query: "lanes", Limit: 3, MinSimilarity: &half, Ontology: ontologyName, IncludeEvidence: true})
				return r.Count, err
			},
			request: "POST /query/search", body: `{"query":"lanes","limit":3,"min_similarity":0.5,"ontology":"demo","include_evidence":true}`,
			answer: `{"count":7}`, expected: "7",
		},
		{
			name: "concept",
			call: func(ctx context.Context, c *Client) (any, error) {
				d, err := c.Concepts.Get(ctx, "lane_1")
				return d.Label, err
			},
			request: "GET /query/concept/lane_1?include_grounding=true", answer: `{"label":"lane"}`, expected: `"lane"`,
		},
		{
			name: "related",
			call: func(ctx context.Context, c *Client) (any, error) {
				r, err := c.Graph.Related(ctx, questions.RelatedQuery{ConceptID: "lane_1", RelationshipFilter: questions.RelationshipFilter{Types: []string{"PART_OF"}}, MaxDepth: 2})
				return r.Count, err
			},
			request: "POST /query/related", body: `{"concept_id":"lane_1","max_depth":2,"relationship_types":["PART_OF"]}`, answer: `{"count":1}`, expected: "1",
		},
		{
			name: "connect",
			call: func(ctx context.Context, c *Client) (any, error) {
				r, err := c.Graph.Connect(ctx, questions.ConnectQuery{FromID: "a_1", ToID: "b_1", MaxHops: 4})
				return r.Paths[0].Forward, err
			},
			request: "POST /query/connect", body: `{"from_id":"a_1","to_id":"b_1","max_hops":4}`,
			answer: `{"paths":[{"forward":[true,false]}]}`, expected: "[true,false]",
		},
		{
			name: "concepts",
			call: func(ctx context.Context, c *Client) (any, error) {
				l, err := c.Concepts.List(ctx, questions.ConceptFilter{Ontology: "demo", LabelContains: "lane", CreationMethod: "llm_extraction", Limit: 8, Offset: 16})
				return l.Total, err
			},
			request: "GET /concepts?creation_method=llm_extraction&label_contains=lane&limit=8&offset=16&ontology=demo", answer: `{"concepts":[],"total":12}`, expected: "12",
		},
		{
			name: "polarity",
			call: func(ctx context.Context, c *Client) (any, error) {
				r, err := c.Graph.Polarity(ctx, questions.NewPolarityQuery("a_1", "b_1"))
				return r.Axis.Quality, err
			},
			request: "POST /query/polarity-axis", answer: `{"axis":{"axis_quality":"strong"}}`, expected: `"strong"`,
			body: `{"positive_pole_id":"a_1","negative_pole_id":"b_1","auto_discover":true,"max_candidates":20,"max_hops":2,"discovery_slot_pct":0.2,"use_parallel":true,"max_workers":8,"chunk_size":20,"timeout_seconds":120}`,
		},
		{
			name: "polarity in a job",
			call: func(ctx context.Context, c *Client) (any, error) {
				r, err := c.Graph.SubmitPolarity(ctx, questions.NewPolarityJob())
				return r.JobID, err
			},
			request: "POST /query/polarity-axis/jobs", answer: `{"job_id":"job_1"}`, expected: `"job_1"`,
		},
		{
			name: "artifacts",
			call: func(ctx context.Context, c *Client) (any, error) {
				l, err := c.Artifacts.List(ctx, artifacts.Filter{Type: new("report"), Representation: new("cli"), Ontology: new("a b"), OwnerID: new(3), Limit: 5, Offset: 10})
				return l.Total, err
			},
			request: "GET /artifacts?artifact_type=report&limit=5&offset=10&ontology=a+b&owner_id=3&representation=cli", answer: `{"artifacts":[],"total":9}`, expected: "9",
		},
		{
			name: "an artifact",
			call: func(ctx context.Context, c *Client) (any, error) {
				a, err := c.Artifacts.Get(ctx, 7)
				return a.Type, err
			},
			request: "GET /artifacts/7", answer: `{"id":7,"artifact_type":"report"}`, expected: `"report"`,
		},
		{
			name: "an artifact with its payload",
			call: func(ctx context.Context, c *Client) (any, error) {
				a, err := c.Artifacts.Payload(ctx, 7)
				return []any{a.ID, a.Payload}, err
			},
			request: "GET /artifacts/7/payload", answer: `{"id":7,"payload":{"a":1}}`, expected: `[7,{"a":1}]`,
		},
		{
			name:    "delete an artifact",
			call:    func(ctx context.Context, c *Client) (any, error) { return "gone", c.Artifacts.Delete(ctx, 7) },
			request: "DELETE /artifacts/7", expected: `"gone"`,
		},
		{
			name: "regenerate an artifact",
			call: func(ctx context.Context, c *Client) (any, error) {
				r, err := c.Artifacts.Regenerate(ctx, 7)
				return r.JobID, err
			},
			request: "POST /artifacts/7/regenerate", answer: `{"job_id":"job_1"}`, expected: `"job_1"`,
		},
		{
			name: "ontologies",
			call: func(ctx context.Context, c *Client) (any, error) {
				o, err := c.Ontologies.List(ctx)
				return o[0].Name, err
			},
			request: "GET /ontology/", answer: `{"count":1,"ontologies":[{"ontology":"demo"}]}`, expected: `"demo"`,
		},
		{
			name: "graph stats",
			call: func(ctx context.Context, c *Client) (any, error) {
				s, err := c.Graph.Stats(ctx)
				return s.Nodes.Concepts, err
			},
			request: "GET /database/stats", answer: `{"nodes":{"concepts":9}}`, expected: "9",
		},
		{
			name: "a concept with its diversity",
			call: func(ctx context.Context, c *Client) (any, error) {
				d, err := c.Concepts.Measured(ctx, "lane_1", questions.Measures{NoGrounding: true, Diversity: true, DiversityHops: new(3)})
				return d.Diversity, err
			},
			request: "GET /query/concept/lane_1?diversity_max_hops=3&include_diversity=true&include_grounding=false", answer: `{"diversity_score":0.5}`, expected: "0.5",
		},
		{
			name: "related over types of a status",
			call: func(ctx context.Context, c *Client) (any, error) {
				r, err := c.Graph.Related(ctx, questions.RelatedQuery{ConceptID: "lane_1", EpistemicFilter: questions.EpistemicFilter{Include: []string{"MIXED_GROUNDING"}, Exclude: []string{"HISTORICAL"}}})
				return r.Count, err
			},
			request: "POST /query/related", body: `{"concept_id":"lane_1","include_epistemic_status":["MIXED_GROUNDING"],"exclude_epistemic_status":["HISTORICAL"]}`, answer: `{"count":1}`, expected: "1",
		},
		{
			name: "centrality of an ontology",
			call: func(ctx context.Context, c *Client) (any, error) {
				r, err := c.Graph.Centrality(ctx, questions.CentralityQuery{Ontology: "demo", Limit: 3})
				return []any{r.Concepts, r.Results[0].Rank}, err
			},
			request: "POST /graph/centrality", body: `{"ontology":"demo","limit":3}`, answer: `{"concepts":9,"results":[{"page_rank":0.25}]}`, expected: "[9,0.25]",
		},
		{
			name: "communities, all left to the server",
			call: func(ctx context.Context, c *Client) (any, error) {
				r, err := c.Graph.Communities(ctx, questions.CommunitiesQuery{})
				return r.Modularity, err
			},
			request: "POST /graph/communities", body: `{}`, answer: `{"modularity":0.4}`, expected: "0.4",
		},
		{
			name: "what an ontology is about",
			call: func(ctx context.Context, c *Client) (any, error) {
				r, err := c.Ontologies.About(ctx, "a/b c")
				return r.Communities[0].Name, err
			},
			request: "GET /ontology/a%2Fb%20c/about", answer: `{"communities":[{"name":"ice, rock"}]}`, expected: `"ice, rock"`,
		},
		{
			name: "size of the vocabulary",
			call: func(ctx context.Context, c *Client) (any, error) {
				s, err := c.Vocabulary.Status(ctx)
				return s.Zone, err
			},
			request: "GET /vocabulary/status", answer: `{"zone":"watch"}`, expected: `"watch"`,
		},
		{
			name: "relationship types",
			call: func(ctx context.Context, c *Client) (any, error) {
				l, err := c.Vocabulary.Types(ctx, false)
				return l[0].Name, err
			},
			request: "GET /vocabulary/types?include_builtin=false", answer: `{"types":[{"relationship_type":"HELD_BY"}]}`, expected: `"HELD_BY"`,
		},
		{
			name: "epistemic statuses",
			call: func(ctx context.Context, c *Client) (any, error) {
				l, err := c.Vocabulary.EpistemicStatuses(ctx, "HISTORICAL")
				return []any{l.Types[0].Status, l.Changes}, err
			},
			request: "GET /vocabulary/epistemic-status?status_filter=HISTORICAL",
			answer:  `{"types":[{"epistemic_status":"HISTORICAL"}],"vocabulary_changes_since_measurement":2}`, expected: `["HISTORICAL",2]`,
		},
		{
			name: "the epistemic status of a type",
			call: func(ctx context.Context, c *Client) (any, error) {
				s, err := c.Vocabulary.EpistemicStatus(ctx, "part_of")
				return s.Status, err
			},
			request: "GET /vocabulary/epistemic-status/PART_OF", answer: `{"epistemic_status":"CONTRADICTED"}`, expected: `"CONTRADICTED"`,
		},
		{
			name: "measure the vocabulary",
			call: func(ctx context.Context, c *Client) (any, error) {
				m, err := c.Vocabulary.Measure(ctx, Measurement{SampleSize: 7, Verbose: true})
				return m.TotalTypes, err
			},
			request: "POST /vocabulary/epistemic-status/measure", body: `{"sample_size":7,"store":false,"verbose":true}`, answer: `{"total_types":4}`, expected: "4",
		},
		{
			name:    "health",
			call:    func(ctx context.Context, c *Client) (any, error) { h, err := c.Health(ctx); return h.Status, err },
			request: "GET /health", answer: `{"status":"degraded"}`, expected: `"degraded"`,
		},
		{
			name: "worker status",
			call: func(ctx context.Context, c *Client) (any, error) {
				s, err := c.Workers.Status(ctx)
				return s.SlotsInUse, err
			},
			request: "GET /admin/workers/status", answer: `{"slots_in_use":2}`, expected: "2",
		},
		{
			name: "lanes",
			call: func(ctx context.Context, c *Client) (any, error) {
				l, err := c.Workers.Lanes(ctx)
				return l[0].SlotsAvailable, err
			},
			request: "GET /admin/workers/lanes", answer: `{"lanes":[{"name":"interactive","slots_available":1}]}`, expected: "1",
		},
		{
			name: "a lane's settings: only what changes",
			call: func(ctx context.Context, c *Client) (any, error) {
				return c.Workers.UpdateLane(ctx, "my lane", work.LaneUpdate{MaxSlots: &slots})
			},
			request: "PATCH /admin/workers/lanes/my%20lane", body: `{"max_slots":4}`,
			answer:   `{"lane":{"name":"my lane"},"changed":{"max_slots":{"old":2,"new":4}}}`,
			expected: `{"lane":{"name":"my lane","job_types":null,"max_slots":0,"poll_interval_ms":0,"stale_timeout_minutes":0,"enabled":false,"updated_at":"0001-01-01T00:00:00.000Z"},"changed":{"max_slots":{"old":2,"new":4}}}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newFakeServer(t)
			s.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
				if got := r.Method + " " + r.URL.RequestURI(); got != tt.request {
					t.Errorf("sent %s, want %s", got, tt.request)
				}
				if body, _ := io.ReadAll(r.Body); tt.body != "" && string(body) != tt.body {
					t.Errorf("sent %s, want %s", body, tt.body)
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, tt.answer)
			})
			got, err := tt.call(t.Context(), s.client(t))
			if err != nil {
				t.Fatal(err)
			}
			if b, _ := json.Marshal(got); string(b) != tt.expected {
				t.Errorf("got %s, want %s", b, tt.expected)
			}
		})
	}
}

func TestInfoTellsTheServersClock(t *testing.T) {
	s := newFakeServer(t)
	s.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", "Sat, 31 Jan 2026 08:00:00 GMT")
		writeJSON(w, map[string]any{"service": "Kappa", "version": "v1.2.3", "epoch": 7})
	})
	got, err := s.client(t).Info(t.Context())
	if err != nil || got.Version != "v1.2.3" || got.Epoch != 7 || !got.Clock.Equal(time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC)) {
		t.Errorf("got %+v, %v", got, err)
	}
}
