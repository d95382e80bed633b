package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/knowledge"
)

// Merge makes two concepts one, or with m.DryRun says what that would do. Unknown ids are an Error with kappa.CodeNotFound.
func (s Concepts) Merge(ctx context.Context, m knowledge.NewConceptMerge) (knowledge.ConceptMerge, error) {
	return fetchJSONOnce[knowledge.ConceptMerge](ctx, s.c, http.MethodPost, "/concepts/merges", m)
}

// Unmerge undoes a merge; with block, matching never takes the two for one again.
// What cannot be undone is an Error with kappa.CodeConflict.
func (s Concepts) Unmerge(ctx context.Context, id int, block bool) (knowledge.ConceptMerge, error) {
	return fetchJSONOnce[knowledge.ConceptMerge](ctx, s.c, http.MethodPost, "/concepts/merges/"+strconv.Itoa(id)+"/undo", map[string]bool{"block": block})
}

// Merges returns the last merges, newest first; of one concept unless that is "".
func (s Concepts) Merges(ctx context.Context, conceptID string) ([]knowledge.ConceptMerge, error) {
	query := url.Values{}
	if conceptID != "" {
		query.Set("concept", conceptID)
	}
	out, err := fetch[api.ConceptMerges](ctx, s.c, get("/concepts/merges", query))
	return out.Merges, err
}

// Split makes a concept of its own of what is said of one under some labels, or with
// split.DryRun says what that would do.
func (s Concepts) Split(ctx context.Context, split knowledge.NewConceptSplit) (knowledge.ConceptSplit, error) {
	return fetchJSONOnce[knowledge.ConceptSplit](ctx, s.c, http.MethodPost, conceptPath(split.ConceptID)+"/split", map[string]any{
		"labels": split.Labels, "no_block": !split.Block, "reason": split.Reason, "dry_run": split.DryRun,
	})
}

// Mentions returns what documents call a concept, and how that was found.
func (s Concepts) Mentions(ctx context.Context, conceptID string) ([]knowledge.ConceptMention, error) {
	out, err := fetch[api.ConceptMentions](ctx, s.c, get(conceptPath(conceptID)+"/mentions", nil))
	return out.Mentions, err
}

// BlockNames has matching never take two names for one concept.
func (s Concepts) BlockNames(ctx context.Context, b knowledge.NameBlock) (knowledge.NameBlock, error) {
	return fetchJSONOnce[knowledge.NameBlock](ctx, s.c, http.MethodPost, "/concepts/blocks", map[string]string{"a": b.A, "b": b.B, "reason": b.Reason})
}

// UnblockNames lets two names be one concept again.
func (s Concepts) UnblockNames(ctx context.Context, a, b string) error {
	_, _, err := s.c.exchange(ctx, call{method: http.MethodDelete, path: "/concepts/blocks", query: url.Values{"a": {a}, "b": {b}}})
	return err
}

// BlockedNames returns the pairs that are blocked, newest first.
func (s Concepts) BlockedNames(ctx context.Context) ([]knowledge.NameBlock, error) {
	out, err := fetch[api.NameBlocks](ctx, s.c, get("/concepts/blocks", nil))
	return out.Blocks, err
}

// Namesakes returns concepts that have one name and are two: those of which nobody said that
// they stay two, or with apart those of which somebody did.
func (s Concepts) Namesakes(ctx context.Context, apart bool, most int) ([]knowledge.Namesakes, error) {
	out, err := fetch[api.NamesakeList](ctx, s.c, get("/concepts/namesakes", url.Values{"apart": {strconv.FormatBool(apart)}, "limit": {strconv.Itoa(most)}}))
	return out.Namesakes, err
}

// KeepApart says of two concepts of one name that they stay two, so that they are not offered
// again. Unknown ids are an Error with kappa.CodeNotFound.
func (s Concepts) KeepApart(ctx context.Context, k knowledge.NewKeptApart) (knowledge.NewKeptApart, error) {
	return fetchJSONOnce[knowledge.NewKeptApart](ctx, s.c, http.MethodPost, "/concepts/namesakes", k)
}

// OfferAgain takes back that two concepts stay two.
func (s Concepts) OfferAgain(ctx context.Context, a, b string) error {
	_, _, err := s.c.exchange(ctx, call{method: http.MethodDelete, path: "/concepts/namesakes", query: url.Values{"a": {a}, "b": {b}}})
	return err
}
