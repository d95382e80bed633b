package certificates

import (
	"crypto/tls"
	"log/slog"
	"slices"
	"testing"
	"time"
)

// TestACMEBeforeACertificate shows what nobody has signed to everybody while there is no
// certificate, and asks no authority because of what a stranger says.
func TestACMEBeforeACertificate(t *testing.T) {
	a, err := NewACME(ACMEConfig{Domains: []string{"kappa.example.com"}, Directory: "https://127.0.0.1:1/nobody", Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
	check(t, err)
	for _, name := range []string{"", "localhost", "kappa.example.com", "KAPPA.example.com.", "other.example.com"} {
		began := time.Now()
		c, err := a.certificate(&tls.ClientHelloInfo{ServerName: name})
		if err != nil || c != a.own {
			t.Errorf("%q after %s: %v, want the certificate of this machine", name, time.Since(began), err)
		}
	}
	if !slices.Contains(a.TLS().NextProtos, "acme-tls/1") {
		t.Error("challenges are not answered")
	}
	if _, err := a.certificate(&tls.ClientHelloInfo{ServerName: "kappa.example.com", SupportedProtos: []string{"acme-tls/1"}}); err == nil {
		t.Error("a challenge that nobody asked for was answered")
	}
	if err := a.ask(t.Context()); err == nil {
		t.Error("an authority that is not there gave a certificate")
	}
	if list := a.List(); len(list) != 1 || list[0].Until != nil || list[0].Failed == "" || a.Failures() != 1 {
		t.Errorf("%+v, %d failures", list, a.Failures())
	}
}
