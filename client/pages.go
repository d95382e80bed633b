package client

import (
	"context"
	"iter"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
	"github.com/kappagraph/kappa/work/artifacts"
)

// pages yields the items of all pages of a list, from the one that the caller began with.
// get returns a page and the cursor of the next one, nil after the last. An error is
// yielded once, and ends it.
func pages[T any](get func(cursor string) ([]T, *string, error), cursor string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			page, next, err := get(cursor)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range page {
				if !yield(item, nil) {
					return
				}
			}
			if next == nil || *next == "" {
				return
			}
			cursor = *next
		}
	}
}

// AllJobs yields every job that f selects, newest first, page by page: jobs that are
// submitted meanwhile shift nothing. f.Limit is the size of a page.
func (c *Client) AllJobs(ctx context.Context, f work.JobFilter) iter.Seq2[work.Job, error] {
	return pages(func(cursor string) ([]work.Job, *string, error) {
		f.Cursor = cursor
		return c.jobPage(ctx, f)
	}, f.Cursor)
}

// AllDocuments yields every document that p selects, newest first.
func (c *Client) AllDocuments(ctx context.Context, p corpus.PageQuery) iter.Seq2[corpus.ListedDocument, error] {
	return pages(func(cursor string) ([]corpus.ListedDocument, *string, error) {
		p.Cursor = cursor
		list, err := c.Documents(ctx, p)
		return list.Documents, list.Next, err
	}, p.Cursor)
}

// AllSources yields every chunk that p selects, those of the newest document first.
func (c *Client) AllSources(ctx context.Context, p corpus.PageQuery) iter.Seq2[corpus.ListedSource, error] {
	return pages(func(cursor string) ([]corpus.ListedSource, *string, error) {
		p.Cursor = cursor
		list, err := c.Sources(ctx, p)
		return list.Sources, list.Next, err
	}, p.Cursor)
}

// AllConcepts yields every concept that f selects, those with the most evidence first.
func (c *Client) AllConcepts(ctx context.Context, f questions.ConceptFilter) iter.Seq2[questions.ListedConcept, error] {
	return pages(func(cursor string) ([]questions.ListedConcept, *string, error) {
		f.Cursor = cursor
		list, err := c.Concepts(ctx, f)
		return list.Concepts, list.Next, err
	}, f.Cursor)
}

// AllEdges yields every relationship that f selects.
func (c *Client) AllEdges(ctx context.Context, f questions.EdgeFilter) iter.Seq2[questions.ListedEdge, error] {
	return pages(func(cursor string) ([]questions.ListedEdge, *string, error) {
		f.Cursor = cursor
		list, err := c.Edges(ctx, f)
		return list.Edges, list.Next, err
	}, f.Cursor)
}

// AllArtifacts yields every artifact that f selects, newest first.
func (c *Client) AllArtifacts(ctx context.Context, f artifacts.Filter) iter.Seq2[artifacts.Artifact, error] {
	return pages(func(cursor string) ([]artifacts.Artifact, *string, error) {
		f.Cursor = cursor
		list, err := c.Artifacts(ctx, f)
		return list.Artifacts, list.Next, err
	}, f.Cursor)
}
