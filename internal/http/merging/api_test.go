package merging

import (
	"context"
	"fmt"
	"testing"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/knowledge"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake writes down what was asked for.
type fake struct{ did string }

func (f *fake) MergeConcepts(_ context.Context, m knowledge.NewConceptMerge) (knowledge.ConceptMerge, error) {
	f.did = fmt.Sprintf("merge %s into %s by %s because %s", m.Merge, m.Keep, m.By, m.Reason)
	return knowledge.ConceptMerge{ID: 7, DryRun: m.DryRun}, nil
}

func (f *fake) UnmergeConcepts(_ context.Context, id int, block bool, by string) (knowledge.ConceptMerge, error) {
	f.did = fmt.Sprintf("undo %d by %s, block %t", id, by, block)
	return knowledge.ConceptMerge{ID: id}, nil
}

func (f *fake) ConceptMerges(_ context.Context, conceptID string, most int) ([]knowledge.ConceptMerge, error) {
	f.did = fmt.Sprintf("%d merges of %q", most, conceptID)
	return nil, nil
}

func (f *fake) ConceptMentions(_ context.Context, conceptID string, most int) ([]knowledge.ConceptMention, error) {
	f.did = fmt.Sprintf("%d mentions of %s", most, conceptID)
	return nil, nil
}

func (f *fake) BlockNames(_ context.Context, b knowledge.NameBlock) error {
	f.did = fmt.Sprintf("block %q and %q by %s", b.A, b.B, b.By)
	return nil
}

func (f *fake) UnblockNames(_ context.Context, b knowledge.NameBlock) error {
	f.did = fmt.Sprintf("unblock %q and %q", b.A, b.B)
	return nil
}

func (f *fake) BlockedNames(context.Context, int) ([]knowledge.NameBlock, error) {
	f.did = "blocks"
	return nil, nil
}

func (f *fake) SplitConcept(_ context.Context, p knowledge.NewConceptSplit) (knowledge.ConceptSplit, error) {
	f.did = fmt.Sprintf("split %q off %s, block %t", p.Labels, p.ConceptID, p.Block)
	return knowledge.ConceptSplit{DryRun: p.DryRun}, p.Validate()
}

func (f *fake) Namesakes(_ context.Context, apart bool, most int) ([]knowledge.Namesakes, error) {
	f.did = fmt.Sprintf("%d namesakes, apart %t", most, apart)
	return nil, nil
}

func (f *fake) KeepApart(_ context.Context, k knowledge.NewKeptApart) error {
	f.did = fmt.Sprintf("keep %s and %s apart by %s because %s", k.A, k.B, k.By, k.Reason)
	return nil
}

func (f *fake) OfferAgain(_ context.Context, a, b string) error {
	f.did = fmt.Sprintf("offer %s and %s again", a, b)
	return nil
}

func TestMerging(t *testing.T) {
	f := &fake{}
	accounts := apitest.NewAccounts()
	s := apitest.ServeWith(t, http.Config{Auth: accounts}, New(Config{Merger: f, Blocker: f, Splitter: f, Namesaker: f}))
	for _, c := range []struct {
		method, path, body string
		status             int
		did                string
	}{
		{"POST", "/concepts/merges", `{"keep":"a_1","merge":"b_2","reason":"one thing"}`, 201, "merge b_2 into a_1 by admin because one thing"},
		{"POST", "/concepts/merges", `{"keep":"a_1","merge":"b_2","dry_run":true}`, 200, "merge b_2 into a_1 by admin because "},
		{"POST", "/concepts/merges", `{"keep":"a_1","merge":"a_1"}`, 422, ""},
		{"POST", "/concepts/merges", `{"keep":"a_1","merge":"b_2","score":2}`, 422, ""},
		{"POST", "/concepts/merges", `{"keep":"a_1"}`, 422, ""},
		{"GET", "/concepts/merges?concept=a_1&limit=5", "", 200, `5 merges of "a_1"`},
		{"GET", "/concepts/merges?concept=no%20id", "", 422, ""},
		{"POST", "/concepts/merges/7/undo", `{"block":true}`, 200, "undo 7 by admin, block true"},
		{"POST", "/concepts/merges/7/undo", "", 200, "undo 7 by admin, block false"},
		{"POST", "/concepts/merges/0/undo", "", 422, ""},
		{"POST", "/concepts/a_1/split", `{"labels":["NLP"]}`, 201, `split ["NLP"] off a_1, block true`},
		{"POST", "/concepts/a_1/split", `{"labels":["NLP"],"no_block":true}`, 201, `split ["NLP"] off a_1, block false`},
		{"POST", "/concepts/a_1/split", `{"labels":["NLP"],"dry_run":true}`, 200, `split ["NLP"] off a_1, block true`},
		{"POST", "/concepts/a_1/split", `{"labels":[]}`, 422, `split [] off a_1, block true`},
		{"GET", "/concepts/a_1/mentions", "", 200, "100 mentions of a_1"},
		{"GET", "/concepts/blocks", "", 200, "blocks"},
		{"POST", "/concepts/blocks", `{"a":" NLP","b":"Natural  Language Processing"}`, 201, `block "nlp" and "natural language processing" by admin`},
		{"POST", "/concepts/blocks", `{"a":"NLP","b":"nlp"}`, 422, ""},
		{"DELETE", "/concepts/blocks?a=NLP&b=X", "", 204, `unblock "nlp" and "x"`},
		{"DELETE", "/concepts/blocks?a=NLP", "", 422, ""},
		{"GET", "/concepts/namesakes", "", 200, "100 namesakes, apart false"},
		{"GET", "/concepts/namesakes?apart=true&limit=5", "", 200, "5 namesakes, apart true"},
		{"GET", "/concepts/namesakes?limit=1001", "", 422, ""},
		{"POST", "/concepts/namesakes", `{"a":"gin_1","b":"gin_2","reason":"a drink"}`, 201, "keep gin_1 and gin_2 apart by admin because a drink"},
		{"POST", "/concepts/namesakes", `{"a":"gin_1","b":"gin_1"}`, 422, ""},
		{"POST", "/concepts/namesakes", `{"a":"gin_1"}`, 422, ""},
		{"DELETE", "/concepts/namesakes?a=gin_1&b=gin_2", "", 204, "offer gin_1 and gin_2 again"},
		{"DELETE", "/concepts/namesakes?a=gin_1", "", 422, ""},
	} {
		f.did = ""
		resp, body := apitest.Call(t, s, apitest.Request{Method: c.method, Path: c.path, Body: c.body})
		if resp.StatusCode != c.status || f.did != c.did {
			t.Errorf("%s %s %s: %d, did %q, want %d and %q: %s", c.method, c.path, c.body, resp.StatusCode, f.did, c.status, c.did, body)
		}
	}
	accounts.As(access.User{ID: 1002, Username: "reader"})
	accounts.InRole(access.RoleReadOnly)
	for path, body := range map[string]string{"/concepts/merges": `{"keep":"a_1","merge":"b_2"}`, "/concepts/merges/1/undo": "", "/concepts/a_1/split": `{"labels":["x"]}`, "/concepts/blocks": `{"a":"x","b":"y"}`, "/concepts/namesakes": `{"a":"gin_1","b":"gin_2"}`} {
		f.did = ""
		if resp, _ := apitest.Call(t, s, apitest.Request{Method: "POST", Path: path, Body: body}); resp.StatusCode != 403 || f.did != "" {
			t.Errorf("a reader gets %d from %s, which did %q", resp.StatusCode, path, f.did)
		}
	}
}
