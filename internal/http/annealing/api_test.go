package annealing

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/work"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake has the ontologies a/b, which was scored, and new, which was not, and proposal 3. It
// keeps what was done.
type fake struct{ did []string }

func (f *fake) do(format string, args ...any) { f.did = append(f.did, fmt.Sprintf(format, args...)) }

func (f *fake) known(name string) error {
	if name != "" && name != "a/b" && name != "new" {
		return kappa.NewError(kappa.CodeNotFound, "Ontology '"+name+"' not found")
	}
	return nil
}

func (f *fake) OntologyNode(_ context.Context, name string) (ontologies.Node, error) {
	return ontologies.Node{ID: map[string]string{"a/b": "7", "new": "8"}[name], Name: name}, f.known(name)
}

func (f *fake) Score(_ context.Context, name string, each func(done, of int) error) ([]curation.Scores, error) {
	if err := f.known(name); err != nil {
		return nil, err
	}
	f.do("score %s", name)
	return []curation.Scores{{Measures: curation.Measures{Name: "a/b"}, Mass: 0.5}}, each(1, 1)
}

func (f *fake) Scores(_ context.Context, name string) ([]curation.Scores, error) {
	if name == "new" || f.known(name) != nil {
		return nil, f.known(name)
	}
	return []curation.Scores{{Measures: curation.Measures{Name: "a/b"}, Mass: 0.25}}, nil
}

func (f *fake) Candidates(_ context.Context, name string, most int) ([]curation.ConceptDegree, error) {
	return []curation.ConceptDegree{{ConceptID: "c_1", Degree: most}}, f.known(name)
}

func (f *fake) Affinity(_ context.Context, name string, most int) ([]curation.Affinity, error) {
	return []curation.Affinity{{OtherName: "c", Shared: most}}, f.known(name)
}

func (f *fake) Edges(_ context.Context, name string) ([]curation.Edge, error) {
	return nil, f.known(name)
}

func (f *fake) Proposals(_ context.Context, p curation.ProposalFilter) ([]curation.Proposal, error) {
	f.do("list %s %s %s %d", p.Status, p.Kind, p.Ontology, p.Limit)
	return nil, nil
}

func (f *fake) Proposal(_ context.Context, id int) (curation.Proposal, error) {
	if id != 3 {
		return curation.Proposal{}, kappa.NewError(kappa.CodeNotFound, "Proposal not found: "+fmt.Sprint(id))
	}
	return curation.Proposal{ID: 3, Kind: curation.ProposalMerge, Status: curation.ProposalPending, Result: json.RawMessage("null")}, nil
}

func (f *fake) UndoProposal(ctx context.Context, id int, by string) (curation.Proposal, error) {
	f.do("undo %d by %s", id, by)
	return f.Proposal(ctx, id)
}

func (f *fake) Review(ctx context.Context, v curation.ProposalReview, _ int) (curation.Proposal, error) {
	if err := v.Validate(); err != nil {
		return curation.Proposal{}, err
	}
	f.do("%s %d by %s: %s", v.Status, v.ID, v.By, v.Notes)
	return f.Proposal(ctx, v.ID)
}

func (f *fake) Reassign(_ context.Context, r curation.Reassignment) (curation.ProposalStep, int, error) {
	if err := f.known(r.From); err != nil {
		return curation.ProposalStep{}, 0, err
	}
	f.do("move %q of %s to %s by %s, dry %v", r.SourceIDs, r.From, r.To, r.By, r.DryRun)
	return curation.ProposalStep{From: r.From, To: r.To, Moved: 2, Removed: r.SourceIDs == nil}, 7, nil
}

func (f *fake) Epoch(context.Context) (int64, error) { return 42, nil }

func (f *fake) Await(_ context.Context, id string) (work.Job, error) {
	result := `{"status":"completed","proposals_generated":1,"demotion_candidates":1,"candidates":{"demotions":[{"ontology":"a/b","protection":0.1,"target_ontology":null}],"promotions":[],"merges":[]},"proposals":[]}`
	return work.Job{ID: id, Status: work.StatusCompleted, Result: json.RawMessage(result)}, nil
}

func (f *fake) SubmitJob(_ context.Context, j work.NewJob) (work.Job, error) {
	f.do("job %s %s", j.Type, j.Data)
	return work.Job{ID: "job_1"}, nil
}

func TestAnnealing(t *testing.T) {
	const reader, contributor, curator = access.RoleReadOnly, access.RoleContributor, access.RoleCurator
	for name, c := range map[string]struct {
		role, method, path, body string
		status                   int
		contains, did            string
	}{
		"all scores":                  {reader, "GET", "/ontology/scores", "", 200, `{"count":1,"global_epoch":42,"scores":[{"ontology":"a/b"`, ""},
		"scores":                      {reader, "GET", "/ontology/a%2Fb/scores", "", 200, `"mass_score":0.25`, ""},
		"scores that are not there":   {reader, "GET", "/ontology/new/scores", "", 404, "was not scored yet", ""},
		"scores of none":              {reader, "GET", "/ontology/none/scores", "", 404, "Ontology 'none' not found", ""},
		"scored":                      {curator, "POST", "/ontology/a%2Fb/scores", "", 200, `"mass_score":0.5`, "score a/b"},
		"all scored":                  {curator, "POST", "/ontology/scores", "", 200, `"count":1,"global_epoch":42`, "score "},
		"scored without the right":    {contributor, "POST", "/ontology/scores", "", 403, "", ""},
		"an unknown one scored":       {curator, "POST", "/ontology/none/scores", "", 404, "", ""},
		"candidates":                  {reader, "GET", "/ontology/a%2Fb/candidates", "", 200, `"degree":20`, ""},
		"too many candidates":         {reader, "GET", "/ontology/a%2Fb/candidates?limit=101", "", 422, "limit: must be at most 100, got 101", ""},
		"affinity":                    {reader, "GET", "/ontology/a%2Fb/affinity?limit=4", "", 200, `"shared_concept_count":4`, ""},
		"no affinity":                 {reader, "GET", "/ontology/a%2Fb/affinity?limit=0", "", 422, "limit", ""},
		"edges":                       {reader, "GET", "/ontology/a%2Fb/edges", "", 200, `{"ontology":"a/b","count":0,"edges":[]}`, ""},
		"edges of none":               {reader, "GET", "/ontology/none/edges", "", 404, "", ""},
		"proposals":                   {reader, "GET", "/ontology/proposals?status=pending&proposal_type=merge&ontology=a%2Fb", "", 200, `{"proposals":[],"count":0}`, "list pending merge a/b 50"},
		"proposals of no state":       {reader, "GET", "/ontology/proposals?status=open", "", 422, "status: must be one of pending", ""},
		"proposals of no kind":        {reader, "GET", "/ontology/proposals?proposal_type=x", "", 422, "proposal_type", ""},
		"proposals, none":             {reader, "GET", "/ontology/proposals?limit=0", "", 422, "limit", ""},
		"a proposal":                  {reader, "GET", "/ontology/proposals/3", "", 200, `"execution_result":null`, ""},
		"no such proposal":            {reader, "GET", "/ontology/proposals/4", "", 404, "Proposal not found: 4", ""},
		"a proposal without number":   {reader, "GET", "/ontology/proposals/x", "", 422, "id", ""},
		"accepted":                    {curator, "POST", "/ontology/proposals/3/review", `{"status":"approved","notes":"n"}`, 200, `"id":3`, "approved 3 by "},
		"rejected":                    {curator, "POST", "/ontology/proposals/3/review", `{"status":"rejected"}`, 200, "", "rejected 3 by "},
		"decided in another way":      {curator, "POST", "/ontology/proposals/3/review", `{"status":"executed"}`, 422, "status: must be one of approved, rejected", ""},
		"accepted without the right":  {contributor, "POST", "/ontology/proposals/3/review", `{"status":"approved"}`, 403, "", ""},
		"undone":                      {curator, "POST", "/ontology/proposals/3/undo", "", 200, "", "undo 3 by "},
		"undone without the right":    {reader, "POST", "/ontology/proposals/3/undo", "", 403, "", ""},
		"chunks moved":                {curator, "POST", "/ontology/a%2Fb/reassign", `{"target_ontology":"c","source_ids":["s"]}`, 200, `"sources_reassigned":2,"success":true,"error":null,"proposal_id":7`, `move ["s"] of a/b to c by `},
		"no chunks moved":             {curator, "POST", "/ontology/a%2Fb/reassign", `{"target_ontology":"c","source_ids":[]}`, 422, "source_ids", ""},
		"chunks moved nowhere":        {curator, "POST", "/ontology/a%2Fb/reassign", `{"target_ontology":"a/b","source_ids":["s"]}`, 422, "target_ontology: must be another ontology", ""},
		"dissolved":                   {curator, "POST", "/ontology/a%2Fb/dissolve", `{"target_ontology":"c"}`, 200, `"ontology_node_deleted":true,"reassignment_targets":["c"]`, `move [] of a/b to c by `},
		"dissolved, dry":              {curator, "POST", "/ontology/a%2Fb/dissolve", `{"target_ontology":"c","dry_run":true}`, 200, `"ontology_node_deleted":false`, `move [] of a/b to c by `},
		"dissolved without the right": {contributor, "POST", "/ontology/a%2Fb/dissolve", `{"target_ontology":"c"}`, 403, "", ""},
		"an unknown one dissolved":    {curator, "POST", "/ontology/none/dissolve", `{"target_ontology":"c"}`, 404, "", ""},
		"annealed, without waiting":   {curator, "POST", "/ontology/annealing-cycle", `{"dry_run":true,"wait":false}`, 200, `"job_id":"job_1","message":`, `job ontology_annealing {"demotion_threshold":0.15,"merge_threshold":0.6,"promotion_min_degree":10,"promotion_centrality":0.1,"max_proposals":5,"dry_run":true,"automatic":false}`},
		"annealed":                    {curator, "POST", "/ontology/annealing-cycle", `{"max_proposals":2}`, 200, `"proposals_generated":1,"demotion_candidates":1`, `job ontology_annealing {"demotion_threshold":0.15,"merge_threshold":0.6,"promotion_min_degree":10,"promotion_centrality":0.1,"max_proposals":2,`},
		"annealed as the query says":  {curator, "POST", "/ontology/annealing-cycle?dry_run=true&demotion_threshold=0.3&promotion_min_degree=4&max_proposals=7", "", 200, `"candidates":{"demotions":[{"ontology":"a/b","protection":0.1,"target_ontology":null}]`, `job ontology_annealing {"demotion_threshold":0.3,"merge_threshold":0.6,"promotion_min_degree":4,"promotion_centrality":0,"max_proposals":7,"dry_run":true,"automatic":false}`},
		"the query before the body":   {curator, "POST", "/ontology/annealing-cycle?max_proposals=7", `{"max_proposals":2,"promotion_centrality":0.3}`, 200, ``, `job ontology_annealing {"demotion_threshold":0.15,"merge_threshold":0.6,"promotion_min_degree":10,"promotion_centrality":0.3,"max_proposals":7,`},
		"a query that is no number":   {curator, "POST", "/ontology/annealing-cycle?max_proposals=many", "", 422, "max_proposals: must be a whole number", ""},
		"a query out of range":        {curator, "POST", "/ontology/annealing-cycle?demotion_threshold=2", "", 422, "demotion_threshold: must be between 0 and 1", ""},
		"annealed with a bad figure":  {curator, "POST", "/ontology/annealing-cycle", `{"merge_threshold":0}`, 422, "merge_threshold", ""},
		"annealed without the right":  {reader, "POST", "/ontology/annealing-cycle", `{}`, 403, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{}
			accounts := apitest.NewAccounts()
			accounts.InRole(c.role)
			s := apitest.ServeWith(t, http.Config{Auth: accounts}, New(Config{Scorer: f, Proposals: f, Reviewer: f, Mover: f, Jobs: f, Ends: f, Nodes: f}))
			r := apitest.Request{Method: c.method, Path: c.path, Body: c.body}
			if c.body != "" {
				r.ContentType = "application/json"
			}
			resp, body := apitest.Call(t, s, r)
			if resp.StatusCode != c.status || !strings.Contains(body, c.contains) || !strings.HasPrefix(strings.Join(f.did, ", "), c.did) || c.did == "" && len(f.did) > 0 {
				t.Errorf("%d %s, did %q", resp.StatusCode, body, f.did)
			}
		})
	}
}

// TestGrantedOntologies has the permissions for ontology 7, a/b, alone.
func TestGrantedOntologies(t *testing.T) {
	f := &fake{}
	accounts := apitest.NewAccounts()
	one := access.RowSet{IDs: []string{"7"}}
	accounts.GrantRows(map[access.Permission]access.Reach{}, map[access.Permission]access.RowSet{access.OntologiesRead: one, access.OntologiesWrite: one})
	s := apitest.ServeWith(t, http.Config{Auth: accounts}, New(Config{Scorer: f, Proposals: f, Reviewer: f, Mover: f, Jobs: f, Ends: f, Nodes: f}))
	for request, status := range map[string]int{
		"GET /ontology/a%2Fb/scores": 200, "POST /ontology/a%2Fb/scores": 200, "GET /ontology/a%2Fb/candidates": 200,
		"GET /ontology/new/scores": 404, "POST /ontology/new/scores": 404, "GET /ontology/new/candidates": 404, "GET /ontology/none/scores": 404,
		"GET /ontology/scores": 403, "POST /ontology/scores": 403, "GET /ontology/a%2Fb/edges": 403, "GET /ontology/a%2Fb/affinity": 403,
	} {
		method, path, _ := strings.Cut(request, " ")
		resp, body := apitest.Call(t, s, apitest.Request{Method: method, Path: path})
		if resp.StatusCode != status {
			t.Errorf("%s: %d %s, want %d", request, resp.StatusCode, body, status)
		}
	}
	if got := strings.Join(f.did, ", "); got != "score a/b" {
		t.Errorf("did %q", got)
	}
}
