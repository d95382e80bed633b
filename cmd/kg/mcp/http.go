package mcp

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kappagraph/kappa/cmd/kg/inprocess"
)

// maxBodyBytes bounds a request of an agent; a document has its bound in the API.
const maxBodyBytes = 16 << 20

// Handler serves the tools over streamable HTTP. Each request stands for itself and
// carries the token that its calls are made with, which go to api in this process;
// nothing is kept between two requests.
func Handler(api http.Handler, version string, log *slog.Logger) (http.Handler, error) {
	c, err := inprocess.Client(api, "kappa-mcp")
	if err != nil {
		return nil, err
	}
	s := New(c, version) // one for all: to describe the tools takes longer than most calls of one
	agents := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, Logger: log, MaxRequestBodyBytes: maxBodyBytes,
		DisableLocalhostProtection:   true, // the API checks the Host of every request by its own rule
		PropagateRequestCancellation: true,
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// wait_job may take as long; without a connection of its own, as in tests, there is no limit to move.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add((maxWait + 30) * time.Second))
		agents.ServeHTTP(w, r.WithContext(inprocess.For(r.Context(), r)))
	}), nil
}
