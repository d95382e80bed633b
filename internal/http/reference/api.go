// Package reference is the part of the HTTP API that shows its OpenAPI document to people:
// as a page without scripts, which needs nothing from elsewhere, and as Markdown for the
// documentation.
package reference

import (
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
)

// API shows the reference of the API.
type API struct{}

// New returns the resource.
func New() *API { return &API{} }

// Register adds the page.
func (a *API) Register(r *http.Router) error {
	text := sync.OnceValues(func() ([]byte, error) { return render(r.OpenAPI()) })
	r.RegisterRaw(http.Route{
		Method: "GET", Path: "/docs", Permission: access.Public, ID: "health.docs", Summary: "Read this document as a page",
		Document: func(op *huma.Operation) {
			http.Respond(op, "200", "text/html", "A page without scripts", &huma.Schema{Type: huma.TypeString})
		},
	}, func(c *gin.Context) error {
		text, err := text()
		if err != nil {
			return err
		}
		c.Header("Cache-Control", "no-cache")
		c.Header("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
		c.Header("X-Content-Type-Options", "nosniff")
		c.Data(200, "text/html; charset=utf-8", text)
		return nil
	})
	return nil
}
