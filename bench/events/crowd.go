package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/work"
)

const perToken = 500 // streams of one client

// crowd has what many clients need to open streams.
type crowd struct {
	credentials api.Credentials // of the first
	tokens      []string
}

// newCrowd makes clients for a number of streams. Logins use much memory, so a
// server does it whose memory is not measured: the tokens are good at any server
// of the database.
func (b *bench) newCrowd(ctx context.Context, dsn string, streams int) (c crowd, err error) {
	s, err := b.startServer(dsn)
	if err != nil {
		return c, err
	}
	defer s.Stop()
	for n := range (streams + perToken - 1) / perToken {
		credentials, err := s.api.Login(ctx, access.AdminUsername, password, fmt.Sprintf("bench %d", n))
		if err != nil {
			return c, err
		}
		token, err := s.token(ctx, credentials)
		if err != nil {
			return c, err
		}
		if n == 0 {
			c.credentials = credentials
		}
		c.tokens = append(c.tokens, token)
	}
	return c, nil
}

// startFor starts a server for a crowd. It opens some streams and closes them, so
// that what the server needs once is not counted for the streams to come.
func (b *bench) startFor(ctx context.Context, dsn string, c crowd) (s *server, err error) {
	if s, err = b.startServer(dsn); err != nil {
		return nil, err
	}
	if err := s.warm(ctx, c); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

func (s *server) warm(ctx context.Context, c crowd) error {
	if err := s.login(c.credentials); err != nil {
		return err
	}
	id, err := s.submit(ctx, work.NewJob{Type: work.TypeNoop})
	if err != nil {
		return err
	}
	some, err := newAudience()
	if err != nil {
		return err
	}
	defer some.close()
	return some.open(ctx, s.addr, c.seats(atOnce, id))
}

// seats spreads streams over jobs and tokens.
func (c crowd) seats(streams int, jobs ...string) []seat {
	list := make([]seat, streams)
	for i := range list {
		list[i] = seat{jobs[i%len(jobs)], c.tokens[i/perToken%len(c.tokens)]}
	}
	return list
}

// token exchanges credentials for an access token.
func (s *server) token(ctx context.Context, c api.Credentials) (string, error) {
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {c.ClientID}, "client_secret": {c.Secret}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.addr+"/auth/oauth/token", strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	var answer struct {
		AccessToken string `json:"access_token"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return "", fmt.Errorf("fetch a token: %w", err)
	}
	if answer.AccessToken == "" {
		return "", fmt.Errorf("fetch a token: status %s", response.Status)
	}
	return answer.AccessToken, nil
}
