package cli

import (
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/local"
)

// defaultAPIURL is where a server listens that was told nothing else.
const defaultAPIURL = "http://" + local.DefaultAddr

// connection is the server to talk to, and as whom.
type connection struct {
	url    string
	source string // what chose the address, in words
	chosen bool   // by flag, environment or configuration; otherwise it is the server of this machine

	clientID     string
	clientSecret string
	username     string
	// elsewhere is where the configuration's credentials belong, when that is
	// another server; they are not sent to this one.
	elsewhere string
}

// connection chooses the server: flag, then environment, then configuration,
// then the server of this machine, as it wrote its address, then the default.
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
		{url: a.localURL(), source: a.urlFile()},
		{url: defaultAPIURL, source: "the default"},
	} {
		if try.url == "" {
			continue
		}
		normal, err := client.NormalURL(try.url)
		if err != nil {
			return connection{}, exit.Usage("%s: %w", try.source, err)
		}
		try.url = normal
		return try, nil
	}
	panic("unreachable: the default is an address")
}

// home returns the address of the server that the configuration's credentials
// are for.
func (a *App) home(file config) (string, error) {
	for _, try := range []string{file.APIURL, a.localURL(), defaultAPIURL} {
		if try != "" {
			return client.NormalURL(try)
		}
	}
	return "", nil
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

// localURL returns the address that the server of this machine wrote, "" when
// there is none.
func (a *App) localURL() string {
	dir, err := local.DataDir(a.env)
	if err != nil {
		return ""
	}
	return local.ReadURL(dir)
}
