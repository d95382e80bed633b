package streams

import (
	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
)

func (a *API) registerOverview(r *http.Router) {
	r.RegisterRaw(http.Route{
		Method: "GET", Path: "/events", Permission: access.JobsRead, ByRow: true, Unrecorded: true, ID: "jobs.events",
		Summary: "Follow many jobs, and the lanes, on one stream of server-sent events", Credential: a.credential, Document: documentOverview,
	}, a.serveOverview)
}

func documentOverview(op *huma.Operation) {
	text := &huma.Schema{Type: huma.TypeString}
	list := &huma.Schema{Type: huma.TypeArray, Items: text}
	op.Parameters = append([]*huma.Param{
		{Name: "jobs", In: "query", Description: "Up to 200 job ids with commas between them, or * for all", Schema: text},
		{Name: "ontology", In: "query", Description: "All jobs of this ontology; may be given up to 20 times", Schema: list, Explode: new(true)},
		{Name: "lanes", In: "query", Description: "Names of lanes with commas between them, or * for all; takes the permission workers:view", Schema: text},
	}, credentialParams()...)
	http.Respond(op, "200", http.EventStreamType, "The events", text)
}

// serveOverview answers GET /events.
func (a *API) serveOverview(c *gin.Context) error {
	ctx := c.Request.Context()
	sel, err := readSelection(c.Request.URL.RawQuery)
	if err != nil {
		return err
	}
	demands := []access.Permission{access.JobsRead}
	if sel.wantsLanes() {
		switch err := http.PrincipalOf(ctx).Permit(access.WorkersView); {
		case err == nil:
			demands = append(demands, access.WorkersView)
		case sel.unasked:
			sel.allLanes = false
		default:
			return err
		}
	}
	f, err := a.newFlow(c, demands...)
	if err != nil {
		return err
	}
	o := &overview{flow: f, sel: sel, since: a.cfg.Now(), shown: map[string]int64{}, pending: map[string]int{}}
	return o.serve(c, o)
}
