package certificates

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// maxFile bounds what is read of a file.
const maxFile = 1 << 20

// SoonExpired is how long before its end a certificate is warned of.
const SoonExpired = 14 * 24 * time.Hour

// Pair is a certificate with its key, as they stand in files.
type Pair struct {
	certificate *tls.Certificate
	text        []byte // of both files
}

// ReadPair reads a certificate, followed by those between it and the authority, and its
// key: two files in PEM. It returns an error that says what is wrong with which of them. A
// certificate that has expired is none: better an old one than no answer.
func ReadPair(certificate, key string) (Pair, error) {
	certificates, err := readFile(certificate)
	if err != nil {
		return Pair{}, fmt.Errorf("read the certificate: %w", err)
	}
	secret, err := readFile(key)
	if err != nil {
		return Pair{}, fmt.Errorf("read the key of the certificate: %w", err)
	}
	if block, _ := pem.Decode(certificates); block == nil {
		return Pair{}, fmt.Errorf("%s is not in PEM: it must begin with -----BEGIN CERTIFICATE-----", certificate)
	}
	if bytes.Contains(secret, []byte("ENCRYPTED")) {
		return Pair{}, fmt.Errorf("the key in %s is encrypted with a password, which nobody could type at a restart: decrypt it with openssl pkey", key)
	}
	made, err := tls.X509KeyPair(certificates, secret)
	if err != nil {
		return Pair{}, fmt.Errorf("%s and %s are no certificate with its key: %w", certificate, key, err)
	}
	return Pair{certificate: &made, text: bytes.Join([][]byte{certificates, secret}, []byte{0})}, nil
}

// readFile reads a file of a reasonable size.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxFile:
		return nil, fmt.Errorf("%s is longer than 1 MiB", path)
	case len(text) == 0:
		return nil, fmt.Errorf("%s is empty", path)
	}
	return text, nil
}

// same reports whether two pairs are the same bytes.
func (p Pair) same(other Pair) bool { return bytes.Equal(p.text, other.text) }

// leaf is the certificate of the server itself.
func (p Pair) leaf() *x509.Certificate { return p.certificate.Leaf }

// shown says what is known of a certificate.
func shown(leaf *x509.Certificate, from string) work.Certificate {
	names := append([]string{}, leaf.DNSNames...)
	for _, ip := range leaf.IPAddresses {
		names = append(names, ip.String())
	}
	if len(names) == 0 {
		names = append(names, cmp.Or(leaf.Subject.CommonName, "no name"))
	}
	until := kappa.At(leaf.NotAfter)
	return work.Certificate{Names: names, From: from, Until: &until}
}

// Roots returns the authorities of the system and those in a PEM file; those of the system
// alone for "".
func Roots(path string) (*x509.CertPool, error) {
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool() // there are none
	}
	if path == "" {
		return pool, nil
	}
	text, err := readFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the certificates of authorities: %w", err)
	}
	if !pool.AppendCertsFromPEM(text) {
		return nil, errors.New(path + " has no certificate in PEM")
	}
	return pool, nil
}
