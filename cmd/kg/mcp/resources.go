package mcp

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

// The resources: who works on what, and each document and concept by its id or its name.
const (
	workersURI   = "kappa://workers/status"
	documentURIs = "kappa://document/"
	conceptURIs  = "kappa://concept/"

	documentTemplate = documentURIs + "{+document}"
	conceptTemplate  = conceptURIs + "{+concept}"
)

// maxResourceBytes is how much of a document a resource holds.
const maxResourceBytes = 400_000

// addResources adds what can be read without a question.
func (t toolset) addResources(s *mcp.Server) {
	s.AddResource(&mcp.Resource{
		URI: workersURI, Name: "workers/status", Title: "Workers and lanes", MIMEType: "application/json",
		Description: "What runs, what waits, and every lane with its slots. It takes the permission workers:view.",
	}, t.workers)
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: documentTemplate, Name: "document", Title: "A document", MIMEType: "text/markdown",
		Description: "The text of a document as it was read, by its id or its file name. It takes the permission graph:read.",
	}, t.documentResource)
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: conceptTemplate, Name: "concept", Title: "A concept", MIMEType: "text/plain",
		Description: "A concept with its quotes and relationships, by its id or its label. It takes the permission graph:read.",
	}, t.conceptResource)
}

func (t toolset) workers(ctx context.Context, _ *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	status, err := t.c.Workers.Status(ctx)
	if err != nil {
		return nil, err
	}
	lanes, err := t.c.Workers.Lanes(ctx)
	if err != nil {
		return nil, err
	}
	both, err := json.Marshal(struct {
		Status work.WorkerStatus `json:"status"`
		Lanes  []work.LaneUsage  `json:"lanes"`
	}{status, lanes})
	if err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: workersURI, MIMEType: "application/json", Text: string(both)}}}, nil
}

func (t toolset) documentResource(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	d, err := byIDOrName(ctx, t.c, r.Params.URI, documentURIs, questions.FoundDocument, func(id string) (string, error) {
		content, err := t.c.Documents.Content(ctx, id, "")
		if err != nil {
			return "", err
		}
		whole := joined(content.Chunks)
		if len(whole) > maxResourceBytes {
			return strings.ToValidUTF8(whole[:maxResourceBytes], "") + "\n\n(The rest is not shown here; the tool document reads on from byte 400000.)", nil
		}
		return whole, nil
	})
	if err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, MIMEType: "text/markdown", Text: d}}}, nil
}

func (t toolset) conceptResource(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	c, err := byIDOrName(ctx, t.c, r.Params.URI, conceptURIs, questions.FoundConcept, func(id string) (string, error) {
		out := newText()
		err := t.concept(ctx, conceptInput{ID: id, Quotes: 20}, out)
		return out.String(), err
	})
	if err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, MIMEType: "text/plain", Text: c}}}, nil
}

// byIDOrName reads what an address below a prefix names: by its id, and when there is none, the
// one that has the name, whatever its capitals.
func byIDOrName(ctx context.Context, c *client.Client, uri, prefix, kind string, read func(id string) (string, error)) (string, error) {
	name, err := url.PathUnescape(strings.TrimPrefix(uri, prefix))
	if err != nil || name == "" {
		return "", mcp.ResourceNotFoundError(uri)
	}
	text, err := read(name)
	if code := kappa.ErrorCode(err); code != kappa.CodeNotFound && code != kappa.CodeInvalid {
		return text, err
	}
	found, err := c.Graph.Find(ctx, questions.FindQuery{Text: name, Exact: true, Find: []string{kind}, Limit: questions.MaxFound})
	if err != nil && kappa.ErrorCode(err) != kappa.CodeInvalid {
		return "", err
	}
	for _, h := range found.Hits {
		switch {
		case !strings.EqualFold(h.Text, name):
		case h.Concept != nil:
			return read(h.Concept.ConceptID)
		case h.Document != nil:
			return read(h.Document.DocumentID)
		}
	}
	return "", mcp.ResourceNotFoundError(uri)
}
