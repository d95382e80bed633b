package auth

import (
	"context"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

const (
	ticketLife  = access.TicketSeconds * time.Second
	ticketChars = (secretBytes*8 + 5) / 6 // of base64
)

// ticketStore keeps tickets of streams. One that is not valid is a CodeNotFound Error.
type ticketStore interface {
	AccessEpoch(ctx context.Context) (int64, error)
	AddTicket(ctx context.Context, hash []byte, topic string, p access.Principal, most int) error
	RedeemTicket(ctx context.Context, hash []byte, topic string) (access.Principal, error)
	PurgeTickets(ctx context.Context) error
}

// Tickets keeps what opens a stream in place of a token.
type Tickets struct {
	store    ticketStore
	policies *Policies
	now      func() time.Time
}

// IssueTicket returns a ticket with which p can open topic once, in place of its
// token. It expires after access.TicketSeconds, and with the token at the latest. It is
// void, like the token, when the token is revoked, the client is deleted or its secret
// is rotated. Only its hash is stored. It returns a CodeUnauthenticated Error when
// p's token has expired, and a CodeRateLimited Error when p's user has
// access.MaxUserTickets that are still open.
func (s *Tickets) IssueTicket(ctx context.Context, p access.Principal, topic string) (access.StreamTicket, error) {
	left := p.ExpiresAt.Sub(s.now())
	if left <= 0 {
		return access.StreamTicket{}, errCredentials()
	}
	ticket := newSecret()
	if err := s.store.AddTicket(ctx, hashSecret(ticket), topic, p, access.MaxUserTickets); err != nil {
		return access.StreamTicket{}, err
	}
	return access.StreamTicket{Ticket: ticket, ExpiresIn: int(min(ticketLife, left).Seconds())}, nil
}

// RedeemTicket returns the principal that a ticket was issued to, which expires
// when its token would, and uses the ticket up: of several callers at once, on
// any server, one gets it. A ticket for another topic is used up and refused. It
// returns a CodeUnauthenticated Error for a ticket that is unknown, used, expired,
// void or for another topic, and a CodeForbidden Error when the user is disabled.
func (s *Tickets) RedeemTicket(ctx context.Context, ticket, topic string) (access.Principal, error) {
	if len(ticket) != ticketChars {
		return access.Principal{}, errCredentials()
	}
	p, err := s.store.RedeemTicket(ctx, hashSecret(ticket), topic)
	if unknown(err) {
		return access.Principal{}, errCredentials()
	}
	if err != nil {
		return access.Principal{}, err
	}
	if !s.now().Before(p.ExpiresAt.Time) {
		return access.Principal{}, errCredentials()
	}
	if p.User.Disabled {
		return access.Principal{}, kappa.NewError(kappa.CodeForbidden, userDisabled)
	}
	epoch, err := s.store.AccessEpoch(ctx)
	if err != nil {
		return access.Principal{}, err
	}
	policy, err := s.policies.at(ctx, epoch)
	if err != nil {
		return access.Principal{}, err
	}
	p.Grants, p.Rows = policy.Rights(p.User, s.now())
	return p, nil
}
