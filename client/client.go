package client

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// DefaultRetryFor is how long a watch retries a server that it has lost.
const DefaultRetryFor = 2 * time.Minute

// Config says which server to talk to, and as whom. Only BaseURL is required;
// without ClientID the calls carry no token, which few routes accept.
type Config struct {
	BaseURL      string // such as http://127.0.0.1:8000, with the path of a proxy if there is one
	ClientID     string
	ClientSecret string
	UserAgent    string // empty: kappa-client
	// HTTPClient carries the calls. Nil: one of the client's own, that keeps
	// connections to the one server. It must not have a Timeout, which would end
	// watches. Its CheckRedirect is not used.
	HTTPClient *http.Client
	// RetryFor bounds how long a watch retries a server that it has lost.
	// Zero: DefaultRetryFor.
	RetryFor time.Duration
}

// Client calls one server as one client. What it can ask for stands by subject in its
// services; they are to be called only.
type Client struct {
	Account     Account
	Users       Users
	Groups      Groups
	Roles       Roles
	Jobs        Jobs
	Schedules   Schedules
	Workers     Workers
	Documents   Documents
	Sources     Sources
	Graph       Graph
	Concepts    Concepts
	Edges       Edges
	GraphAdmin  GraphAdmin
	Ontologies  Ontologies
	Proposals   Proposals
	Vocabulary  Vocabulary
	Queries     Queries
	Webhooks    Webhooks
	Programs    Programs
	Projections Projections
	Artifacts   Artifacts
	Datasets    Datasets
	Dataclips   Dataclips
	Models      Models
	Storage     Storage
	Backups     Backups

	base      *url.URL
	http      *http.Client
	userAgent string
	tokens    *tokenCache // nil without credentials
	retryFor  time.Duration
}

// New checks cfg and returns a client. It calls nothing yet.
func New(cfg Config) (*Client, error) {
	base, err := parseBase(cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	if (cfg.ClientID == "") != (cfg.ClientSecret == "") {
		return nil, errors.New("client id and client secret must be given together")
	}
	c := &Client{base: base, http: &http.Client{Transport: newTransport(base)}, userAgent: cfg.UserAgent, retryFor: cfg.RetryFor}
	if cfg.HTTPClient != nil {
		carrier := *cfg.HTTPClient
		c.http = &carrier
	}
	c.http.CheckRedirect = followWithin(base)
	if c.userAgent == "" {
		c.userAgent = "kappa-client"
	}
	if c.retryFor == 0 {
		c.retryFor = DefaultRetryFor
	}
	if cfg.ClientID != "" {
		c.tokens = newTokenCache(c, cfg.ClientID, cfg.ClientSecret)
	}
	c.addServices()
	return c, nil
}

// addServices gives the services their client.
func (c *Client) addServices() {
	c.Account = Account{c}
	c.Users = Users{c}
	c.Groups = Groups{c}
	c.Roles = Roles{c}
	c.Jobs = Jobs{c}
	c.Schedules = Schedules{c}
	c.Workers = Workers{c}
	c.Documents = Documents{c}
	c.Sources = Sources{c}
	c.Graph = Graph{c}
	c.Concepts = Concepts{c}
	c.Edges = Edges{c}
	c.GraphAdmin = GraphAdmin{c}
	c.Ontologies = Ontologies{c}
	c.Proposals = Proposals{c}
	c.Vocabulary = Vocabulary{c}
	c.Queries = Queries{c}
	c.Programs = Programs{c}
	c.Projections = Projections{c}
	c.Artifacts = Artifacts{c}
	c.Datasets = Datasets{c}
	c.Dataclips = Dataclips{c}
	c.Models = Models{c}
	c.Storage = Storage{c}
	c.Backups = Backups{c}
	c.Webhooks = Webhooks{c}
}

// BaseURL returns the address of the server, without a slash at its end.
func (c *Client) BaseURL() string { return c.base.String() }

// Close closes the connections that are idle. The client can still be used.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// NormalURL returns the form of a server's address that addresses are compared
// in: without a slash at its end. It fails when raw is not http or https.
func NormalURL(raw string) (string, error) {
	base, err := parseBase(raw)
	if err != nil {
		return "", err
	}
	return base.String(), nil
}

// parseBase reads the address of a server.
func parseBase(raw string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(strings.TrimSpace(raw), "/"))
	switch {
	case err != nil:
		return nil, fmt.Errorf("server address: %w", err)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("server address must look like http://127.0.0.1:8000, got %q", raw)
	case u.User != nil:
		return nil, errors.New("server address must not carry a name or a password")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("server address must end with its path, got %q", raw)
	}
	return u, nil
}

// newTransport returns a transport that holds as many connections to the one
// server as a client with many watches uses. Answers of this machine are not compressed:
// that would take longer than it spares.
func newTransport(base *url.URL) *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 16
	t.IdleConnTimeout = 30 * time.Second
	ip := net.ParseIP(base.Hostname())
	t.DisableCompression = base.Hostname() == "localhost" || ip.IsLoopback()
	return t
}
