package auth

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

// memory is a store for tests. err, when set, is the answer to everything.
type memory struct {
	mu      sync.Mutex
	err     error
	users   map[int]*access.User
	hashes  map[int]string
	clients []access.OAuthClient
	revoked map[string]time.Time
	secrets map[string][]byte
	tickets map[string]memoryTicket // by hash
	epoch   int64
	roles   rolesOf
	taken   int // client ids to refuse as taken
	touches int
	logins  []string // recorded
	creates int      // first users asked for
	late    bool     // UsersExist answers as it did before there were any
}

// memoryTicket is a ticket that was not used yet.
type memoryTicket struct {
	topic   string
	p       access.Principal
	expires time.Time
}

func newMemory() *memory {
	return &memory{
		users:  map[int]*access.User{access.SystemUserID: {ID: access.SystemUserID, Username: "system", Disabled: true}},
		hashes: map[int]string{}, revoked: map[string]time.Time{}, secrets: map[string][]byte{}, tickets: map[string]memoryTicket{},
	}
}

func (m *memory) UsersExist(context.Context) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.users) > 1 && !m.late, m.err
}

func (m *memory) CreateFirstUser(_ context.Context, u access.User, hash string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.creates++
	if m.err != nil || len(m.users) > 1 {
		return false, m.err
	}
	m.users[u.ID], m.hashes[u.ID] = &u, hash
	return true, nil
}

func (m *memory) UserByName(_ context.Context, username string) (access.User, string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return access.User{}, "", m.err
	}
	if strings.Contains(username, "\x00") {
		return access.User{}, "", kappa.NewError(kappa.CodeInvalid, "the text contains a NUL character")
	}
	for id, u := range m.users {
		if strings.EqualFold(u.Username, username) {
			return *u, m.hashes[id], nil
		}
	}
	return access.User{}, "", kappa.NewError(kappa.CodeNotFound, "User not found")
}

func (m *memory) SetPasswordHash(_ context.Context, userID int, hash string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return m.err
	}
	if m.users[userID] == nil {
		return kappa.NewError(kappa.CodeNotFound, "User not found")
	}
	m.hashes[userID] = hash
	return nil
}

func (m *memory) RecordLogin(_ context.Context, u access.User, l access.LoginRecord) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.logins = append(m.logins, fmt.Sprintf("%s from %s, failed %t", u.Username, l.Address, l.Failed))
	if !l.Failed {
		now := kappa.At(time.Now())
		m.users[u.ID].LastLogin = &now
	}
	return m.err
}

func (m *memory) Sessions(_ context.Context, userID int) ([]access.OAuthClient, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(m.clients), func(c access.OAuthClient) bool { return !c.Session || c.UserID != userID }), m.err
}

func (m *memory) CreateClient(_ context.Context, c access.OAuthClient, asks string, most int) (access.OAuthClient, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return access.OAuthClient{}, m.err
	}
	if m.taken > 0 {
		m.taken--
		return access.OAuthClient{}, kappa.NewError(kappa.CodeConflict, "taken")
	}
	c.Generation, c.Active, c.CreatedAt = 1, true, kappa.At(time.Now())
	m.clients = append(m.clients, c)
	for i := 0; len(m.clients) > most; {
		if m.clients[i].ClientID == asks {
			i++
			continue
		}
		m.clients = slices.Delete(m.clients, i, i+1)
	}
	return c, nil
}

// indexLocked returns where the client is, -1 for an unknown one.
func (m *memory) indexLocked(clientID string) int {
	return slices.IndexFunc(m.clients, func(c access.OAuthClient) bool { return c.ClientID == clientID })
}

func clientNotFound(clientID string) error {
	return kappa.NewError(kappa.CodeNotFound, "OAuth client '"+clientID+"' not found")
}

func (m *memory) Client(_ context.Context, clientID string) (access.OAuthClient, access.User, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return access.OAuthClient{}, access.User{}, m.err
	}
	i := m.indexLocked(clientID)
	if i < 0 {
		return access.OAuthClient{}, access.User{}, clientNotFound(clientID)
	}
	return m.clients[i], *m.users[m.clients[i].UserID], nil
}

func (m *memory) Clients(_ context.Context, userID int) ([]access.OAuthClient, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(m.clients), func(c access.OAuthClient) bool { return c.UserID != userID }), m.err
}

func (m *memory) DeleteClient(_ context.Context, userID int, clientID string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := m.indexLocked(clientID)
	if i < 0 || m.clients[i].UserID != userID {
		return clientNotFound(clientID)
	}
	m.clients = slices.Delete(m.clients, i, i+1)
	return m.err
}

func (m *memory) RotateClient(_ context.Context, userID int, clientID string, hash []byte) (access.OAuthClient, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := m.indexLocked(clientID)
	if i < 0 || m.clients[i].UserID != userID {
		return access.OAuthClient{}, clientNotFound(clientID)
	}
	m.clients[i].SecretHash, m.clients[i].Generation = hash, m.clients[i].Generation+1
	return m.clients[i], m.err
}

func (m *memory) EnsureSecret(_ context.Context, name string, fresh []byte) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return nil, m.err
	}
	if m.secrets[name] == nil {
		m.secrets[name] = fresh
	}
	return m.secrets[name], nil
}

func (m *memory) TouchClient(_ context.Context, clientID string, _ time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.touches++
	if i := m.indexLocked(clientID); i >= 0 {
		now := kappa.At(time.Now())
		m.clients[i].LastUsedAt = &now
	}
	return m.err
}

func (m *memory) TokenUser(_ context.Context, clientID string, generation int, tokenID string) (access.User, int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return access.User{}, 0, m.err
	}
	i := m.indexLocked(clientID)
	if _, revoked := m.revoked[tokenID]; i < 0 || revoked || m.clients[i].Generation != generation {
		return access.User{}, 0, kappa.NewError(kappa.CodeNotFound, "not valid any more")
	}
	return *m.users[m.clients[i].UserID], m.epoch, nil
}

func (m *memory) StreamUser(ctx context.Context, clientID string, generation int, tokenID string) (access.User, int64, error) {
	return m.TokenUser(ctx, clientID, generation, tokenID)
}

func (m *memory) RevokeToken(_ context.Context, tokenID string, expires time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.revoked[tokenID] = expires
	return m.err
}

func (m *memory) PurgeRevokedTokens(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, expires := range m.revoked {
		if expires.Before(time.Now()) {
			delete(m.revoked, id)
		}
	}
	return m.err
}

func (m *memory) AccessEpoch(context.Context) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.epoch, m.err
}

func (m *memory) AddTicket(_ context.Context, hash []byte, topic string, p access.Principal, most int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return m.err
	}
	if len(m.tickets) >= most {
		return &kappa.Error{Code: kappa.CodeRateLimited, Message: "too many", RetryAfter: time.Second}
	}
	m.tickets[string(hash)] = memoryTicket{topic, p, time.Now().Add(min(ticketLife, time.Until(p.ExpiresAt.Time)))}
	return nil
}

func (m *memory) RedeemTicket(ctx context.Context, hash []byte, topic string) (access.Principal, error) {
	m.mu.Lock()
	ticket, ok := m.tickets[string(hash)]
	delete(m.tickets, string(hash))
	m.mu.Unlock()
	if m.err == nil && (!ok || ticket.topic != topic || !time.Now().Before(ticket.expires)) {
		return access.Principal{}, kappa.NewError(kappa.CodeNotFound, "the ticket is not valid")
	}
	var err error
	ticket.p.User, _, err = m.TokenUser(ctx, ticket.p.ClientID, ticket.p.Generation, ticket.p.TokenID)
	return ticket.p, err
}

func (m *memory) PurgeTickets(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for hash, ticket := range m.tickets {
		if !time.Now().Before(ticket.expires) {
			delete(m.tickets, hash)
		}
	}
	return m.err
}

func (m *memory) TouchSession(_ context.Context, clientID string, idle, longest time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.touches++
	if i := m.indexLocked(clientID); i >= 0 {
		c := &m.clients[i]
		now := time.Now()
		ends := now.Add(idle)
		if latest := c.CreatedAt.Add(longest); ends.After(latest) {
			ends = latest
		}
		c.LastUsedAt, c.ExpiresAt = kappa.AtPtr(&now), kappa.AtPtr(&ends)
	}
	return m.err
}

func (m *memory) PurgeSessions(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}
