package worker

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/kappagraph/kappa/internal/remote/wire"
)

// Address returns where the WebSocket of a server is, which is named by ws, wss, http or
// https, with or without a path. plain says that the line is not encrypted and leaves
// this machine.
func Address(server string) (address string, plain bool, err error) {
	at, err := url.Parse(server)
	if err != nil || at.Host == "" {
		return "", false, errors.New("must be an address such as wss://kg.example.com")
	}
	switch at.Scheme {
	case "ws", "http":
		at.Scheme = "ws"
	case "wss", "https":
		at.Scheme = "wss"
	default:
		return "", false, fmt.Errorf("must begin with ws://, wss://, http:// or https://, got %q", at.Scheme)
	}
	if at.User != nil || at.RawQuery != "" || at.Fragment != "" {
		return "", false, errors.New("must have no user, password or query: the secret comes from KG_WORKER_SECRET or --secret-file")
	}
	switch p := strings.TrimRight(at.Path, "/"); {
	case p == "":
		at.Path = wire.Path
	case strings.HasSuffix(p, "/worker"):
		at.Path = p + "/websocket"
	default:
		at.Path = p
	}
	return at.String(), at.Scheme == "ws" && !loopback(at.Hostname()), nil
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
