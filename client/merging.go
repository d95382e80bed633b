package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/knowledge"
)

// MergeConcepts makes two concepts one, or with m.DryRun says what that would do. Unknown ids are an Error with kappa.CodeNotFound.
func (c *Client) MergeConcepts(ctx context.Context, m knowledge.NewConceptMerge) (knowledge.ConceptMerge, error) {
	return fetchJSONOnce[knowledge.ConceptMerge](ctx, c, http.MethodPost, "/concepts/merges", m)
}

// UnmergeConcepts undoes a merge; with block, matching never takes the two for one again.
// What cannot be undone is an Error with kappa.CodeConflict.
func (c *Client) UnmergeConcepts(ctx context.Context, id int, block bool) (knowledge.ConceptMerge, error) {
	return fetchJSONOnce[knowledge.ConceptMerge](ctx, c, http.MethodPost, "/concepts/merges/"+strconv.Itoa(id)+"/undo", map[string]bool{"block": block})
}

// ConceptMerges returns the last merges, newest first; of one concept unless that is "".
func (c *Client) ConceptMerges(ctx context.Context, conceptID string) ([]knowledge.ConceptMerge, error) {
	query := url.Values{}
	if conceptID != "" {
		query.Set("concept", conceptID)
	}
	out, err := fetch[struct {
		Merges []knowledge.ConceptMerge `json:"merges"`
	}](ctx, c, get("/concepts/merges", query))
	return out.Merges, err
}

// SplitConcept makes a concept of its own of what is said of one under some labels, or with
// s.DryRun says what that would do.
func (c *Client) SplitConcept(ctx context.Context, s knowledge.NewConceptSplit) (knowledge.ConceptSplit, error) {
	return fetchJSONOnce[knowledge.ConceptSplit](ctx, c, http.MethodPost, conceptPath(s.ConceptID)+"/split", map[string]any{
		"labels": s.Labels, "no_block": !s.Block, "reason": s.Reason, "dry_run": s.DryRun,
	})
}

// ConceptMentions returns what documents call a concept, and how that was found.
func (c *Client) ConceptMentions(ctx context.Context, conceptID string) ([]knowledge.ConceptMention, error) {
	out, err := fetch[struct {
		Mentions []knowledge.ConceptMention `json:"mentions"`
	}](ctx, c, get(conceptPath(conceptID)+"/mentions", nil))
	return out.Mentions, err
}

// BlockNames has matching never take two names for one concept.
func (c *Client) BlockNames(ctx context.Context, b knowledge.NameBlock) (knowledge.NameBlock, error) {
	return fetchJSONOnce[knowledge.NameBlock](ctx, c, http.MethodPost, "/concepts/blocks", map[string]string{"a": b.A, "b": b.B, "reason": b.Reason})
}

// UnblockNames lets two names be one concept again.
func (c *Client) UnblockNames(ctx context.Context, a, b string) error {
	_, _, err := c.exchange(ctx, call{method: http.MethodDelete, path: "/concepts/blocks", query: url.Values{"a": {a}, "b": {b}}})
	return err
}

// BlockedNames returns the pairs that are blocked, newest first.
func (c *Client) BlockedNames(ctx context.Context) ([]knowledge.NameBlock, error) {
	out, err := fetch[struct {
		Blocks []knowledge.NameBlock `json:"blocks"`
	}](ctx, c, get("/concepts/blocks", nil))
	return out.Blocks, err
}
