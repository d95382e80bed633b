package postgres

import (
	"context"
	"net"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/storage"
)

// Info says which database this is, without its password. It does not fail: when the
// database does not answer, that is what it says.
func (d *DB) Info(ctx context.Context) storage.DatabaseInfo {
	c := d.probes.Config().ConnConfig
	address := url.URL{Scheme: "postgresql", User: url.User(c.User), Host: net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port))), Path: "/" + c.Database}
	if len(c.Host) > 0 && c.Host[0] == '/' { // a socket
		address.Host = ""
		address.RawQuery = url.Values{"host": {c.Host}, "port": {strconv.Itoa(int(c.Port))}}.Encode()
	}
	info := storage.DatabaseInfo{URI: address.String(), User: c.User, Database: c.Database, GraphName: storage.GraphName}
	var version string
	if err := d.probes.QueryRow(ctx, "SELECT current_setting('server_version')").Scan(&version); err != nil {
		message := kappa.ErrorMessage(translate(err, "ask the database for its version"))
		info.Error = &message
		return info
	}
	info.Connected, info.Version = true, &version
	return info
}
