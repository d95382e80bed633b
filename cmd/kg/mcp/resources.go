package mcp

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kappagraph/kappa/work"
)

// workersURI names the resource of who works on what.
const workersURI = "kappa://workers/status"

// addResources adds what can be read without a question.
func (t toolset) addResources(s *mcp.Server) {
	s.AddResource(&mcp.Resource{
		URI: workersURI, Name: "workers/status", Title: "Workers and lanes", MIMEType: "application/json",
		Description: "What runs, what waits, and every lane with its slots. It takes the permission workers:view.",
	}, t.workers)
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
