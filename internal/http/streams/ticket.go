package streams

import (
	"cmp"
	"context"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
)

// topicEvents is what a ticket for GET /events is for; the topic of a job's
// stream is its id.
const topicEvents = "events"

// tickets are good for opening one event stream once.
type tickets interface {
	IssueTicket(ctx context.Context, p access.Principal, topic string) (access.StreamTicket, error)
	// RedeemTicket returns who a ticket was issued to, and makes it void. One that
	// is not good for the topic is CodeUnauthenticated.
	RedeemTicket(ctx context.Context, ticket, topic string) (access.Principal, error)
}

type jobInput struct {
	ID string `path:"id" doc:"job_ and 12 hexadecimal digits"`
}

func (a *API) registerTickets(r *http.Router) {
	http.Register(r, http.Route{Method: "POST", Path: "/jobs/{id}/stream-ticket", Permission: access.JobsRead, ByRow: true, ID: "jobs.stream-ticket", Summary: "Get a ticket that opens the job's event stream once"},
		func(ctx context.Context, in *jobInput) (access.StreamTicket, error) {
			if _, err := http.PermittedJob(ctx, access.JobsRead, in.ID, a.cfg.Jobs.Job); err != nil {
				return access.StreamTicket{}, err
			}
			return a.cfg.Tickets.IssueTicket(ctx, http.PrincipalOf(ctx), in.ID)
		})
	http.Register(r, http.Route{Method: "POST", Path: "/events/stream-ticket", Permission: access.JobsRead, ByRow: true, ID: "jobs.events-ticket", Summary: "Get a ticket that opens GET /events once"},
		func(ctx context.Context, _ *struct{}) (access.StreamTicket, error) {
			return a.cfg.Tickets.IssueTicket(ctx, http.PrincipalOf(ctx), topicEvents)
		})
}

// credential returns who opens a stream without a header, because a browser's
// EventSource cannot send any: a ticket in the query wins over a token there.
func (a *API) credential(c *gin.Context) (access.Principal, error) {
	ctx, query := c.Request.Context(), c.Request.URL.Query()
	if query.Has("ticket") {
		return a.redeem(ctx, query.Get("ticket"), topicOf(c))
	}
	return a.router.Bearer(ctx, cmp.Or(http.WellFormed(query.Get("token")), http.WellFormed(query.Get("access_token"))))
}

// topicOf returns what a ticket must be for to open the stream that c asks for.
func topicOf(c *gin.Context) string {
	if id := c.Param("id"); id != "" {
		return id
	}
	return topicEvents
}

// redeem returns who a ticket was issued to. What cannot be a ticket or a topic
// is refused without asking.
func (a *API) redeem(ctx context.Context, ticket, topic string) (access.Principal, error) {
	ticket = http.WellFormed(ticket)
	if ticket == "" || topic != topicEvents && !kappa.IsJobID(topic) {
		return access.Principal{}, http.Unauthenticated("Could not validate credentials")
	}
	return a.cfg.Tickets.RedeemTicket(ctx, ticket, topic)
}

// credentialParams documents how a client that cannot send headers shows who it
// is.
func credentialParams() []*huma.Param {
	text := &huma.Schema{Type: huma.TypeString}
	return []*huma.Param{
		{Name: "ticket", In: "query", Description: "For clients that cannot send headers, such as EventSource: a ticket of stream-ticket. It is void after one use, so a client whose stream ends needs another", Schema: text},
		{Name: "token", In: "query", Description: "The bearer token, which a ticket keeps out of addresses", Schema: text},
		{Name: "access_token", In: "query", Description: "The same as token", Schema: text},
	}
}
