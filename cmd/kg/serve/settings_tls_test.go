package serve

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTLSSettings says which addresses need TLS, and what is wrong with settings of it.
func TestTLSSettings(t *testing.T) {
	nobody := filepath.Join(t.TempDir(), "none.pem")
	broken := filepath.Join(t.TempDir(), "broken.pem")
	check(t, os.WriteFile(broken, []byte("broken"), 0o600))
	const inTheClear = "passwords would go there without encryption: set KG_TLS_CERT and KG_TLS_KEY, or KG_ACME_DOMAINS for a public name, or KG_PLAIN_HTTP=1"
	for name, tt := range map[string]struct {
		settings string // name=value, with spaces between
		want     string // "" is no error
	}{
		"this machine":                  {"KG_ADDR=127.0.0.1:80", ""},
		"this machine by IPv6":          {"KG_ADDR=[::1]:80", ""},
		"this machine by name":          {"KG_ADDR=localhost:80", ""},
		"the default":                   {"", ""},
		"every address":                 {"KG_ADDR=0.0.0.0:80", "KG_ADDR: other machines can reach 0.0.0.0:80, and " + inTheClear},
		"every address, unsaid":         {"KG_ADDR=:80", inTheClear},
		"every address of IPv6":         {"KG_ADDR=[::]:80", inTheClear},
		"an address of a network":       {"KG_ADDR=10.0.0.7:80", inTheClear},
		"a name":                        {"KG_ADDR=kappa:80", inTheClear},
		"a network that is trusted":     {"KG_ADDR=:80 KG_PLAIN_HTTP=1", ""},
		"a network that is not trusted": {"KG_ADDR=:80 KG_PLAIN_HTTP=0", inTheClear},
		"a public name":                 {"KG_ADDR=:443 KG_ACME_DOMAINS=kappa.example.com,Docs.example.com", ""},
		"no public name":                {"KG_ADDR=:443 KG_ACME_DOMAINS=kappa", `KG_ACME_DOMAINS: must be public names such as kappa.example.com, got "kappa"`},
		"an address in place of a name": {"KG_ADDR=:443 KG_ACME_DOMAINS=10.0.0.7", "must be public names"},
		"all names below one":           {"KG_ADDR=:443 KG_ACME_DOMAINS=*.example.com", "must be public names"},
		"an authority without TLS":      {"KG_ADDR=:443 KG_ACME_DOMAINS=a.example.com KG_ACME_DIRECTORY=http://a.example.com", "KG_ACME_DIRECTORY: must be https://"},
		"an authority of nobody":        {"KG_ADDR=:443 KG_ACME_DOMAINS=a.example.com KG_ACME_CA=" + nobody, "KG_ACME_CA: read the certificates of authorities"},
		"half of a pair":                {"KG_TLS_CERT=" + nobody, "KG_TLS_CERT, KG_TLS_KEY: set both, or none"},
		"files and a name":              {"KG_TLS_CERT=a KG_TLS_KEY=b KG_ACME_DOMAINS=a.example.com", "set one of them"},
		"files that are not there":      {"KG_TLS_CERT=" + nobody + " KG_TLS_KEY=" + nobody, "KG_TLS_CERT, KG_TLS_KEY: read the certificate: open " + nobody},
		"files that are no pair":        {"KG_TLS_CERT=" + broken + " KG_TLS_KEY=" + broken, "is not in PEM"},
	} {
		t.Run(name, func(t *testing.T) {
			given := map[string]string{"HOME": "/h"}
			for pair := range strings.FieldsSeq(tt.settings) {
				setting, value, _ := strings.Cut(pair, "=")
				given[setting] = value
			}
			_, err := readSettings(func(name string) (string, bool) { value, ok := given[name]; return value, ok }, settingsFile{})
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}
