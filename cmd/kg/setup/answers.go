package setup

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

// The words that are answers.
const (
	ownDatabase = "own"
	localModel  = "local"
	tlsFiles    = "files"
	tlsACME     = "acme"
	tlsNone     = "none"
)

// answers are what the five questions ask. A file of answers has them by these names.
type answers struct {
	DataDir string `yaml:"data_dir"`

	Database string `yaml:"database"` // ownDatabase, or an address

	Model        string `yaml:"model"` // localModel, or a provider
	ModelKey     string `yaml:"model_key"`
	ModelKeyFile string `yaml:"model_key_file"`
	ModelURL     string `yaml:"model_url"`
	CheckModel   bool   `yaml:"check_model"` // by a small call

	Address     string `yaml:"address"`
	TLS         string `yaml:"tls"` // tlsFiles, tlsACME or tlsNone
	TLSCert     string `yaml:"tls_cert"`
	TLSKey      string `yaml:"tls_key"`
	ACMEDomains string `yaml:"acme_domains"`
	ACMEEmail   string `yaml:"acme_email"`

	AdminPassword     string `yaml:"admin_password"` // "": the first start makes one
	AdminPasswordFile string `yaml:"admin_password_file"`
}

// maxAnswers bounds what is read of a file of answers.
const maxAnswers = 64 << 10

// readAnswers reads a file of answers, or standard input for "-", over what a is. A name that
// is none is an error, and no error shows a line: it may be a secret.
func readAnswers(path string, in io.Reader, a *answers) error {
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return exit.Usage("--answers: %w", err)
		}
		defer f.Close() //nolint:errcheck // it was only read
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxAnswers+1))
	if err != nil {
		return fmt.Errorf("read the answers: %w", err)
	}
	if len(text) > maxAnswers {
		return exit.Usage("--answers: more than 64 KiB are no answers")
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil // all defaults
	}
	if err := yaml.UnmarshalWithOptions(text, a, yaml.Strict()); err != nil {
		where := yaml.FormatError(err, false, false)
		where, _, _ = strings.Cut(where, "\n")
		return exit.Usage("--answers: %s: must be lines such as %q, with the names that kg setup --help lists", where, "database: own")
	}
	return nil
}
