package postgres

import (
	"context"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// AddTicket stores the hash of a ticket with which p may open topic once: within
// access.TicketSeconds, and before p's token is void. It returns a CodeRateLimited
// Error, with the time until there is room, when p's user has most tickets that
// are still open; calls at the same moment may exceed that by their number.
func (s TokenStore) AddTicket(ctx context.Context, hash []byte, topic string, p access.Principal, most int) error {
	wait, err := s.accounts().TicketInsert(ctx, db.TicketInsertParams{
		TicketHash: hash, Topic: topic, UserID: int32(p.User.ID), ClientID: p.ClientID, Generation: int32(p.Generation),
		TokenID: p.TokenID, Scopes: p.Scopes, TokenEnds: p.ExpiresAt.Time, Life: access.TicketSeconds * time.Second, MaxTickets: int32(most),
	})
	if err != nil {
		return translate(err, "store a ticket")
	}
	if wait > 0 {
		return &kappa.Error{
			Code: kappa.CodeRateLimited, Message: "Too many tickets are open; use those or try again later",
			RetryAfter: time.Duration(wait) * time.Millisecond,
		}
	}
	return nil
}

// RedeemTicket uses a ticket up and returns whom it was made for, as the account
// is now. Of several callers at once, on any server, one gets it. It returns a
// CodeNotFound Error for an unknown, used or expired ticket, for one whose token
// would be refused by now, and for one of another topic, which is used up all the
// same. A disabled user is returned as such.
func (s TokenStore) RedeemTicket(ctx context.Context, hash []byte, topic string) (access.Principal, error) {
	row, err := s.accounts().TicketRedeem(ctx, topic, hash)
	if isNoRows(err) {
		return access.Principal{}, notFound("the ticket is not valid")
	}
	if err != nil {
		return access.Principal{}, translate(err, "redeem a ticket")
	}
	return access.Principal{
		User: toUser(row.KgApiUser), ClientID: row.ClientID, Scopes: row.Scopes,
		TokenID: row.TokenID, Generation: int(row.Generation), ExpiresAt: kappa.At(row.TokenEnds),
	}, nil
}

// PurgeTickets forgets tickets that have expired.
func (s TokenStore) PurgeTickets(ctx context.Context) error {
	return translate(s.accounts().TicketPurge(ctx), "purge tickets")
}
