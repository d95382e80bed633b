package mcp

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// maxCompletions is how many ways to go on are offered, of a name that somebody types.
const maxCompletions = 20

// complete says how an argument of a prompt or of an address of a resource may go on: names of
// documents and concepts that have the words, and of ontologies that begin so.
func (t toolset) complete(ctx context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	var values []string
	var err error
	switch r.Params.Argument.Name {
	case "document":
		values, err = t.namesLike(ctx, r.Params.Argument.Value, questions.FoundDocument)
	case "concept", "first", "second":
		values, err = t.namesLike(ctx, r.Params.Argument.Value, questions.FoundConcept)
	case "ontology":
		values, err = t.ontologiesLike(ctx, r.Params.Argument.Value)
	}
	if err != nil {
		return nil, err
	}
	more := len(values) > maxCompletions
	if more {
		values = values[:maxCompletions]
	}
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: append([]string{}, values...), HasMore: more}}, nil
}

func (t toolset) namesLike(ctx context.Context, typed, kind string) ([]string, error) {
	if strings.TrimSpace(typed) == "" {
		return nil, nil
	}
	found, err := t.c.Graph.Find(ctx, questions.FindQuery{Text: typed, Typing: true, Find: []string{kind}, Limit: maxCompletions + 1})
	if err != nil {
		return nil, err
	}
	names := make([]string, len(found.Hits))
	for i, h := range found.Hits {
		names[i] = h.Text
	}
	return names, nil
}

func (t toolset) ontologiesLike(ctx context.Context, typed string) ([]string, error) {
	all, err := t.c.Ontologies.List(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, o := range all {
		if strings.HasPrefix(strings.ToLower(o.Name), strings.ToLower(typed)) {
			names = append(names, o.Name)
		}
	}
	return names, nil
}
