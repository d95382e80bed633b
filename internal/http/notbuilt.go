package http

import (
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

// notBuilt lists the routes that are promised and not built yet: methods, a path, and
// what to do instead, if there is something. A path that ends in * stands for everything
// below it too.
const notBuilt = `
POST /database/query run a program (POST /programs/execute), which knows a few statements of Cypher, ask /query/related, /query/connect or /graph/export, or ask the database itself
PUT,PATCH,DELETE /concepts
POST,PUT /concepts/{id}
PUT,PATCH,DELETE /edges
GET /grants GET /groups/{id}/grants and GET /resources/{type}/{id}/grants list them
PUT /programs/{id} a program is kept as it was made: POST /programs keeps another one
DELETE /admin/storage/objects delete the document, the artifact or the job that something belongs to
POST /admin/storage/retention how long things are kept is set in the configuration of the server, and GET /admin/storage/retention shows it
`

// registerNotBuilt answers the routes of notBuilt with 501.
func (r *Router) registerNotBuilt() {
	for line := range strings.Lines(strings.TrimSpace(notBuilt)) {
		methods, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		path, instead, _ := strings.Cut(rest, " ")
		if instead != "" {
			instead = ": " + instead
		}
		for method := range strings.SplitSeq(methods, ",") {
			r.mountNotBuilt(method, path, instead)
		}
	}
}

func (r *Router) mountNotBuilt(method, path, instead string) {
	r.mount(Route{Method: method, Path: path, Permission: access.AnyUser}, func(c *gin.Context) {
		r.fail(c, kappa.NewError(kappa.CodeNotImplemented, method+" "+Printable(c.Request.URL.Path)+" is not built yet in this version of Kappa"+instead))
	})
}
