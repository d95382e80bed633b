package http

import (
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
)

// notBuilt lists the routes that are promised and not built yet: methods, then
// paths. A path that ends in * stands for everything below it too.
const notBuilt = `
PUT /auth/me
GET /users/me/permissions
GET,POST /users
GET,PUT,DELETE /users/{id}
POST /users/{id}/reset-password
POST /auth/register
GET,POST /rbac/resources
GET,POST /rbac/roles
GET,PUT,DELETE /rbac/roles/{role}
GET,POST /rbac/permissions
DELETE /rbac/permissions/{id}
GET /rbac/user-roles/{id}
DELETE /rbac/user-roles/{id}
POST /rbac/user-roles
POST /rbac/check-permission
POST /ingest/image
GET /ingest/image/health
GET /admin/status
POST /query/sources/search
POST /query/documents/search
GET /documents
GET /documents/{id}/content
GET /documents/{id}/concepts
GET /sources
GET /sources/{id}
GET /sources/{id}/document
GET /sources/{id}/image
GET /database/info
GET /database/counters
POST /database/counters/refresh
POST /database/query
POST /ontology
GET,DELETE /ontology/tombstones
DELETE /ontology/tombstones/{name}
POST /ontology/scores
GET /ontology/proposals
GET /ontology/proposals/{id}
POST /ontology/proposals/{id}/review
POST /ontology/annealing-cycle
GET,DELETE /ontology/{name}
GET /ontology/{name}/node
GET /ontology/{name}/files
PUT /ontology/{name}/lifecycle
POST /ontology/{name}/rename
GET,POST /ontology/{name}/scores
GET /ontology/{name}/candidates
GET /ontology/{name}/affinity
GET /ontology/{name}/edges
POST /ontology/{name}/reassign
POST /ontology/{name}/dissolve
POST /vocabulary/types
POST /vocabulary/merge
POST /vocabulary/consolidate
POST /vocabulary/generate-embeddings
GET /vocabulary/category-scores/{type}
POST /vocabulary/refresh-categories
GET /vocabulary/similar/{type}
GET /vocabulary/analyze/{type}
POST /vocabulary/sync
GET,PUT /vocabulary/config
GET,POST,PUT,DELETE /admin/vocabulary/*
GET /projection/algorithms
GET,DELETE /projection/{ontology}
POST /projection/{ontology}/regenerate
POST,PUT,PATCH,DELETE /concepts
GET,POST,PUT,PATCH,DELETE /concepts/{id}
POST /concepts/{id}/evidence
GET /concepts/{id}/lifetime
POST,PUT,PATCH,DELETE /edges
PATCH,DELETE /edges/{from}/{type}/{to}
POST /graph/batch
GET,POST,PUT,PATCH,DELETE /epochs/*
GET,POST,PUT,PATCH,DELETE /groups/*
GET,POST,PUT,PATCH,DELETE /grants/*
GET,POST,PUT,PATCH,DELETE /query-definitions/*
GET,POST,PUT,PATCH,DELETE /programs/*
GET,POST,PUT,PATCH,DELETE /catalog/*
GET,POST,PUT,PATCH,DELETE /admin/backups/*
GET,POST,PUT,PATCH,DELETE /admin/backup/*
GET,POST,PUT,PATCH,DELETE /admin/restore/*
GET,POST,PUT,PATCH,DELETE /admin/embedding/*
GET,POST,PUT,PATCH,DELETE /admin/extraction/*
GET,POST,PUT,PATCH,DELETE /admin/vision/*
GET,POST,PUT,PATCH,DELETE /admin/keys/*
GET,POST,PUT,PATCH,DELETE /admin/storage/*
POST /admin/regenerate-concept-embeddings
GET /resources/{type}/{id}/grants
GET /extraction/config
GET /embedding/config
GET /vision/config
`

// registerNotBuilt answers the routes of notBuilt with 501.
func (r *Router) registerNotBuilt() {
	for line := range strings.Lines(strings.TrimSpace(notBuilt)) {
		methods, path, _ := strings.Cut(strings.TrimSpace(line), " ")
		for method := range strings.SplitSeq(methods, ",") {
			r.mountNotBuilt(method, path)
		}
	}
}

func (r *Router) mountNotBuilt(method, path string) {
	r.mount(Route{Method: method, Path: path, Permission: kappa.AnyUser}, func(c *gin.Context) {
		r.fail(c, kappa.NewError(kappa.CodeNotImplemented, method+" "+Printable(c.Request.URL.Path)+" is not built yet in this version of Kappa"))
	})
}
