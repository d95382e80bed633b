package notify

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	crand "crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
)

func TestNATSOptions(t *testing.T) {
	t.Parallel()
	ca := newCA(t)
	other := newCA(t)
	seed := writeFile(t, "user.nk", mustSeed(t, nkeys.CreateUser))
	account := writeFile(t, "account.nk", mustSeed(t, nkeys.CreateAccount))
	text := writeFile(t, "text", []byte("hello"))
	missing := filepath.Join(t.TempDir(), "missing")
	const url = "nats://host:4222"
	for _, c := range []struct {
		name    string
		options NATSOptions
		want    []string // in the error; none means that it is valid
	}{
		{"unused", NATSOptions{}, nil},
		{"one address", NATSOptions{URL: url}, nil},
		{"several, without a scheme", NATSOptions{URL: "a:4222, user:secret@b:4222,tls://[::1]:4222"}, nil},
		{"everything", NATSOptions{URL: url, NKey: seed, CA: ca.file, Cert: ca.cert, Key: ca.key, Prefix: "my.kg-1"}, nil},
		{"no address", NATSOptions{Creds: text}, []string{"KG_NATS_URL", "must be set", "KG_NATS_CREDS", "no NATS USER JWT"}},
		{"a foreign scheme", NATSOptions{URL: "http://u:secret@host:80"}, []string{"KG_NATS_URL", `"http://host:80"`}},
		{"no host", NATSOptions{URL: "nats://"}, []string{"KG_NATS_URL"}},
		{"an unreadable address", NATSOptions{URL: "nats://user:secret/%@host"}, []string{"KG_NATS_URL", "%XX"}},
		{"a port that is a password", NATSOptions{URL: "nats://user:secret"}, []string{"KG_NATS_URL"}},
		{"a comma in a password", NATSOptions{URL: "nats://u:secret,secret@host:4222"}, []string{"KG_NATS_URL"}},
		{"WebSocket and not", NATSOptions{URL: url + ",ws://host:80"}, []string{"KG_NATS_URL", "WebSocket"}},
		{"a prefix with a wildcard", NATSOptions{URL: url, Prefix: "kg.*"}, []string{"KG_NATS_PREFIX", `"kg.*"`}},
		{"a prefix of the system", NATSOptions{URL: url, Prefix: "$SYS"}, []string{"KG_NATS_PREFIX"}},
		{"a long prefix", NATSOptions{URL: url, Prefix: strings.Repeat("x", 65)}, []string{"KG_NATS_PREFIX", "64"}},
		{
			"two identities",
			NATSOptions{URL: url, Creds: missing, NKey: missing},
			[]string{"KG_NATS_NKEY: must not", "KG_NATS_CREDS: must be", "KG_NATS_NKEY: must be", "no such file"},
		},
		{"the key of an account", NATSOptions{URL: url, NKey: account}, []string{"KG_NATS_NKEY", account}},
		{"no certificate", NATSOptions{URL: url, CA: text}, []string{"KG_NATS_CA", "no certificate"}},
		{"no CA", NATSOptions{URL: url, CA: missing}, []string{"KG_NATS_CA", "no such file"}},
		{"a certificate without a key", NATSOptions{URL: url, Cert: ca.cert}, []string{"KG_NATS_CERT", "together with KG_NATS_KEY"}},
		{"a key of another certificate", NATSOptions{URL: url, Cert: ca.cert, Key: other.key}, []string{"KG_NATS_CERT", "belongs to KG_NATS_KEY"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.options.Validate()
			if (err == nil) != (len(c.want) == 0) {
				t.Fatalf("got %v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in: %v", want, err)
				}
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error shows a secret: %v", err)
			}
		})
	}

	t.Run("an error shows nothing of what is in an address", func(t *testing.T) {
		n, err := NewNATS(NATSConfig{
			Options: NATSOptions{URL: "nats://anna:top%20secret@a,tokensecret@b,nats://c"}, ID: "a", Sink: newEar(), Log: quiet,
		})
		if err != nil {
			t.Fatal(err)
		}
		got := n.scrub(errors.New("dial nats://anna:top%20secret@a, top secret, tokensecret: refused")).Error()
		if strings.Contains(got, "secret") || strings.Contains(got, "anna") || !strings.Contains(got, "refused") {
			t.Errorf("got %q", got)
		}
		if cause := errors.New("refused"); !errors.Is(n.scrub(cause), cause) {
			t.Error("an error without secrets is not kept as it is")
		}
	})

	t.Run("a broken configuration makes no NATS", func(t *testing.T) {
		good := NATSConfig{Options: NATSOptions{URL: url}, ID: "a", Sink: newEar(), Log: quiet}
		if _, err := NewNATS(good); err != nil {
			t.Fatal(err)
		}
		for name, spoil := range map[string]func(*NATSConfig){
			"wrong option":       func(c *NATSConfig) { c.Options.Prefix = "." },
			"no address":         func(c *NATSConfig) { c.Options = NATSOptions{} },
			"no name":            func(c *NATSConfig) { c.ID = "" },
			"no sink":            func(c *NATSConfig) { c.Sink = nil },
			"reserved channel":   func(c *NATSConfig) { c.Handle = map[string]func(string){ChannelEvents: func(string) {}} },
			"impossible channel": func(c *NATSConfig) { c.Handle = map[string]func(string){"kg_a.b": func(string) {}} },
			"a name too long":    func(c *NATSConfig) { c.ID = strings.Repeat("x", 2000) },
		} {
			bad := good
			spoil(&bad)
			if _, err := NewNATS(bad); err == nil {
				t.Errorf("%s is accepted", name)
			}
		}
	})
}

// TestNATSAccess connects with every kind of credentials, good and wrong.
func TestNATSAccess(t *testing.T) {
	t.Parallel()
	ca, otherCA := newCA(t), newCA(t)
	seed := mustSeed(t, nkeys.CreateUser)
	seedFile, otherSeed := writeFile(t, "user.nk", seed), writeFile(t, "other.nk", mustSeed(t, nkeys.CreateUser))
	operator, creds, otherCreds := newOperator(t), "", ""
	creds, otherCreds = operator.creds(t, true), operator.creds(t, false)
	withTLS := func(verify bool) func(o *server.Options) {
		return func(o *server.Options) { o.TLS, o.TLSConfig = true, ca.serverConfig(t, verify) }
	}
	at := func(format string) func(s *natsServer) NATSOptions {
		return func(s *natsServer) NATSOptions { return NATSOptions{URL: strings.ReplaceAll(format, "HOST", s.addr())} }
	}
	for _, c := range []struct {
		name        string
		server      func(*server.Options)
		good, wrong func(s *natsServer) NATSOptions
		says        string // in the error of the wrong ones
	}{
		{
			"user and password", func(o *server.Options) { o.Username, o.Password = "anna", "top secret" },
			at("nats://anna:top%20secret@HOST"), at("nats://anna:wrongsecret@HOST"), "Authorization Violation",
		},
		{
			"token", func(o *server.Options) { o.Authorization = "tokensecret" },
			at("tokensecret@HOST"), at("nats://wrongsecret@HOST"), "Authorization Violation",
		},
		{
			"nkey", func(o *server.Options) { o.Nkeys = []*server.NkeyUser{{Nkey: publicKey(t, seed)}} },
			func(s *natsServer) NATSOptions { return NATSOptions{URL: s.url(), NKey: seedFile} },
			func(s *natsServer) NATSOptions { return NATSOptions{URL: s.url(), NKey: otherSeed} }, "Authorization Violation",
		},
		{
			"credentials file", operator.configure,
			func(s *natsServer) NATSOptions { return NATSOptions{URL: s.url(), Creds: creds} },
			func(s *natsServer) NATSOptions { return NATSOptions{URL: s.url(), Creds: otherCreds} }, "Authorization Violation",
		},
		{
			"TLS", withTLS(false),
			func(s *natsServer) NATSOptions { return NATSOptions{URL: "tls://" + s.addr(), CA: ca.file} },
			func(s *natsServer) NATSOptions { return NATSOptions{URL: "tls://" + s.addr(), CA: otherCA.file} }, "certificate",
		},
		{
			"TLS with our certificate", withTLS(true),
			func(s *natsServer) NATSOptions {
				return NATSOptions{URL: s.url(), CA: ca.file, Cert: ca.cert, Key: ca.key}
			},
			func(s *natsServer) NATSOptions { return NATSOptions{URL: s.url(), CA: ca.file} }, "tls", // then the reason, or that the connection was closed
		},
		{
			"a server without TLS", nil,
			func(s *natsServer) NATSOptions { return NATSOptions{URL: s.url()} },
			func(s *natsServer) NATSOptions { return NATSOptions{URL: "tls://" + s.addr()} }, "secure",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newNATSServer(t, c.server)
			a, b := newProcess(t, "a", c.good(s), nil), newProcess(t, "b", c.good(s), nil)
			wrong := newProcess(t, "c", c.wrong(s), nil)
			until(t, 5*time.Second, func() bool { return a.Connected() && b.Connected() })
			b.watching(t, "job_1")
			a.Notify("job_1")
			until(t, time.Second, func() bool { return b.hinted("job_1") == 1 })
			until(t, 5*time.Second, func() bool { return strings.Contains(wrong.State().Error, c.says) })
			if got := wrong.State(); got.Connected || wrong.Connected() || strings.Contains(got.Error, "secret") {
				t.Errorf("with wrong credentials: %+v", got)
			}
		})
	}

	t.Run("a server that comes later and refuses us says so", func(t *testing.T) {
		t.Parallel()
		s := newNATSServer(t, func(o *server.Options) { o.Authorization = "tokensecret" })
		s.stop()
		p := newIdleProcess(t, "a", NATSOptions{URL: "nats://wrongsecret@" + s.addr()}, nil)
		p.lagEvery = 50 * time.Millisecond
		p.start(t)
		until(t, 5*time.Second, func() bool { return strings.Contains(p.State().Error, "refused") })
		s.start(t)
		until(t, 5*time.Second, func() bool { return strings.Contains(p.State().Error, "Authorization Violation") })
	})

	for _, c := range []struct {
		name        string
		permissions server.Permissions
		use         func(p *process) // what finds it out; nil means the connect
		says        string
	}{
		{
			"not allowed to publish is not connected",
			server.Permissions{Publish: &server.SubjectPermission{Deny: []string{"kg.jobs.*"}}},
			nil, "Permissions Violation for Publish",
		},
		{
			"not allowed to hear is not connected",
			server.Permissions{Subscribe: &server.SubjectPermission{Deny: []string{"kg.jobs.*"}}},
			nil, "Permissions Violation for Subscription",
		},
		{
			"not allowed to relay is found when it is tried",
			server.Permissions{Publish: &server.SubjectPermission{Deny: []string{"kg.lanes"}}},
			func(p *process) { p.Relay(ChannelLanes, "x") }, "Permissions Violation for Publish",
		},
		{
			"not allowed to hear of a job is found when it is tried",
			server.Permissions{Subscribe: &server.SubjectPermission{Deny: []string{"kg.jobs.job_1"}}},
			func(p *process) { p.Interest("job_1", true) }, "Permissions Violation for Subscription",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newNATSServer(t, func(o *server.Options) {
				o.Users = []*server.User{{Username: "anna", Password: "secret", Permissions: &c.permissions}}
			})
			p := newProcess(t, "a", NATSOptions{URL: "nats://anna:secret@" + s.addr()}, nil)
			if c.use != nil {
				until(t, 5*time.Second, p.Connected)
				c.use(p)
			}
			until(t, 3*time.Second, func() bool { return strings.Contains(p.State().Error, c.says) && !p.Connected() })
			if c.use == nil && p.resynced() != 0 {
				t.Error("it counted as connected")
			}
		})
	}
}

// authority is a CA made for a test, with a certificate for 127.0.0.1.
type authority struct {
	file, cert, key string
}

func newCA(t testing.TB) authority {
	t.Helper()
	caKey, caTemplate := newKey(t), certTemplate()
	caTemplate.IsCA, caTemplate.BasicConstraintsValid, caTemplate.KeyUsage = true, true, x509.KeyUsageCertSign
	caDER := sign(t, caTemplate, caTemplate, caKey, caKey)
	leafKey, leaf := newKey(t), certTemplate()
	leaf.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	leaf.KeyUsage = x509.KeyUsageDigitalSignature
	leaf.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	leafDER := sign(t, leaf, caTemplate, leafKey, caKey)
	keyDER, err := x509.MarshalECPrivateKey(leafKey)
	if err != nil {
		t.Fatal(err)
	}
	return authority{
		file: writeFile(t, "ca.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: caDER})),
		cert: writeFile(t, "cert.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: leafDER})),
		key:  writeFile(t, "key.pem", pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER})),
	}
}

func (a authority) serverConfig(t testing.TB, verify bool) *tls.Config {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(a.cert, a.key)
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(a.file)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(content)
	config := &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: pool, MinVersion: tls.VersionTLS12}
	if verify {
		config.ClientAuth = tls.RequireAndVerifyClientCert
	}
	return config
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), crand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func certTemplate() *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
}

func sign(t testing.TB, template, parent *x509.Certificate, key, parentKey *ecdsa.PrivateKey) []byte {
	t.Helper()
	der, err := x509.CreateCertificate(crand.Reader, template, parent, &key.PublicKey, parentKey)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

// natsOperator signs accounts and users for a server that trusts it.
type natsOperator struct {
	key, account nkeys.KeyPair
	accountJWT   string
}

func newOperator(t testing.TB) *natsOperator {
	t.Helper()
	o := &natsOperator{}
	var err error
	if o.key, err = nkeys.CreateOperator(); err != nil {
		t.Fatal(err)
	}
	if o.account, err = nkeys.CreateAccount(); err != nil {
		t.Fatal(err)
	}
	if o.accountJWT, err = jwt.NewAccountClaims(publicOf(t, o.account)).Encode(o.key); err != nil {
		t.Fatal(err)
	}
	return o
}

func (o *natsOperator) configure(options *server.Options) {
	key, _ := o.key.PublicKey()
	account, _ := o.account.PublicKey()
	resolver := &server.MemAccResolver{}
	_ = resolver.Store(account, o.accountJWT)
	options.TrustedKeys, options.AccountResolver = []string{key}, resolver
}

// creds writes the credentials of a new user, signed by the account or by one
// that nobody knows.
func (o *natsOperator) creds(t testing.TB, good bool) string {
	t.Helper()
	account := o.account
	if !good {
		account, _ = nkeys.CreateAccount()
	}
	seed := mustSeed(t, nkeys.CreateUser)
	token, err := jwt.NewUserClaims(publicKey(t, seed)).Encode(account)
	if err != nil {
		t.Fatal(err)
	}
	content, err := jwt.FormatUserConfig(token, seed)
	if err != nil {
		t.Fatal(err)
	}
	return writeFile(t, "user.creds", content)
}

func mustSeed(t testing.TB, create func() (nkeys.KeyPair, error)) []byte {
	t.Helper()
	pair, err := create()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := pair.Seed()
	if err != nil {
		t.Fatal(err)
	}
	return seed
}

func publicKey(t testing.TB, seed []byte) string {
	t.Helper()
	pair, err := nkeys.FromSeed(seed)
	if err != nil {
		t.Fatal(err)
	}
	return publicOf(t, pair)
}

func publicOf(t testing.TB, pair nkeys.KeyPair) string {
	t.Helper()
	key, err := pair.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func writeFile(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
