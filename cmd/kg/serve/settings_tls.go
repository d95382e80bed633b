package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/kappagraph/kappa/internal/certificates"
	"github.com/kappagraph/kappa/internal/http"
)

// tlsSettings are how the server encrypts what it answers.
type tlsSettings struct {
	Cert, Key     string // files
	Domains       string // with commas between
	Email         string
	Directory     string // of the authority
	DirectoryRoot string // file with who signed its certificate
	Plain         bool   // others may reach the server without TLS
}

// letsEncrypt is the authority that is asked unless another one is chosen.
const letsEncrypt = "https://acme-v02.api.letsencrypt.org/directory"

// table returns the settings of TLS.
func (s *tlsSettings) table() []setting {
	return []setting{
		text("KG_TLS_CERT", "", "", "PEM file with the certificate of the server and those between it and the authority; with KG_TLS_KEY the server speaks TLS", &s.Cert),
		text("KG_TLS_KEY", "", "", "PEM file with the key of that certificate", &s.Key),
		text("KG_ACME_DOMAINS", "", "", "public names of the server, with commas between, for which it gets certificates by itself (ACME)", &s.Domains),
		text("KG_ACME_EMAIL", "", "", "whom the authority of these certificates may write to", &s.Email),
		text("KG_ACME_DIRECTORY", letsEncrypt, "", "directory of the authority", &s.Directory),
		text("KG_ACME_CA", "", "", "PEM file with who signed the certificate of the authority's own API", &s.DirectoryRoot).without("the system's"),
		flag("KG_PLAIN_HTTP", "1 lets other machines reach the server without TLS: a proxy in front ends it, or the network is trusted", &s.Plain),
	}
}

// on reports whether the server speaks TLS.
func (s *tlsSettings) on() bool { return s.Cert != "" || s.Domains != "" }

// domains returns the names for which certificates are asked for.
func (s *tlsSettings) domains() []string { return words(strings.ToLower(s.Domains)) }

// check returns what is wrong with the settings for a server at an address.
func (s *tlsSettings) check(addr string) (broken []error) {
	switch {
	case (s.Cert == "") != (s.Key == ""):
		broken = append(broken, errors.New("KG_TLS_CERT, KG_TLS_KEY: set both, or none"))
	case s.Cert != "" && s.Domains != "":
		broken = append(broken, errors.New("KG_TLS_CERT, KG_ACME_DOMAINS: set one of them: a certificate of files, or of an authority"))
	case s.Cert != "":
		if _, err := certificates.ReadPair(s.Cert, s.Key); err != nil {
			broken = append(broken, fmt.Errorf("KG_TLS_CERT, KG_TLS_KEY: %w", err))
		}
	case s.Domains != "":
		broken = append(broken, s.checkACME()...)
	}
	if !s.on() && !s.Plain && !ofThisMachine(addr) {
		broken = append(broken, fmt.Errorf("KG_ADDR: other machines can reach %s, and passwords would go there without encryption: set KG_TLS_CERT and KG_TLS_KEY, or KG_ACME_DOMAINS for a public name, or KG_PLAIN_HTTP=1 if a proxy in front ends TLS or the network is trusted; or listen on 127.0.0.1", addr))
	}
	return broken
}

// domainForm is a name that an authority certifies: at least two labels, and no wildcard.
var domainForm = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// checkACME returns what is wrong with how an authority is asked.
func (s *tlsSettings) checkACME() (broken []error) {
	for _, domain := range s.domains() {
		if _, err := netip.ParseAddr(domain); err == nil || !domainForm.MatchString(domain) {
			broken = append(broken, fmt.Errorf("KG_ACME_DOMAINS: must be public names such as kappa.example.com, got %q", domain))
		}
	}
	if at, err := url.Parse(s.Directory); err != nil || at.Scheme != "https" || at.Host == "" {
		broken = append(broken, fmt.Errorf("KG_ACME_DIRECTORY: must be https://…, got %q", s.Directory))
	}
	if _, err := certificates.Roots(s.DirectoryRoot); err != nil {
		broken = append(broken, fmt.Errorf("KG_ACME_CA: %w", err))
	}
	return broken
}

// certificateSource keeps the certificates that are shown.
type certificateSource interface {
	http.Certificates
	Run(ctx context.Context) error
}

// source opens what keeps the certificates; nil without TLS. dataDir has those of an authority.
func (s *tlsSettings) source(ctx context.Context, dataDir string, log *slog.Logger) (certificateSource, error) {
	switch {
	case s.Cert != "":
		return certificates.NewFiles(ctx, s.Cert, s.Key, log)
	case s.Domains == "":
		return nil, nil //nolint:nilnil // there is none
	}
	roots, err := certificates.Roots(s.DirectoryRoot)
	if err != nil {
		return nil, fmt.Errorf("KG_ACME_CA: %w", err)
	}
	return certificates.NewACME(certificates.ACMEConfig{
		Domains: s.domains(), Email: s.Email, Directory: cmp.Or(s.Directory, letsEncrypt), Roots: roots, Dir: filepath.Join(dataDir, "acme"), Log: log,
	})
}

// scheme is that of the server's address.
func (s *tlsSettings) scheme() string {
	if s.on() {
		return "https://"
	}
	return "http://"
}

// ofThisMachine reports whether nobody but this machine can reach an address to listen on.
func ofThisMachine(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil || strings.EqualFold(host, "localhost") {
		return true // what is no address is said elsewhere
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
