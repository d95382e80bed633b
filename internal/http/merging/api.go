// Package merging is the part of the HTTP API by which concepts are made one, parted
// again, and kept apart. It takes the permission to edit concepts, and each change is in
// the audit log.
package merging

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge"
)

// merger keeps merges and blocks. Unknown concepts and merges are CodeNotFound, a merge
// that cannot be undone is CodeConflict, a frozen ontology is CodeForbidden.
type merger interface {
	MergeConcepts(ctx context.Context, m knowledge.NewConceptMerge) (knowledge.ConceptMerge, error)
	UnmergeConcepts(ctx context.Context, id int, block bool, by string) (knowledge.ConceptMerge, error)
	ConceptMerges(ctx context.Context, conceptID string, most int) ([]knowledge.ConceptMerge, error)
	ConceptMentions(ctx context.Context, conceptID string, most int) ([]knowledge.ConceptMention, error)
}

// blocker keeps names apart.
type blocker interface {
	BlockNames(ctx context.Context, b knowledge.NameBlock) error
	UnblockNames(ctx context.Context, b knowledge.NameBlock) error
	BlockedNames(ctx context.Context, most int) ([]knowledge.NameBlock, error)
}

// splitter parts concepts.
type splitter interface {
	SplitConcept(ctx context.Context, p knowledge.NewConceptSplit) (knowledge.ConceptSplit, error)
}

// Config is what an API needs. Every field is required.
type Config struct {
	Merger    merger
	Blocker   blocker
	Splitter  splitter
	Namesaker namesaker
}

// API merges and parts concepts.
type API struct{ cfg Config }

// New returns the resource.
func New(cfg Config) *API { return &API{cfg: cfg} }

type mergeInput struct {
	Body struct {
		_ struct{} `additionalProperties:"false"`
		knowledge.NewConceptMerge
	}
}

type undoInput struct {
	ID   int `path:"id" doc:"The number of a merge"`
	Body *mergeUndoSettings
}

type mergeUndoSettings struct {
	_     struct{} `additionalProperties:"false"`
	Block bool     `json:"block,omitempty" doc:"Matching never takes the two for one again"`
}

type listInput struct {
	Concept string `query:"concept" doc:"Only those that this concept took part in"`
	Limit   int    `query:"limit" default:"100" minimum:"1" maximum:"1000" doc:"1 to 1000"`
}

type mentionsInput struct {
	ID    string `path:"id" doc:"The id of a concept"`
	Limit int    `query:"limit" default:"100" minimum:"1" maximum:"1000" doc:"1 to 1000"`
}

type splitInput struct {
	ID   string `path:"id" doc:"The id of a concept"`
	Body struct {
		_       struct{} `additionalProperties:"false"`
		Labels  []string `json:"labels" doc:"What the new concept is called in the documents, 1 to 100; the first mention names it"`
		NoBlock bool     `json:"no_block,omitempty" doc:"Let matching take the two for one again"`
		Reason  string   `json:"reason,omitempty" doc:"Why, at most 500 characters"`
		DryRun  bool     `json:"dry_run,omitempty" doc:"Change nothing, and say what would be parted"`
	}
}

type blockInput struct {
	Body struct {
		_ struct{} `additionalProperties:"false"`
		knowledge.NameBlock
	}
}

type unblockInput struct {
	A string `query:"a" doc:"A name" required:"true"`
	B string `query:"b" doc:"The other one" required:"true"`
}

// mostBlocks is how many blocked pairs are listed.
const mostBlocks = 1000

// Register adds the routes.
func (a *API) Register(r *http.Router) error {
	http.RegisterChange(r, http.Route{Method: "POST", Path: "/concepts/merges", Submits: true, Permission: access.ConceptsWrite, ID: "graph.merge-concepts", Summary: "Make two concepts one", Status: 201}, a.merge)
	http.Register(r, http.Route{Method: "GET", Path: "/concepts/merges", Permission: access.ConceptsRead, ID: "graph.concept-merges", Summary: "List merges of concepts"}, a.merges)
	http.Register(r, http.Route{Method: "POST", Path: "/concepts/merges/{id}/undo", Submits: true, Permission: access.ConceptsWrite, ID: "graph.unmerge-concepts", Summary: "Undo a merge of concepts"}, a.undo)
	http.RegisterChange(r, http.Route{Method: "POST", Path: "/concepts/{id}/split", Submits: true, Permission: access.ConceptsWrite, ID: "graph.split-concept", Summary: "Make a concept of its own of what is said under some labels", Status: 201}, a.split)
	http.Register(r, http.Route{Method: "GET", Path: "/concepts/{id}/mentions", Permission: access.ConceptsRead, ID: "graph.concept-mentions", Summary: "List what documents call a concept, and how that was found"}, a.mentions)
	http.Register(r, http.Route{Method: "GET", Path: "/concepts/blocks", Permission: access.ConceptsRead, ID: "graph.concept-blocks", Summary: "List names that are never one concept"}, a.blocks)
	http.Register(r, http.Route{Method: "POST", Path: "/concepts/blocks", Submits: true, Permission: access.ConceptsWrite, ID: "graph.block-concepts", Summary: "Have two names never be one concept", Status: 201}, a.block)
	http.RegisterEmpty(r, http.Route{Method: "DELETE", Path: "/concepts/blocks", Permission: access.ConceptsWrite, ID: "graph.unblock-concepts", Summary: "Let two names be one concept again"}, a.unblock)
	a.registerNamesakes(r)
	return http.CheckConfig("http/merging", a.cfg)
}

func (a *API) merge(ctx context.Context, in *mergeInput) (knowledge.ConceptMerge, error) {
	m := in.Body.NewConceptMerge
	m.By = http.PrincipalOf(ctx).User.Username
	if err := m.Validate(); err != nil {
		return knowledge.ConceptMerge{}, err
	}
	return a.cfg.Merger.MergeConcepts(ctx, m)
}

func (a *API) undo(ctx context.Context, in *undoInput) (knowledge.ConceptMerge, error) {
	block := in.Body != nil && in.Body.Block
	if in.ID < 1 || in.ID > 1<<31-1 {
		return knowledge.ConceptMerge{}, kappa.Invalid(kappa.FieldError{In: "path", Name: "id", Rule: "must be the number of a merge, see GET /concepts/merges"})
	}
	return a.cfg.Merger.UnmergeConcepts(ctx, in.ID, block, http.PrincipalOf(ctx).User.Username)
}

// mostListed is how many merges or mentions an answer lists at most.
const mostListed = 1000

func (a *API) merges(ctx context.Context, in *listInput) (api.ConceptMerges, error) {
	if in.Concept != "" {
		if err := knowledge.CheckConceptID("query", "concept", in.Concept); err != nil {
			return api.ConceptMerges{}, err
		}
	}
	if err := check.Limit(in.Limit, mostListed); err != nil {
		return api.ConceptMerges{}, err
	}
	list, err := a.cfg.Merger.ConceptMerges(ctx, in.Concept, in.Limit)
	return api.ConceptMerges{Merges: list}, err
}

func (a *API) split(ctx context.Context, in *splitInput) (knowledge.ConceptSplit, error) {
	return a.cfg.Splitter.SplitConcept(ctx, knowledge.NewConceptSplit{
		ConceptID: in.ID, Labels: in.Body.Labels, Block: !in.Body.NoBlock, DryRun: in.Body.DryRun, Reason: in.Body.Reason, By: http.PrincipalOf(ctx).User.Username,
	})
}

func (a *API) mentions(ctx context.Context, in *mentionsInput) (api.ConceptMentions, error) {
	if err := knowledge.CheckConceptID("path", "id", in.ID); err != nil {
		return api.ConceptMentions{}, err
	}
	if err := check.Limit(in.Limit, mostListed); err != nil {
		return api.ConceptMentions{}, err
	}
	list, err := a.cfg.Merger.ConceptMentions(ctx, in.ID, in.Limit)
	return api.ConceptMentions{Mentions: list}, err
}

func (a *API) blocks(ctx context.Context, _ *struct{}) (api.NameBlocks, error) {
	list, err := a.cfg.Blocker.BlockedNames(ctx, mostBlocks)
	return api.NameBlocks{Blocks: list}, err
}

func (a *API) block(ctx context.Context, in *blockInput) (knowledge.NameBlock, error) {
	b := knowledge.NameBlock{A: in.Body.A, B: in.Body.B, Reason: in.Body.Reason, By: http.PrincipalOf(ctx).User.Username}
	if err := b.Validate(); err != nil {
		return knowledge.NameBlock{}, err
	}
	return b, a.cfg.Blocker.BlockNames(ctx, b)
}

func (a *API) unblock(ctx context.Context, in *unblockInput) error {
	b := knowledge.NameBlock{A: in.A, B: in.B}
	if err := b.Validate(); err != nil {
		return err
	}
	return a.cfg.Blocker.UnblockNames(ctx, b)
}
