package mcp

import (
	"context"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kappagraph/kappa"
)

// agreement names the question to a user in what a client sends back.
const agreement = "agreement"

// errAsk is a question that the client puts to its user before it makes the same call again.
type errAsk struct{ question string }

func (e errAsk) Error() string { return e.question }

// asked returns the answer of a tool that is a question.
func (e errAsk) asked() *mcp.CallToolResult {
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{agreement: &mcp.ElicitParams{
		Message: e.question, RequestedSchema: &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}},
	}}}
}

// agreed has the client ask its user, where it can, whether a job may cost what its estimate says.
// Where it cannot, and where nothing is to be paid, the model's word is enough.
func (t toolset) agreed(ctx context.Context, jobID string) (bool, error) {
	call, ok := ctx.Value(callKey{}).(*mcp.CallToolRequest)
	if !ok || !canAsk(call.Session) {
		return true, nil
	}
	if answer, ok := call.Params.InputResponses[agreement].(*mcp.ElicitResult); ok {
		return answer.Action == "accept", nil
	}
	j, err := t.c.Jobs.Get(ctx, jobID)
	if err != nil || j.Analysis == nil {
		return err == nil, err
	}
	low, high := j.Analysis.Cost.Total.CostLow, j.Analysis.Cost.Total.CostHigh
	if j.Analysis.ImageAnalysis != nil {
		low, high = j.Analysis.EstimatedCost, j.Analysis.EstimatedCost
	}
	if high <= 0 {
		return true, nil
	}
	return false, errAsk{"Reading " + quoted(value(j.Filename)) + " into " + quoted(value(j.Ontology)) + " costs " + kappa.Dollars(low) + " to " + kappa.Dollars(high) + ". Approve it?"}
}

// canAsk says whether a client shows its user a question.
func canAsk(s *mcp.ServerSession) bool {
	if s == nil {
		return false
	}
	p := s.InitializeParams()
	return p != nil && p.Capabilities != nil && p.Capabilities.Elicitation != nil
}
