package identity

import (
	nethttp "net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
)

// AgentsMetadata is where a client of /mcp reads how to get a token (RFC 9728, section 3.1).
const AgentsMetadata = "/.well-known/oauth-protected-resource/mcp"

// protectedResource describes /mcp (RFC 9728, section 2).
type protectedResource struct {
	Resource             string   `json:"resource"`
	Name                 string   `json:"resource_name"`
	AuthorizationServers []string `json:"authorization_servers"`
	Methods              []string `json:"bearer_methods_supported"`
}

// authorizationServer describes how tokens are made (RFC 8414, section 2).
type authorizationServer struct {
	Issuer        string   `json:"issuer"`
	Token         string   `json:"token_endpoint"`
	Revocation    string   `json:"revocation_endpoint"`
	Grants        []string `json:"grant_types_supported"`
	ResponseTypes []string `json:"response_types_supported"`
	AuthMethods   []string `json:"token_endpoint_auth_methods_supported"`
}

// registerOAuth adds the routes that say how to get a token. What they name is at the address that
// was asked.
func registerOAuth(r *http.Router) {
	show := func(path, id, summary string, about func(origin string) any) {
		r.RegisterRaw(http.Route{
			Method: "GET", Path: path, Permission: access.Public, ID: id, Summary: summary,
			Document: func(op *huma.Operation) {
				op.Responses["200"] = &huma.Response{Description: "The metadata", Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Type: huma.TypeObject}}}}
			},
		}, func(c *gin.Context) error {
			c.Header("Cache-Control", "no-store") // a proxy may be reached by several names
			http.WriteJSON(c, nethttp.StatusOK, about(http.OriginOf(c)))
			return nil
		})
	}
	resource := func(origin string) any {
		return protectedResource{Resource: origin + "/mcp", Name: "Kappa", AuthorizationServers: []string{origin}, Methods: []string{"header"}}
	}
	show("/.well-known/oauth-protected-resource", "health.oauth-resource", "How to get a token (RFC 9728)", resource)
	show(AgentsMetadata, "health.oauth-agents", "How an agent gets a token (RFC 9728)", resource)
	show("/.well-known/oauth-authorization-server", "health.oauth-server", "How tokens are made (RFC 8414)", func(origin string) any {
		return authorizationServer{
			Issuer: origin, Token: origin + "/auth/oauth/token", Revocation: origin + "/auth/oauth/revoke",
			Grants: []string{"client_credentials"}, ResponseTypes: []string{}, AuthMethods: []string{"client_secret_basic", "client_secret_post"},
		}
	})
}
