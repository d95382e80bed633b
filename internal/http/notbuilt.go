package http

import (
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
)

// notBuilt lists the routes that are promised and not built yet: methods, a path, and
// what to do instead, if there is something. A path that ends in * stands for everything
// below it too.
const notBuilt = `
POST /database/query ask /query/related, /query/connect or /graph/export, or ask the database itself
PUT,PATCH,DELETE /concepts
POST,PUT /concepts/{id}
GET /concepts/{id}/lifetime GET /concepts/{id} says when it was made
PUT,PATCH,DELETE /edges
GET,POST,PUT,PATCH,DELETE /epochs/* GET /database/epoch is the current one
GET,POST,PUT,PATCH,DELETE /groups/* roles say who may do what, see /rbac/roles
GET,POST,PUT,PATCH,DELETE /grants/* roles can be granted single rows, see /rbac/permissions
GET,POST,PUT,PATCH,DELETE /query-definitions/*
GET,POST,PUT,PATCH,DELETE /programs POST /programs/execute takes the one program that clients send
GET,POST,PUT,PATCH,DELETE /programs/{id}
GET,POST,PUT,PATCH,DELETE /admin/storage/* the database keeps everything; GET /database/stats counts it
GET /resources/{type}/{id}/grants roles can be granted single rows, see /rbac/permissions
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
	r.mount(Route{Method: method, Path: path, Permission: kappa.AnyUser}, func(c *gin.Context) {
		r.fail(c, kappa.NewError(kappa.CodeNotImplemented, method+" "+Printable(c.Request.URL.Path)+" is not built yet in this version of Kappa"+instead))
	})
}
