package http

import (
	"context"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
)

// topicEvents is what a ticket for GET /events is for; the topic of a job's
// stream is its id.
const topicEvents = "events"

// tickets are good for opening one event stream once.
type tickets interface {
	IssueTicket(ctx context.Context, p kappa.Principal, topic string) (kappa.StreamTicket, error)
	// RedeemTicket returns who a ticket was issued to, and makes it void. One that
	// is not good for the topic is CodeUnauthenticated.
	RedeemTicket(ctx context.Context, ticket, topic string) (kappa.Principal, error)
}

func (s *Server) registerTickets() {
	register(s, route{method: "POST", path: "/jobs/{id}/stream-ticket", permission: jobsRead, id: "jobs.stream-ticket", summary: "Get a ticket that opens the job's event stream once"},
		func(ctx context.Context, in *jobInput) (kappa.StreamTicket, error) {
			if _, err := s.job(ctx, in.ID); err != nil {
				return kappa.StreamTicket{}, err
			}
			return s.cfg.Tickets.IssueTicket(ctx, principalOf(ctx), in.ID)
		})
	register(s, route{method: "POST", path: "/events/stream-ticket", permission: jobsRead, id: "jobs.events-ticket", summary: "Get a ticket that opens GET /events once"},
		func(ctx context.Context, _ *struct{}) (kappa.StreamTicket, error) {
			return s.cfg.Tickets.IssueTicket(ctx, principalOf(ctx), topicEvents)
		})
}

// topicOf returns what a ticket must be for to open the stream that c asks for.
func topicOf(c *gin.Context) string {
	if id := c.Param("id"); id != "" {
		return id
	}
	return topicEvents
}

// redeem returns who a ticket was issued to. What cannot be a ticket or a topic
// is refused without a look.
func (s *Server) redeem(ctx context.Context, ticket, topic string) (kappa.Principal, error) {
	ticket = wellFormed(ticket)
	if ticket == "" || topic != topicEvents && !kappa.IsJobID(topic) {
		return kappa.Principal{}, errUnauthenticated("Could not validate credentials")
	}
	return s.cfg.Tickets.RedeemTicket(ctx, ticket, topic)
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
