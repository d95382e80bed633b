package certificates

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

const (
	lookEvery  = time.Hour       // at what the renewals have brought
	askWithin  = 4 * time.Minute // for one certificate
	firstAgain = 65 * time.Second
	ownYears   = 10
)

// ACMEConfig is how an authority is asked. Domains, Dir and Log are required.
type ACMEConfig struct {
	Domains   []string // names of this server, for each of which a certificate is asked for
	Email     string   // whom the authority may write to; may be empty
	Directory string   // of the authority; empty: Let's Encrypt
	Roots     *x509.CertPool
	Dir       string // folder of this user alone, for the certificates and the key of the account
	Log       *slog.Logger
}

// ACME has an authority certify names of this server, and renews what it gets when a third
// of its time is left, or 30 days. The authority must reach the server at port 443 of each
// name, since the challenge is answered within TLS (TLS-ALPN-01). Until there is a
// certificate, and for those who call the server by no name or by one of this machine, a
// certificate is shown that nobody has signed.
type ACME struct {
	cfg     ACMEConfig
	manager *autocert.Manager
	own     *tls.Certificate

	mu       sync.Mutex
	have     map[string]work.Certificate // by domain
	failed   map[string]string           // by domain, why the last try failed
	failures atomic.Int64
}

// NewACME returns an ACME that has asked nobody yet.
func NewACME(cfg ACMEConfig) (*ACME, error) {
	own, err := selfSigned(time.Now())
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: cfg.Roots}
	a := &ACME{cfg: cfg, own: own, have: map[string]work.Certificate{}, failed: map[string]string{}}
	a.manager = &autocert.Manager{
		Prompt: autocert.AcceptTOS, Cache: autocert.DirCache(cfg.Dir), HostPolicy: autocert.HostWhitelist(cfg.Domains...), Email: cfg.Email,
		Client: &acme.Client{DirectoryURL: cfg.Directory, HTTPClient: &http.Client{Transport: transport, Timeout: time.Minute}, UserAgent: "kappa"},
	}
	return a, nil
}

// TLS returns the settings of a server that shows the certificates, and answers challenges.
func (a *ACME) TLS() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: a.certificate, NextProtos: []string{acme.ALPNProto}}
}

// certificate returns what is shown to who says hello. It asks the authority for nothing:
// strangers could use up how often that may be asked.
func (a *ACME) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	if slices.Contains(hello.SupportedProtos, acme.ALPNProto) {
		return a.manager.GetCertificate(hello)
	}
	name := strings.TrimSuffix(strings.ToLower(hello.ServerName), ".")
	a.mu.Lock()
	_, have := a.have[name]
	a.mu.Unlock()
	if !have {
		return a.own, nil
	}
	return a.manager.GetCertificate(asking(name))
}

// asking is the hello of a client that understands elliptic curves: one certificate is
// enough for all that are in use.
func asking(domain string) *tls.ClientHelloInfo {
	return &tls.ClientHelloInfo{
		ServerName: domain, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256},
		SignatureSchemes: []tls.SignatureScheme{tls.ECDSAWithP256AndSHA256}, SupportedCurves: []tls.CurveID{tls.CurveP256},
		SupportedVersions: []uint16{tls.VersionTLS13, tls.VersionTLS12},
	}
}

// List returns what is known of the certificates.
func (a *ACME) List() []work.Certificate {
	a.mu.Lock()
	defer a.mu.Unlock()
	var list []work.Certificate
	for _, domain := range a.cfg.Domains {
		c, ok := a.have[domain]
		if !ok {
			c = work.Certificate{Names: []string{domain}, From: "acme"}
		}
		c.Failed = a.failed[domain]
		list = append(list, c)
	}
	return list
}

// Failures counts how often a certificate could not be had.
func (a *ACME) Failures() int64 { return a.failures.Load() }

// Run asks for the certificates that are missing, until ctx ends. What fails is tried again
// after a minute, two, four, and so on up to an hour: authorities count failures, and the
// library asks nobody within a minute of one.
func (a *ACME) Run(ctx context.Context) error {
	wait := firstAgain
	return kappa.Loop{Name: "asking for certificates", Every: lookEvery, Log: a.cfg.Log}.RunPlanned(ctx, func(ctx context.Context) (time.Duration, error) {
		err := a.ask(ctx)
		if err == nil {
			wait = firstAgain
			return lookEvery, nil
		}
		next := wait
		wait = min(2*wait, lookEvery)
		a.cfg.Log.WarnContext(ctx, "no certificate was had", "err", err, "retry_in", next)
		return next, nil
	})
}

// ask has every domain have its certificate.
func (a *ACME) ask(ctx context.Context) error {
	var failure error
	for _, domain := range a.cfg.Domains {
		failure = errors.Join(failure, a.askFor(ctx, domain))
	}
	return failure
}

// askFor has one domain have its certificate.
func (a *ACME) askFor(ctx context.Context, domain string) error {
	type answer struct {
		made *tls.Certificate
		err  error
	}
	answers := make(chan answer, 1)
	go func() { // the library takes no context, and gives up by itself
		made, err := a.manager.GetCertificate(asking(domain))
		answers <- answer{made, err}
	}()
	var got answer
	select {
	case <-ctx.Done():
		return nil
	case got = <-answers:
	case <-time.After(askWithin):
		got.err = fmt.Errorf("no answer within %s", askWithin)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if got.err != nil {
		a.failures.Add(1)
		a.failed[domain] = got.err.Error()
		return fmt.Errorf("get a certificate for %s: %w; the authority must reach this server at port 443 of that name", domain, got.err)
	}
	delete(a.failed, domain)
	c := shown(got.made.Leaf, "acme")
	if before, had := a.have[domain]; !had || *before.Until != *c.Until {
		a.cfg.Log.InfoContext(ctx, "certificate obtained", "names", c.Names, "valid_until", got.made.Leaf.NotAfter)
	}
	a.have[domain] = c
	return nil
}

// selfSigned returns a certificate of this machine that nobody has signed. Programs of this
// machine have the server prove itself otherwise.
func selfSigned(now time.Time) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "kappa"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(ownYears, 0, 0),
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	made, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("make a certificate: %w", err)
	}
	return &tls.Certificate{Certificate: [][]byte{made}, PrivateKey: key}, nil
}
