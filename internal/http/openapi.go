package http

import (
	"reflect"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa/access"
)

const bearerScheme = "bearer"

// newDocument returns the OpenAPI document without its routes.
func newDocument(version string) *huma.OpenAPI {
	return &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "Kappa", Version: version,
			Description: "Kappa turns documents into a queryable knowledge graph.",
		},
		Servers: []*huma.Server{{URL: "/"}, {URL: "/api"}},
		Tags: []*huma.Tag{
			{Name: "health", Description: "Whether the server is well"},
			{Name: "auth", Description: "Logging in, clients and tokens"},
			{Name: "ingest", Description: "Submitting documents"},
			{Name: "users", Description: "Accounts"},
			{Name: "rbac", Description: "Roles and what they may do"},
			{Name: "audit", Description: "Who did what"},
			{Name: "jobs", Description: "Units of work and their events"},
			{Name: "workers", Description: "Lanes and what runs in them"},
			{Name: "scheduler", Description: "Cleanup and scheduled jobs"},
			{Name: "query", Description: "Questions to the graph"},
			{Name: "chat", Description: "Questions in the words of OpenAI's API and of Ollama's"},
			{Name: "documents", Description: "The documents that were ingested"},
			{Name: "sources", Description: "The chunks of documents"},
			{Name: "ontologies", Description: "Named sets of documents and what they show"},
			{Name: "graph", Description: "What the graph holds"},
			{Name: "projection", Description: "Pictures of what is near to what"},
			{Name: "extraction", Description: "What reads documents"},
			{Name: "embedding", Description: "What embeds concepts"},
			{Name: "models", Description: "Which models read, embed and describe images"},
			{Name: "vision", Description: "Which model describes images"},
			{Name: "provider-keys", Description: "Keys of the providers of models"},
			{Name: "providers", Description: "Models and the servers that they are on"},
			{Name: "vocabulary", Description: "The types of relationships"},
			{Name: "catalog", Description: "What was ingested, as a tree"},
			{Name: "queries", Description: "Questions that are kept, to ask them again"},
			{Name: "programs", Description: "Sequences of questions whose answers are joined"},
			{Name: "artifacts", Description: "Results that are kept"},
			{Name: "dataclips", Description: "Inputs of runs that are too large for the data of their job"},
			{Name: "datasets", Description: "Questions in SQL to Parquet files"},
			{Name: "backups", Description: "Archives of the graph"},
			{Name: "storage", Description: "What the database holds, and whether it is whole"},
			{Name: "webhooks", Description: "Addresses of other programs that are told of events"},
		},
		Components: &huma.Components{
			Schemas: newRegistry(),
			SecuritySchemes: map[string]*huma.SecurityScheme{
				bearerScheme: {Type: "http", Scheme: "bearer", Description: "An access token of POST /auth/oauth/token"},
			},
		},
	}
}

// problemResponse describes every answer that is not a success.
func (r *Router) problemResponse() *huma.Response {
	return &huma.Response{Description: "A problem document", Content: map[string]*huma.MediaType{
		problemType: {Schema: SchemaOf[problem](r)},
	}}
}

// SchemaOf returns a reference to the schema of T.
func SchemaOf[T any](r *Router) *huma.Schema {
	t := reflect.TypeFor[T]()
	return r.document().Components.Schemas.Schema(t, true, t.Name())
}

func (r *Router) document() *huma.OpenAPI { return r.api.OpenAPI() }

// registerDocument serves the OpenAPI document. It is the last route: the
// document is complete then, and never changes.
func (r *Router) registerDocument() {
	schemas := r.document().Components.Schemas.Map()
	delete(schemas, "ErrorModel") // huma's own problem, which is never sent
	delete(schemas, "ErrorDetail")
	r.allowNull()
	r.forbidNull()
	r.nameEnums()
	r.openAPI = sync.OnceValue(func() []byte { return EncodeJSON(r.document()) })
	r.mount(Route{Method: "GET", Path: "/openapi.json", Permission: access.Public}, func(c *gin.Context) {
		c.Header("Cache-Control", "no-cache")
		c.Data(200, JSONType, r.openAPI())
	})
}

// OpenAPI returns the document that describes every route, in JSON.
func (r *Router) OpenAPI() []byte { return r.openAPI() }

// FormSchema documents a form: T says which fields there are.
func FormSchema[T any](r *Router, contentTypes ...string) func(op *huma.Operation) {
	schema := SchemaOf[T](r)
	return func(op *huma.Operation) {
		op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{}}
		for _, ct := range contentTypes {
			op.RequestBody.Content[ct] = &huma.MediaType{Schema: schema}
		}
	}
}

// Respond documents the body of a success.
func Respond(op *huma.Operation, status, contentType, description string, schema *huma.Schema) {
	r := &huma.Response{Description: description}
	if schema != nil {
		contentType, _, _ = strings.Cut(contentType, ";")
		r.Content = map[string]*huma.MediaType{contentType: {Schema: schema}}
	}
	op.Responses[status] = r
}
