package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/client"
)

// access is how the campaign is known to the servers: one set of credentials,
// and the token that they give. It remembers every secret, so that the logs can
// be searched for them. Nobody waits for another's call, which may go to a server
// that does not answer.
type apiAccess struct {
	mu      sync.Mutex // guards what follows
	creds   *api.Credentials
	token   string
	secrets []string
}

func newAccess() *apiAccess { return &apiAccess{secrets: []string{password}} }

// credentials returns what the first login has given, logging in when there was
// none.
func (a *apiAccess) credentials(ctx context.Context, address string) (api.Credentials, error) {
	a.mu.Lock()
	creds := a.creds
	a.mu.Unlock()
	if creds != nil {
		return *creds, nil
	}
	anonymous, err := client.New(client.Config{BaseURL: address})
	if err != nil {
		return api.Credentials{}, err
	}
	defer anonymous.Close()
	got, err := anonymous.Login(ctx, "admin", password, "campaign")
	if err != nil {
		return got, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.creds, a.secrets = &got, append(a.secrets, got.Secret)
	return got, nil
}

// client returns a client of a server.
func (a *apiAccess) client(ctx context.Context, address string) (*client.Client, error) {
	creds, err := a.credentials(ctx, address)
	if err != nil {
		return nil, err
	}
	return client.New(client.Config{BaseURL: address, ClientID: creds.ClientID, ClientSecret: creds.Secret})
}

// bearer returns a token, fetching one from a server when there is none.
func (a *apiAccess) bearer(ctx context.Context, address string) (string, error) {
	a.mu.Lock()
	token := a.token
	a.mu.Unlock()
	if token != "" {
		return token, nil
	}
	creds, err := a.credentials(ctx, address)
	if err != nil {
		return "", err
	}
	if token, err = fetchToken(ctx, address, creds); err != nil {
		return "", err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.token, a.secrets = token, append(a.secrets, token)
	return token, nil
}

// drop forgets a token that a server has refused.
func (a *apiAccess) drop(token string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.token == token {
		a.token = ""
	}
}

// remember records the secret of somebody else, so that it is searched for too.
func (a *apiAccess) remember(secret string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.secrets = append(a.secrets, secret)
}

// known returns every secret that there is.
func (a *apiAccess) known() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]string(nil), a.secrets...)
}

// fetchToken asks a server for a token.
func fetchToken(ctx context.Context, address string, creds api.Credentials) (string, error) {
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {creds.ClientID}, "client_secret": {creds.Secret}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address+"/auth/oauth/token", strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var answer struct {
		AccessToken string `json:"access_token"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || answer.AccessToken == "" {
		return "", fmt.Errorf("the server answers %s to the request for a token", resp.Status)
	}
	return answer.AccessToken, nil
}
