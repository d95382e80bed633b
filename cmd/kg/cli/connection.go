package cli

import (
	"cmp"
	"crypto/tls"
	"errors"
	"net/http"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/follow"
	"github.com/kappagraph/kappa/cmd/kg/local"
	"github.com/kappagraph/kappa/internal/certificates"
)

// thisMachine is the server of this machine while none runs, in words.
const thisMachine = "the server of this machine"

// connection is the server to talk to, and as whom.
type connection struct {
	url    string
	source string // what chose the address, in words
	caFile string // with who signed its certificate; "" for the authorities of the system alone
	chosen bool   // by flag, environment or configuration; otherwise it is the server of this machine, which must prove itself

	clientID     string
	clientSecret string
	username     string
	// elsewhere is where the configuration's credentials belong, when that is
	// another server; they are not sent to this one.
	elsewhere string
}

// connection chooses the server: flag, then environment, then configuration,
// then the server of this machine, as it wrote its address. It returns
// local.ErrNoServer when there is none of them.
func (a *App) connection() (connection, error) {
	file, err := a.readConfig()
	if err != nil {
		return connection{}, err
	}
	to, err := a.address(file)
	if err != nil {
		return to, err
	}
	if id, secret := a.getenv("KG_CLIENT_ID"), a.getenv("KG_CLIENT_SECRET"); id != "" || secret != "" {
		if id == "" || secret == "" {
			return to, exit.Usage("KG_CLIENT_ID and KG_CLIENT_SECRET must be set together")
		}
		to.clientID, to.clientSecret, to.username = id, secret, id
		return to, nil
	}
	if file.ClientID == "" || file.ClientSecret == "" {
		return to, nil
	}
	if file.APIURL == "" && !to.chosen {
		to.clientID, to.clientSecret, to.username = file.ClientID, file.ClientSecret, file.Username
		return to, nil
	}
	home, err := a.home(file)
	if err != nil {
		return to, err
	}
	if home != to.url {
		to.elsewhere = home
		return to, nil
	}
	to.clientID, to.clientSecret, to.username = file.ClientID, file.ClientSecret, file.Username
	return to, nil
}

// address chooses the server's address.
func (a *App) address(file config) (connection, error) {
	path, err := a.configPath()
	if err != nil {
		return connection{}, err
	}
	for _, try := range []connection{
		{url: a.apiURL, source: "--api-url", chosen: true},
		{url: a.getenv("KG_API_URL"), source: "KG_API_URL", chosen: true},
		{url: file.APIURL, source: path, chosen: true},
	} {
		if try.url == "" {
			continue
		}
		normal, err := client.NormalURL(try.url)
		if err != nil {
			return connection{}, exit.Usage("%s: %w", try.source, err)
		}
		try.url, try.caFile = normal, cmp.Or(a.caFile, a.getenv("KG_CA_FILE"))
		if try.caFile == "" && sameServer(normal, file.APIURL) {
			try.caFile = file.CAFile
		}
		return try, nil
	}
	server, err := a.localServer()
	if err != nil {
		return connection{}, &exit.Error{Code: exit.Unreachable, Err: err, Hint: "start it with: kg serve, or set KG_API_URL"}
	}
	return connection{url: server.URL, source: a.urlFile()}, nil
}

// sameServer reports whether an address is that of the configuration.
func sameServer(normal, configured string) bool {
	of, err := client.NormalURL(configured)
	return err == nil && of == normal
}

// home returns the address of the server that the configuration's credentials
// are for, in words when that is the server of this machine and none runs.
func (a *App) home(file config) (string, error) {
	if file.APIURL != "" {
		return client.NormalURL(file.APIURL)
	}
	server, err := a.localServer()
	if errors.Is(err, local.ErrNoServer) {
		return thisMachine, nil
	}
	return server.URL, err
}

// urlFile is where the server of this machine writes its address, "" when there
// is no place for it.
func (a *App) urlFile() string {
	dir, err := local.DataDir(a.env)
	if err != nil {
		return ""
	}
	return local.URLFile(dir)
}

// localServer returns the server of this machine, as it wrote its address and key.
func (a *App) localServer() (local.Server, error) {
	dir, err := local.DataDir(a.env)
	if err != nil {
		return local.Server{}, err
	}
	return local.Read(dir)
}

// httpClient returns an HTTP client for a server, that keeps the last answer for
// -o json. The server of this machine must prove on each connection that it is the
// one that wrote its address; after a restart it has another key.
func (a *App) httpClient(to connection) (*http.Client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if to.caFile != "" {
		roots, err := certificates.Roots(to.caFile)
		if err != nil {
			return nil, exit.Usage("--ca-file, KG_CA_FILE: %w", err)
		}
		transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots}
	}
	if !to.chosen {
		var err error
		transport, err = client.ProvenTransport(to.url, func(nonce string) (string, error) {
			server, err := a.localServer()
			return server.Proof(nonce), err
		})
		if err != nil {
			return nil, err
		}
	}
	transport.MaxIdleConnsPerHost = follow.AtOnce
	a.answers.next = transport
	return &http.Client{Transport: &a.answers}, nil
}
