package notify

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
)

// DefaultNATSPrefix begins the subjects of an installation that names no other.
const DefaultNATSPrefix = "kg"

const maxNATSPrefix = 64

// NATSOptions say how NATS is reached. Beside each field is the setting that
// Validate names. The zero value means that NATS is not used.
type NATSOptions struct {
	// URL has one or more addresses, separated by commas: nats://host:4222,
	// tls://host:4222, ws:// or wss://. It may hold a user and a password, or a
	// token (nats://token@host).
	URL    string // KG_NATS_URL
	Creds  string // KG_NATS_CREDS: file with a JWT and its key
	NKey   string // KG_NATS_NKEY: file with the seed of a user's key
	CA     string // KG_NATS_CA: PEM file with who signs the server's certificate
	Cert   string // KG_NATS_CERT: PEM file with our certificate
	Key    string // KG_NATS_KEY: PEM file with the key of our certificate
	Prefix string // KG_NATS_PREFIX: first part of all subjects; "" is DefaultNATSPrefix
}

// Enabled reports whether NATS is to be used.
func (o NATSOptions) Enabled() bool { return o.URL != "" }

// Validate reports everything that is wrong, one line a setting, and never shows
// a secret. It reads the files.
func (o NATSOptions) Validate() error {
	if o == (NATSOptions{}) {
		return nil
	}
	var broken []error
	wrong := func(setting, rule, value string) {
		broken = append(broken, fmt.Errorf("%s: %s, got %q", setting, rule, value))
	}
	if !o.Enabled() {
		wrong("KG_NATS_URL", "must be set when another setting of NATS is", "")
	} else if rule, value := checkServers(o.URL); rule != "" {
		wrong("KG_NATS_URL", rule, value)
	}
	if p := o.prefix(); len(p) > maxNATSPrefix || !prefixForm.MatchString(p) {
		wrong("KG_NATS_PREFIX", fmt.Sprintf("must be words of letters, digits, - and _ with dots between, at most %d bytes", maxNATSPrefix), p)
	}
	if o.Creds != "" && o.NKey != "" {
		wrong("KG_NATS_NKEY", "must not be set together with KG_NATS_CREDS", o.NKey)
	}
	if (o.Cert == "") != (o.Key == "") {
		wrong("KG_NATS_CERT", "must be set together with KG_NATS_KEY", o.Cert)
	}
	return errors.Join(append(broken, o.checkFiles()...)...)
}

// checkFiles reports the files that cannot be read or used.
func (o NATSOptions) checkFiles() []error {
	var broken []error
	check := func(setting, rule, file string, err error) {
		if err != nil {
			broken = append(broken, fmt.Errorf("%s: must be %s, got %q: %w", setting, rule, file, err))
		}
	}
	if o.Creds != "" {
		check("KG_NATS_CREDS", "a credentials file", o.Creds, checkCreds(o.Creds))
	}
	if o.NKey != "" {
		_, err := nats.NkeyOptionFromSeed(o.NKey)
		check("KG_NATS_NKEY", "a file with the seed of a user's key", o.NKey, err)
	}
	if o.CA != "" {
		check("KG_NATS_CA", "a PEM file with certificates", o.CA, checkCA(o.CA))
	}
	if o.Cert != "" && o.Key != "" {
		_, err := tls.LoadX509KeyPair(o.Cert, o.Key)
		check("KG_NATS_CERT", "the PEM file of a certificate that belongs to KG_NATS_KEY", o.Cert, err)
	}
	return broken
}

// prefixForm allows nothing that means something else to NATS, as $SYS, * and >.
var prefixForm = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)

func (o NATSOptions) prefix() string {
	if o.Prefix == "" {
		return DefaultNATSPrefix
	}
	return o.Prefix
}

// connectOptions turns o into what the client understands. It reads the files.
func (o NATSOptions) connectOptions() ([]nats.Option, error) {
	var list []nats.Option
	if o.Creds != "" {
		list = append(list, nats.UserCredentials(o.Creds))
	}
	if o.NKey != "" {
		nkey, err := nats.NkeyOptionFromSeed(o.NKey)
		if err != nil {
			return nil, fmt.Errorf("read the key of NATS: %w", err)
		}
		list = append(list, nkey)
	}
	if o.CA != "" {
		list = append(list, nats.RootCAs(o.CA))
	}
	if o.Cert != "" {
		list = append(list, nats.ClientCert(o.Cert, o.Key))
	}
	return list, nil
}

// servers returns the addresses, each with a scheme. The error shows none.
func servers(list string) ([]*url.URL, error) {
	var all []*url.URL
	for item := range strings.SplitSeq(list, ",") {
		item = strings.TrimSpace(item)
		if !strings.Contains(item, "://") {
			item = "nats://" + item
		}
		u, err := url.Parse(item)
		if err != nil || u.Hostname() == "" {
			return nil, errors.New("an address of NATS cannot be read") // what it is may be a password
		}
		all = append(all, u)
	}
	return all, nil
}

// checkServers returns the rule that the addresses break, or "", and what of
// them may be shown.
func checkServers(list string) (rule, value string) {
	all, err := servers(list)
	if err != nil {
		return "must be addresses such as nats://host:4222 with commas between, special characters of a password as %XX", "…"
	}
	web := 0
	for _, u := range all {
		shown := u.Scheme + "://" + u.Host
		if !slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme) {
			return "must begin with nats://, tls://, ws:// or wss://", shown
		}
		if strings.HasPrefix(u.Scheme, "ws") {
			web++
		}
		value = shown
	}
	if web > 0 && web < len(all) {
		return "must not mix WebSocket addresses with others", value
	}
	return "", ""
}

func checkCreds(file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for _, part := range []string{"NATS USER JWT", "USER NKEY SEED"} {
		if !strings.Contains(string(content), "BEGIN "+part) {
			return fmt.Errorf("it has no %s", part)
		}
	}
	return nil
}

func checkCA(file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !x509.NewCertPool().AppendCertsFromPEM(content) {
		return errors.New("it has no certificate")
	}
	return nil
}

// secrets returns what of the addresses must never be shown: users too, because
// one without a password is a token.
func (o NATSOptions) secrets() []string {
	all, err := servers(o.URL)
	if err != nil {
		return nil
	}
	var hidden []string
	for _, u := range all {
		if u.User == nil {
			continue
		}
		password, _ := u.User.Password()
		userinfo := u.User.String()
		_, escaped, _ := strings.Cut(userinfo, ":")
		hidden = append(hidden, userinfo, password, escaped, u.User.Username())
	}
	return slices.DeleteFunc(hidden, func(s string) bool { return s == "" })
}
