package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/auth"
	"github.com/kappagraph/kappa/internal/certificates"
	"github.com/kappagraph/kappa/internal/llm"
	"github.com/kappagraph/kappa/internal/pgembed"
	"github.com/kappagraph/kappa/internal/postgres"
)

// reachWithin is how long a database may take to answer.
const reachWithin = 10 * time.Second

// modelURLSettings are the settings that say where a provider is.
var modelURLSettings = map[string]string{llm.OpenAI: "KG_OPENAI_BASE_URL", llm.Anthropic: "KG_ANTHROPIC_BASE_URL", llm.Ollama: "KG_OLLAMA_URL"}

// checkDataDir wants a folder that can be written, or made.
func checkDataDir(dir string) error {
	if !filepath.IsAbs(dir) {
		return fmt.Errorf("must be a path from the root, such as /var/lib/kappa, got %q", dir)
	}
	at := filepath.Clean(dir)
	for {
		stat, err := os.Stat(at)
		switch {
		case err == nil && !stat.IsDir():
			return fmt.Errorf("%s is no folder", at)
		case err == nil:
			const write = 2
			if err := syscall.Access(at, write); err != nil {
				return fmt.Errorf("%s may not be written by this user: %w", at, err)
			}
			return nil
		case !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at):
			return err
		}
		at = filepath.Dir(at)
	}
}

// checkDatabase wants the programs of PostgreSQL for one of our own, or an answer of another.
// note is what is worth to know of it.
func checkDatabase(ctx context.Context, database, pgBin string) (note string, err error) {
	if database == ownDatabase {
		dir, major, err := pgembed.FindPrograms(ctx, pgBin)
		if err != nil {
			return "", fmt.Errorf("%w: install them with: %s", err, pgembed.InstallCommand())
		}
		return fmt.Sprintf("PostgreSQL %d in %s", major, dir), nil
	}
	ctx, cancel := context.WithTimeout(ctx, reachWithin)
	defer cancel()
	major, err := postgres.Probe(ctx, database)
	if err != nil {
		return "", err
	}
	if major < postgres.OldestMajor {
		return "", fmt.Errorf("it is PostgreSQL %d, and Kappa needs %d or newer", major, postgres.OldestMajor)
	}
	return fmt.Sprintf("PostgreSQL %d answers", major), nil
}

// providers are what a model may be.
func providers() []string { return []string{localModel, llm.OpenAI, llm.Anthropic, llm.Ollama} }

// checkModel wants a provider that there is, and a key where it needs one.
func (a *answers) checkModel() error {
	if !slices.Contains(providers(), a.Model) {
		return fmt.Errorf("must be one of %s, got %q", strings.Join(providers(), ", "), a.Model)
	}
	if a.Model != llm.OpenAI && a.Model != llm.Anthropic {
		return nil
	}
	if a.ModelKey == "" && a.ModelKeyFile == "" && a.ModelURL == "" {
		return fmt.Errorf("%s needs a key: model_key, or model_key_file with a file that has it", a.Model)
	}
	if a.ModelKeyFile != "" {
		if _, err := os.ReadFile(a.ModelKeyFile); err != nil {
			return fmt.Errorf("model_key_file: %w", err)
		}
	}
	return nil
}

// callModel makes a small call of the provider.
func (a *answers) callModel(ctx context.Context) error {
	cfg := llm.Config{Name: a.Model, URL: a.ModelURL, Key: a.ModelKey, Prices: llm.BuiltinPrices()}
	if cfg.URL == "" {
		cfg.URL = map[string]string{llm.OpenAI: llm.DefaultOpenAIURL, llm.Anthropic: llm.DefaultAnthropicURL, llm.Ollama: llm.DefaultOllamaURL}[a.Model]
	}
	if a.ModelKey == "" && a.ModelKeyFile != "" {
		text, err := os.ReadFile(a.ModelKeyFile)
		if err != nil {
			return fmt.Errorf("read the key: %w", err)
		}
		cfg.Key = strings.TrimSpace(string(text))
	}
	if got := llm.NewProvider(cfg).CheckReading(ctx, llm.DefaultReader(a.Model)); !got.OK {
		return errors.New(got.Error)
	}
	return nil
}

// checkAddress wants an address that can be listened on now.
func checkAddress(ctx context.Context, addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("must be host:port, such as 127.0.0.1:8000, got %q", addr)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	switch {
	case err == nil:
		return listener.Close()
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("something listens on port %s already: stop it, or choose another port", port)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("this user may not listen on port %s, since it is below 1024: choose another one, or give the right (docs/security.md)", port)
	}
	return fmt.Errorf("listen on %s: %w", addr, err)
}

// checkTLS wants what the way of encrypting needs.
func (a *answers) checkTLS() error {
	switch a.TLS {
	case tlsFiles:
		_, err := certificates.ReadPair(a.TLSCert, a.TLSKey)
		return err
	case tlsACME:
		if a.ACMEDomains == "" {
			return errors.New("acme_domains must name this server, as kappa.example.com")
		}
	case tlsNone:
	default:
		return fmt.Errorf("must be %s, %s or %s, got %q", tlsFiles, tlsACME, tlsNone, a.TLS)
	}
	return nil
}

// checkPassword wants what the server wants of the first account.
func (a *answers) checkPassword() error {
	if a.AdminPasswordFile != "" {
		if _, err := os.ReadFile(a.AdminPasswordFile); err != nil {
			return fmt.Errorf("admin_password_file: %w", err)
		}
	}
	if a.AdminPassword == "" {
		return nil
	}
	err := auth.CheckAdminPassword(a.AdminPassword)
	var broken *kappa.Error
	if errors.As(err, &broken) && len(broken.Fields) > 0 {
		return errors.New("the password " + broken.Fields[0].Rule)
	}
	return err
}

// ofThisMachine reports whether nobody but this machine can reach an address.
func ofThisMachine(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}
