package certificates

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa/internal/await"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// made returns a certificate for a name that ends after a time, and its key, in PEM.
func made(t *testing.T, name string, within time.Duration) (certificate, key []byte) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(within)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, secret.Public(), secret)
	check(t, err)
	text, err := x509.MarshalPKCS8PrivateKey(secret)
	check(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text})
}

// files are a certificate and its key on a disk.
type files struct{ dir, cert, key string }

func newFiles(t *testing.T, name string) files {
	t.Helper()
	f := files{dir: t.TempDir()}
	f.cert, f.key = filepath.Join(f.dir, "tls.crt"), filepath.Join(f.dir, "tls.key")
	certificate, key := made(t, name, 90*24*time.Hour)
	f.write(t, certificate, key)
	return f
}

func (f files) write(t *testing.T, certificate, key []byte) {
	t.Helper()
	check(t, os.WriteFile(f.cert, certificate, 0o600))
	check(t, os.WriteFile(f.key, key, 0o600))
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// log is what was logged.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// shownName returns the name of the certificate that is shown.
func shownName(t *testing.T, f *Files) string {
	t.Helper()
	c, err := f.TLS().GetCertificate(&tls.ClientHelloInfo{})
	check(t, err)
	return c.Leaf.DNSNames[0]
}

func TestReadPair(t *testing.T) {
	certificate, key := made(t, "a.example", time.Hour)
	_, other := made(t, "a.example", time.Hour)
	for name, tt := range map[string]struct {
		certificate, key []byte // nil: there is no file
		want             string
	}{
		"a pair":                       {certificate, key, ""},
		"no certificate":               {nil, key, "tls.crt: no such file"},
		"no key":                       {certificate, nil, "tls.key: no such file"},
		"the key of another":           {certificate, other, "private key does not match public key"},
		"an empty certificate":         {[]byte{}, key, "tls.crt is empty"},
		"a certificate in DER":         {[]byte("0\x82\x01"), key, "tls.crt is not in PEM"},
		"a key in place of both":       {key, key, "no certificate with its key"},
		"a key that needs a password":  {certificate, []byte("-----BEGIN ENCRYPTED PRIVATE KEY-----\n"), "encrypted with a password"},
		"a certificate without an end": {bytes.Repeat(certificate, 1<<12), key, "longer than 1 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range map[string][]byte{"tls.crt": tt.certificate, "tls.key": tt.key} {
				if text != nil {
					check(t, os.WriteFile(filepath.Join(dir, file), text, 0o600))
				}
			}
			_, err := ReadPair(filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key"))
			switch {
			case tt.want == "" && err != nil, tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("%v, want %q", err, tt.want)
			case err != nil && strings.Contains(err.Error(), "BEGIN EC"):
				t.Errorf("the error shows a key: %v", err)
			}
		})
	}
}

// TestFilesAreReadAgain replaces the files as administrators, certbot and Kubernetes do.
func TestFilesAreReadAgain(t *testing.T) {
	on := newFiles(t, "first.example")
	logged := &log{}
	f, err := NewFiles(t.Context(), on.cert, on.key, slog.New(slog.NewTextHandler(logged, nil)))
	check(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	defer func() {
		stop()
		check(t, <-ended)
	}()
	await.That(t, "the files are watched", func() bool { return f.watching.Load() })

	on.write(t, []byte("half of a certificate"), []byte("half of a key"))
	await.That(t, "a broken pair is seen", func() bool { return f.List()[0].Failed != "" })
	if got := shownName(t, f); got != "first.example" || f.Failures() == 0 {
		t.Errorf("%s is shown after %d failures, want the old one", got, f.Failures())
	}

	certificate, key := made(t, "second.example", 90*24*time.Hour)
	on.write(t, certificate, key)
	await.That(t, "a good pair is shown", func() bool { return shownName(t, f) == "second.example" && f.List()[0].Failed == "" })

	certificate, key = made(t, "third.example", time.Hour)
	check(t, os.WriteFile(on.cert+".new", certificate, 0o600))
	check(t, os.WriteFile(on.key+".new", key, 0o600))
	check(t, os.Rename(on.cert+".new", on.cert))
	check(t, os.Rename(on.key+".new", on.key))
	await.That(t, "files that were put in their place are shown", func() bool { return shownName(t, f) == "third.example" })
	await.That(t, "that it ends soon is logged", func() bool {
		return strings.Contains(logged.String(), `level=WARN msg="certificate read again" names=[third.example]`)
	})
}

// TestFilesBehindALink replaces the folder that the files are in by a link, as Kubernetes does
// with a secret: nothing happens to the files themselves.
func TestFilesBehindALink(t *testing.T) {
	first, second := newFiles(t, "first.example"), newFiles(t, "second.example")
	mounted := t.TempDir()
	check(t, os.Symlink(first.dir, filepath.Join(mounted, "..data")))
	for _, name := range []string{"tls.crt", "tls.key"} {
		check(t, os.Symlink(filepath.Join("..data", name), filepath.Join(mounted, name)))
	}
	f, err := NewFiles(t.Context(), filepath.Join(mounted, "tls.crt"), filepath.Join(mounted, "tls.key"), slog.New(slog.DiscardHandler))
	check(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	defer func() {
		stop()
		check(t, <-ended)
	}()
	await.That(t, "the files are watched", func() bool { return f.watching.Load() })
	check(t, os.Symlink(second.dir, filepath.Join(mounted, "..data_tmp")))
	check(t, os.Rename(filepath.Join(mounted, "..data_tmp"), filepath.Join(mounted, "..data")))
	await.That(t, "the new one is shown", func() bool { return shownName(t, f) == "second.example" })
}
